//! Chromium's command line.

use std::path::Path;

use super::info::{Flavour, Sandbox};
use crate::emulation::identity::Identity;
use crate::error::{Error, Result};

/// Against first-run dialogs, background traffic, throttling of tabs that
/// nobody looks at, and keyrings.
const BASE_ARGUMENTS: &[&str] = &[
    "--remote-debugging-pipe=cbor",
    "--no-first-run",
    "--no-default-browser-check",
    "--no-service-autorun",
    "--no-pings",
    "--disable-background-networking",
    "--disable-background-timer-throttling",
    "--disable-backgrounding-occluded-windows",
    "--disable-renderer-backgrounding",
    "--disable-breakpad",
    "--disable-crash-reporter",
    "--disable-client-side-phishing-detection",
    "--disable-component-update",
    "--disable-component-extensions-with-background-pages",
    "--disable-default-apps",
    "--disable-domain-reliability",
    "--disable-field-trial-config",
    "--disable-hang-monitor",
    "--disable-ipc-flooding-protection",
    "--disable-popup-blocking",
    "--disable-prompt-on-repost",
    "--disable-search-engine-choice-screen",
    "--disable-sync",
    "--metrics-recording-only",
    "--password-store=basic",
    "--use-mock-keychain",
    "--force-color-profile=srgb",
    // Frames of other sites in processes of their own: the default of the full
    // browser, off in the shell.
    "--site-per-process",
    // Keeps WebRTC from going around a proxy. The two spellings are read by
    // the full browser and by the shell.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
];

/// For browsers that nobody looks at: a person wants to hear and to scroll.
const HEADLESS_ARGUMENTS: &[&str] = &["--mute-audio", "--hide-scrollbars"];

/// For browsers that a person looks at.
const HEADED_ARGUMENTS: &[&str] = &[
    "--window-size=1280,900",
    // Whoever holds the pipe may load an extension, and nobody else: ours has
    // the side panel.
    "--enable-unsafe-extension-debugging",
];

/// Features that phone home, that change what a page sees of a navigation, that
/// work ahead, or that put work off. A renderer that each context keeps in
/// reserve is made while its first page loads, and a session of one page never
/// uses it: without it a first load took 43 ms instead of 59 on two cores, one of
/// another site 70 instead of 81. Tasks that are held back after input until the
/// next frame hold back what a receipt tells of: of what pages put off by a timer
/// of no time, 4 of 20 were reported with it and 20 without.
const DISABLED_FEATURES: &[&str] = &[
    "AutofillServerCommunication",
    "CertificateTransparencyComponentUpdater",
    "DeferRendererTasksAfterInput",
    "DestroyProfileOnBrowserClose",
    "DialMediaRouteProvider",
    "GlobalMediaControls",
    "HttpsUpgrades",
    "InterestFeedContentSuggestions",
    "LensOverlay",
    "MediaRouter",
    "OptimizationHints",
    "PaintHolding",
    "SpareRendererForSitePerProcess",
    "Translate",
];

/// Keeps subresources of unrestricted tabs away from the metadata services,
/// in every notation of IPv4. Documents are the guard's.
const METADATA_RESOLVER_RULES: &[&str] = &[
    "MAP 169.254.169.254 ^NOTFOUND",
    "MAP 169.254.170.2 ^NOTFOUND",
    "MAP 169.254.170.23 ^NOTFOUND",
    "MAP 100.100.100.200 ^NOTFOUND",
    "MAP metadata.google.internal ^NOTFOUND",
    "MAP metadata.goog ^NOTFOUND",
];

/// Arguments that would open a door beside the pipe or move the profile.
const FORBIDDEN_ARGUMENTS: &[(&str, &str)] = &[
    ("--remote-debugging-port", "it gives full control to every local user"),
    ("--remote-debugging-address", "it gives full control to every local user"),
    ("--remote-debugging-pipe", "the daemon sets it"),
    ("--user-data-dir", "name the profile in the settings instead"),
];

/// What the command line is made from.
pub(crate) struct ArgumentOptions<'a> {
    pub flavour: Flavour,
    pub profile: &'a Path,
    pub sandbox: &'a Sandbox,
    pub avoid_shared_memory: bool,
    pub identity: Option<&'a Identity>,
    pub page_tools: bool,
    pub extra_arguments: &'a [String],
}

/// The feature with which pages can offer tools.
const PAGE_TOOLS_FEATURE: &str = "WebMCP";

