//! Which calls of the daemon reach a browser that is not its own.

use std::net::IpAddr;

use browse_net::{AddressKind, address_kind, is_metadata_host};
use url::{Host, Url};

/// What becomes of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CallRule {
    /// It is passed on.
    Pass,
    /// It names a tab, which must be one of ours.
    OwnTarget,
    /// It is done by this process, with calls of its own.
    Local(LocalCall),
    /// It would reach what is not ours.
    Refuse,
}

/// A call that this process does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum LocalCall {
    CreateTab,
    CloseTab,
    ListTabs,
    GiveTab,
    ReadCookies,
    WriteCookies,
    ClearCookies,
    Detach,
    AnswerRequest,
}

/// Gives the daemon a tab that the browser has: `{ "address": "mail.example.com" }`.
pub(crate) const GIVE_TAB: &str = "Bridge.giveTab";

/// The rule for a call on the browser itself. What is not named is refused.
pub(super) fn root_rule(method: &str) -> CallRule {
    match method {
        "Browser.getVersion" => CallRule::Pass,
        "Target.attachToTarget"
        | "Target.getTargetInfo"
        | "Target.activateTarget"
        | "Browser.getWindowForTarget" => CallRule::OwnTarget,
        "Target.createTarget" => CallRule::Local(LocalCall::CreateTab),
        "Target.closeTarget" => CallRule::Local(LocalCall::CloseTab),
        "Target.getTargets" => CallRule::Local(LocalCall::ListTabs),
        "Target.detachFromTarget" => CallRule::Local(LocalCall::Detach),
        "Storage.getCookies" => CallRule::Local(LocalCall::ReadCookies),
        "Storage.setCookies" => CallRule::Local(LocalCall::WriteCookies),
        "Storage.clearCookies" => CallRule::Local(LocalCall::ClearCookies),
        GIVE_TAB => CallRule::Local(LocalCall::GiveTab),
        _ if method.starts_with("Fetch.") => CallRule::Local(LocalCall::AnswerRequest),
        _ => CallRule::Refuse,
    }
}

/// Domains that act on the whole browser, whichever session they are called on.
const BROWSER_DOMAINS: [&str; 9] = [
    "Browser.",
    "Extensions.",
    "HeadlessExperimental.",
    "PWA.",
    "Storage.",
    "SystemInfo.",
    "Target.",
    "Tethering.",
    "Tracing.",
];

/// Methods of those domains that act on a tab alone.
const TAB_METHODS: [&str; 4] = [
    "Storage.getStorageKey",
    "Storage.getStorageKeyForFrame",
    "Target.detachFromTarget",
    "Target.setAutoAttach",
];

/// Methods of other domains that act on all sites, or on files.
const BROWSER_WIDE_METHODS: [&str; 15] = [
    "Network.clearBrowserCache",
    "Network.clearBrowserCookies",
    "Network.deleteCookies",
    "Network.getAllCookies",
    "Network.getCookies",
    "Network.loadNetworkResource",
    "Network.setCookie",
    "Network.setCookies",
    "Page.addCompilationCache",
    "Page.crash",
    "Page.getCookies",
    "Page.setDownloadBehavior",
    "Security.setIgnoreCertificateErrors",
    "Security.setOverrideCertificateErrors",
    "ServiceWorker.stopAllWorkers",
];

/// Whether a call on the session of a tab may be passed on.
pub(super) fn is_tab_call(method: &str) -> bool {
    if TAB_METHODS.contains(&method) {
        return true;
    }
    !BROWSER_DOMAINS.iter().any(|domain| method.starts_with(domain))
        && !BROWSER_WIDE_METHODS.contains(&method)
}

/// What is called on a tab while it shows a page of the browser itself, such as `chrome://history`:
/// what sets the tab up, and what leads away from there.
const METHODS_ON_ANY_PAGE: [&str; 15] = [
    "Fetch.disable",
    "Fetch.enable",
    "Inspector.enable",
    "Network.enable",
    "Page.addScriptToEvaluateOnNewDocument",
    "Page.close",
    "Page.enable",
    "Page.getNavigationHistory",
    "Page.navigate",
    "Page.navigateToHistoryEntry",
    "Page.setLifecycleEventsEnabled",
    "Page.stopLoading",
    "Runtime.enable",
    "Runtime.runIfWaitingForDebugger",
    "Target.setAutoAttach",
];

/// Whether a call tells nothing of the page that a tab shows, and does nothing to it.
pub(super) fn works_on_any_page(method: &str) -> bool {
    METHODS_ON_ANY_PAGE.contains(&method) || method.starts_with("Emulation.")
}

/// Whether an event tells no more of a page than its address.
pub(super) fn is_event_of_any_page(method: &str) -> bool {
    let is_of = |domains: &[&str]| domains.iter().any(|domain| method.starts_with(domain));
    is_of(&["Page.frame", "Page.lifecycle", "Page.load", "Page.dom", "Target.", "Inspector."])
        || method.starts_with("Runtime.executionContext")
}

/// Whether the page at an address is one of the web, which may be read and acted on, and not one
/// of the browser itself: settings, history, extensions, the source of another page.
fn is_web_page(url: &str) -> bool {
    let scheme = url.split(':').next().unwrap_or_default();
    // Chromium shows its errors at an address of their own.
    ["", "about", "blob", "chrome-error", "data", "http", "https"].contains(&scheme)
}

/// Whether the page at an address may be read and acted on.
pub(super) fn is_readable_page(url: &str) -> bool {
    is_web_page(url) && !is_metadata_page(url)
}

/// Whether the host of an address is one of a cloud's metadata service.
pub(super) fn is_metadata_page(url: &str) -> bool {
    let Ok(url) = Url::parse(url) else { return false };
    let Some(host) = url.host() else { return false };
    let address = match host {
        Host::Ipv4(address) => Some(IpAddr::V4(address)),
        Host::Ipv6(address) => Some(IpAddr::V6(address)),
        Host::Domain(_) => None,
    };
    is_metadata_host(&host)
        || address.is_some_and(|address| address_kind(address) == AddressKind::Metadata)
}

/// Whether a call on a worker that other tabs share would change those too.
pub(super) fn changes_shared_worker(method: &str) -> bool {
    method.starts_with("Emulation.")
        || [
            "Network.emulateNetworkConditions",
            "Network.setBlockedURLs",
            "Network.setCacheDisabled",
            "Network.setExtraHTTPHeaders",
            "Network.setUserAgentOverride",
        ]
        .contains(&method)
}

/// Methods that name files of the machine on which the browser runs.
pub(super) fn names_files(method: &str) -> bool {
    method == "DOM.setFileInputFiles" || method == "Input.dispatchDragEvent"
}

/// Whether the address of a tab is the one that a person means: they give all of it, or its
/// beginning up to a part, with or without the scheme.
pub(super) fn is_meant(url: &str, given: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://").or_else(|| url.strip_prefix("http://")) else {
        return false;
    };
    let (text, given) = match given.contains("://") {
        true => (url, given),
        false => (rest, given),
    };
    let given = given.trim_end_matches('/');
    if given.is_empty() || given.ends_with(':') {
        return false;
    }
    let Some(head) = text.get(..given.len()) else { return false };
    // The host is not case-sensitive, and a person does not look at the rest that closely.
    let next = text[head.len()..].chars().next();
    head.eq_ignore_ascii_case(given)
        && next.is_none_or(|next| matches!(next, '/' | '?' | '#' | ':'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_browser_itself_takes_only_what_is_named() {
        for method in [
            "Target.setAutoAttach",
            "Target.setDiscoverTargets",
            "Target.createBrowserContext",
            "Target.exposeDevToolsProtocol",
            "Browser.close",
            "Browser.setDownloadBehavior",
            "Browser.setPermission",
            "SystemInfo.getInfo",
            "Tracing.start",
            "Extensions.loadUnpacked",
            "Storage.clearDataForOrigin",
            "",
        ] {
            assert_eq!(root_rule(method), CallRule::Refuse, "{method}");
        }
        assert_eq!(root_rule("Target.attachToTarget"), CallRule::OwnTarget);
    }

    #[test]
    fn a_tab_takes_what_acts_on_it_alone() {
        for method in [
            "Storage.getCookies",
            "Storage.clearDataForOrigin",
            "Network.getAllCookies",
            "Network.getCookies",
            "Page.setDownloadBehavior",
            "Target.attachToTarget",
            "Target.getTargets",
            "Browser.close",
            "Security.setIgnoreCertificateErrors",
        ] {
            assert!(!is_tab_call(method), "{method}");
        }
        for method in ["Page.navigate", "Runtime.evaluate", "Target.setAutoAttach", "Fetch.enable"]
        {
            assert!(is_tab_call(method), "{method}");
        }
    }

    #[test]
    fn pages_of_the_browser_itself_are_not_of_the_web() {
        for url in ["", "about:blank", "https://a.example/", "blob:https://a/1", "data:text/html,"]
        {
            assert!(is_web_page(url), "{url}");
        }
        for url in ["chrome://history/", "view-source:https://a/", "file:///", "devtools://x"] {
            assert!(!is_web_page(url), "{url}");
        }
        assert!(is_metadata_page("http://169.254.169.254/") && !is_metadata_page("http://a.test/"));
        assert!(!works_on_any_page("Runtime.evaluate") && works_on_any_page("Page.navigate"));
        assert!(!is_event_of_any_page("Runtime.consoleAPICalled"));
        assert!(changes_shared_worker("Emulation.setTimezoneOverride"));
        assert!(!changes_shared_worker("Runtime.evaluate"));
    }

    #[test]
    fn a_tab_is_meant_by_the_beginning_of_its_address() {
        let table = [
            ("https://mail.example.com/inbox?x#y", "mail.example.com", true),
            ("https://mail.example.com/inbox?x#y", "https://mail.example.com/inbox", true),
            ("https://mail.example.com/inbox?x#y", "Mail.Example.com/inbox", true),
            ("https://mail.example.com/", "mail.example.com/", true),
            ("http://127.0.0.1:8080/a", "127.0.0.1", true),
            ("http://127.0.0.1:8080/a", "127.0.0.1:8080", true),
            ("https://mail.example.com/inbox", "example.com", false),
            ("https://mail.example.com/inbox", "mail.example", false),
            ("https://mail.example.com.evil.net/", "mail.example.com", false),
            ("https://mail.example.com/inbox", "mail.example.com/in", false),
            ("https://mail.example.com/inbox", "http://mail.example.com", false),
            ("https://mail.example.com/inbox", "", false),
            ("https://mail.example.com/inbox", "https://", false),
            ("chrome://settings/", "settings", false),
            ("file:///etc/passwd", "file:///etc/passwd", false),
            ("https://é.example/", "https://e", false),
        ];
        for (url, given, expected) in table {
            assert_eq!(is_meant(url, given), expected, "{url} {given}");
        }
    }
}