/// The whole command line, ours first so that the user's arguments win.
pub(crate) fn arguments(wanted: &ArgumentOptions<'_>) -> Result<Vec<String>> {
    check_extra_arguments(wanted.extra_arguments)?;
    let mut line: Vec<String> = BASE_ARGUMENTS.iter().map(ToString::to_string).collect();
    line.push(format!("--user-data-dir={}", wanted.profile.display()));
    let headed = wanted.flavour == Flavour::Headed;
    line.extend(
        if headed { HEADED_ARGUMENTS } else { HEADLESS_ARGUMENTS }.iter().map(ToString::to_string),
    );
    if wanted.flavour == Flavour::Headless {
        line.push("--headless".to_owned());
    }
    if wanted.flavour != Flavour::HeadlessShell {
        line.push("--no-startup-window".to_owned());
    }
    if *wanted.sandbox != Sandbox::On {
        line.push("--no-sandbox".to_owned());
    }
    if wanted.avoid_shared_memory {
        line.push("--disable-dev-shm-usage".to_owned());
    }
    line.extend(wanted.identity.into_iter().flat_map(Identity::arguments));
    // Of these only the last one counts, so the user's are merged into ours.
    let mut disabled: Vec<&str> = DISABLED_FEATURES.to_vec();
    let mut enabled: Vec<&str> = Vec::from_iter(wanted.page_tools.then_some(PAGE_TOOLS_FEATURE));
    let mut resolver: Vec<&str> = METADATA_RESOLVER_RULES.to_vec();
    for argument in wanted.extra_arguments {
        if let Some(more) = argument.strip_prefix("--disable-features=") {
            disabled.extend(more.split(',').filter(|name| !name.is_empty()));
        } else if let Some(more) = argument.strip_prefix("--enable-features=") {
            enabled.extend(more.split(',').filter(|name| !name.is_empty()));
        } else if let Some(more) = argument.strip_prefix("--host-resolver-rules=") {
            resolver.push(more);
        } else {
            line.push(argument.clone());
        }
    }
    line.push(format!("--disable-features={}", disabled.join(",")));
    if !enabled.is_empty() {
        line.push(format!("--enable-features={}", enabled.join(",")));
    }
    line.push(format!("--host-resolver-rules={}", resolver.join(",")));
    Ok(line)
}

/// Refuses what would undo the design.
fn check_extra_arguments(extra: &[String]) -> Result<()> {
    for argument in extra {
        let name = argument.split('=').next().unwrap_or_default();
        if let Some((_, reason)) = FORBIDDEN_ARGUMENTS.iter().find(|(refused, _)| *refused == name)
        {
            return Err(Error::InvalidArgument { argument: name.to_owned(), reason });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(extra: &[&str]) -> Result<Vec<String>> {
        line_of(Flavour::Headless, extra)
    }

    fn line_of(flavour: Flavour, extra: &[&str]) -> Result<Vec<String>> {
        let extra: Vec<String> = extra.iter().map(ToString::to_string).collect();
        arguments(&ArgumentOptions {
            flavour,
            profile: Path::new("/p"),
            sandbox: &Sandbox::On,
            avoid_shared_memory: false,
            identity: None,
            page_tools: true,
            extra_arguments: &extra,
        })
    }

    #[test]
    fn the_users_features_join_ours() {
        let own = ["--disable-features=Mine", "--enable-features=Other", "--lang=de"];
        let line = line(&own).expect("accepted");
        assert!(line.contains(&"--enable-features=WebMCP,Other".to_owned()));
        let features: Vec<&String> =
            line.iter().filter(|a| a.starts_with("--disable-features=")).collect();
        assert_eq!(features.len(), 1);
        assert!(features[0].contains("Mine") && features[0].contains("Translate"));
        assert!(line.contains(&"--lang=de".to_owned()));
        assert!(!line.contains(&"--no-sandbox".to_owned()));
    }

    #[test]
    fn a_person_sees_and_hears_the_browser() {
        let has = |flavour, argument: &str| {
            line_of(flavour, &[]).expect("accepted").iter().any(|other| other == argument)
        };
        for argument in ["--headless", "--mute-audio", "--hide-scrollbars"] {
            assert!(has(Flavour::Headless, argument), "{argument}");
            assert!(!has(Flavour::Headed, argument), "{argument}");
        }
    }

    #[test]
    fn the_users_resolver_rules_come_after_ours() {
        let line = line(&["--host-resolver-rules=MAP a b"]).expect("accepted");
        let rules: Vec<&String> =
            line.iter().filter(|a| a.starts_with("--host-resolver-rules=")).collect();
        assert_eq!(rules.len(), 1);
        assert!(rules[0].ends_with(",MAP a b") && rules[0].contains("169.254.169.254"));
    }

    #[test]
    fn a_debugging_port_is_refused() {
        for argument in ["--remote-debugging-port=9222", "--user-data-dir=/x"] {
            assert!(matches!(line(&[argument]), Err(Error::InvalidArgument { .. })), "{argument}");
        }
    }
}
