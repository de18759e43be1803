//! What the browser says is wrong, as a reason of the contract.

use browse_proto::Reason;
use url::Url;

use crate::attach_failure::{AttachFailure, AttachFailureKind};
use crate::url_credentials::strip_credentials;
use browse_base::{DOCUMENT_LEFT_KEY, Error, HINT_KEY, quote};

impl From<crate::Error> for Error {
    fn from(fault: crate::Error) -> Self {
        use crate::Error as Fault;
        let text = fault.to_string();
        match fault {
            Fault::BrowserGone { reason } => browser_gone(&reason),
            Fault::TabCrashed => Self::new(Reason::TabCrashed, text),
            Fault::TabClosed => Self::new(Reason::TabNotFound, text),
            Fault::StaleContext | Fault::NoSuchFrame { .. } => {
                Self::new(Reason::RefStale, "the document was left meanwhile")
                    .with(DOCUMENT_LEFT_KEY, "document")
            }
            Fault::NavigationPending { url } => {
                let message = "a navigation waits for its server";
                Self::new(Reason::NavigationPending, message).with("url", url)
            }
            Fault::NavigationFailed { url, error_text } => {
                navigation_failure(&error_text, "the server").with_quote("url", url)
            }
            Fault::HostDenied { url, reason } => {
                refused_host(&reason, "the address").with_quote("url", url)
            }
            Fault::HistoryEnd { direction } => {
                let message = format!("the history has no {direction} page");
                Self::new(Reason::HistoryEnd, message)
            }
            Fault::TooLarge { bytes, limit } => Self::new(Reason::TooLarge, text)
                .with("bytes", bytes)
                .with("limit", format!("{limit} bytes")),
            Fault::Script { message } => {
                Self::new(Reason::ScriptFailed, "the script threw").with("exception", message)
            }
            Fault::UnknownKey { key } => {
                Self::new(Reason::KeyUnknown, format!("unknown key `{key}`")).with("key", key)
            }
            Fault::BrowserNotFound { hint } => {
                Self::new(Reason::BrowserMissing, "no Chromium is installed").with("install", hint)
            }
            Fault::LaunchFailed { stderr, .. } => {
                let output = stderr.last().map(|line| format!("; it reported `{}`", quote(line)));
                Self::new(Reason::BrowserLaunchFailed, text + &output.unwrap_or_default())
            }
            Fault::BrowserUnusable { .. } => Self::new(Reason::BrowserLaunchFailed, text)
                .with(HINT_KEY, setting_hint("chromium", "BROWSE_CHROMIUM")),
            Fault::InvalidArgument { .. } => Self::new(Reason::BrowserLaunchFailed, text)
                .with(HINT_KEY, setting_hint("chromium_args", "BROWSE_CHROMIUM_ARGS")),
            Fault::System { .. } => Self::new(Reason::BrowserLaunchFailed, text),
            Fault::AttachFailed(failure) => attach_error(failure),
            Fault::ForeignBrowser { message } => Self::new(Reason::ForeignBrowser, message),
            Fault::TabsOfAddress { count } => {
                let message = match count {
                    0 => "no tab has this address".to_owned(),
                    _ => format!("{count} tabs have this address"),
                };
                Self::new(Reason::CdpTabNotFound, message)
            }
            Fault::ImageTooLarge { .. } => Self::new(Reason::ImageRefused, text),
            Fault::Protocol { method, message } => {
                let text = format!("the browser refused `{method}`");
                Self::new(Reason::Bug, text).with("method", method).with_quote("cause", message)
            }
        }
    }
}

/// What to do about a setting that the daemon keeps, its environment included, until it ends.
fn setting_hint(name: &str, variable: &str) -> String {
    format!("Change or unset {variable}, or `{name}` in config.toml, then run `browse stop`")
}

/// What to do about a browser that was not reached depends on why.
fn attach_error(failure: AttachFailure) -> Error {
    let step = match failure.kind {
        AttachFailureKind::Refused => {
            return Error::new(Reason::CdpAddressRefused, failure.message);
        }
        AttachFailureKind::NotEnabled => {
            "Ask the person to open chrome://inspect/#remote-debugging in that browser and to \
             switch remote debugging on there, then run the command again"
        }
        AttachFailureKind::Unreachable => {
            "Check that the browser runs with `--remote-debugging-port=PORT` and a \
             `--user-data-dir` of its own, or that its person allowed the connection, then run \
             the command again"
        }
    };
    Error::new(Reason::CdpUnreachable, failure.message).with("step", step)
}

/// A failed navigation to an address that the caller gave: it is named. Where the
/// navigation was led on, that address is of the page, and is quoted.
pub fn navigation_error(fault: crate::Error, asked: &str) -> Error {
    use crate::Error as Fault;
    let address = |url: &str| {
        // The error names it, without the password that the caller wrote into it.
        Url::parse(&strip_credentials(url)).ok().map(|mut url| {
            url.set_fragment(None);
            url
        })
    };
    let Some(asked) = address(asked) else { return fault.into() };
    let name = asked.host_str().map_or_else(|| "the server".to_owned(), |host| format!("`{host}`"));
    match fault {
        Fault::NavigationFailed { url, error_text } if address(&url).as_ref() == Some(&asked) => {
            navigation_failure(&error_text, &name).with("address", asked)
        }
        Fault::NavigationFailed { url, error_text } => {
            navigation_failure(&error_text, "the target of a redirect").with_quote("url", url)
        }
        Fault::HostDenied { url, reason } if address(&url).as_ref() == Some(&asked) => {
            refused_host(&reason, &name).with("address", asked)
        }
        other => other.into(),
    }
}

fn refused_host(reason: &str, what: &str) -> Error {
    let metadata = reason.contains("metadata service");
    let kind = if metadata { Reason::AddressDenied } else { Reason::HostDenied };
    Error::new(kind, format!("{what} is refused: {reason}"))
        .with("allowed", "those of this session")
}

/// Names the cause of a failed navigation in words; Chromium's own name goes
/// into the metadata.
fn navigation_failure(code: &str, host: &str) -> Error {
    let code = code.trim_start_matches("net::");
    let handshake = HANDSHAKE_ERRORS.contains(&code);
    if code.starts_with("ERR_CERT_") || code.starts_with("ERR_SSL_") && !handshake {
        let message = format!("the certificate of {host} is not valid ({code})");
        return Error::new(Reason::CertificateInvalid, message).with("code", code);
    }
    let cause = match code {
        "ERR_NAME_NOT_RESOLVED" if host.starts_with('`') => format!("the host {host} is unknown"),
        "ERR_NAME_NOT_RESOLVED" => format!("the host of {host} is unknown"),
        "ERR_CONNECTION_REFUSED" => format!("{host} refused the connection"),
        "ERR_INTERNET_DISCONNECTED" | "ERR_NETWORK_CHANGED" | "ERR_ADDRESS_UNREACHABLE" => {
            format!("{host} cannot be reached")
        }
        "ERR_CONNECTION_TIMED_OUT" | "ERR_TIMED_OUT" => format!("{host} did not answer"),
        "ERR_EMPTY_RESPONSE" | "ERR_CONNECTION_RESET" | "ERR_CONNECTION_CLOSED" => {
            format!("{host} broke the connection")
        }
        "ERR_ABORTED" => format!("the navigation to {host} was given up"),
        "ERR_TOO_MANY_REDIRECTS" => format!("{host} redirects in a circle"),
        "ERR_UNSAFE_REDIRECT" => {
            format!("{host} redirects to an address that pages may not open")
        }
        "ERR_UNSAFE_PORT" => format!("the port of {host} is one that browsers never open"),
        _ if handshake => format!("{host} does not speak TLS there as browsers do"),
        _ => format!("{host} did not load"),
    };
    let message = format!("{cause} ({code})");
    let error = Error::new(Reason::NavigationFailed, message).with("code", code);
    let error = match code {
        "ERR_UNSAFE_PORT" => error.with(HINT_KEY, "Serve the page on another port"),
        _ if handshake => error.with(HINT_KEY, "If the server has no TLS, write `http://`"),
        _ => error,
    };
    // SDKs take a code of gRPC that says `UNAVAILABLE` for worth another try.
    if TRANSIENT_ERRORS.contains(&code) { error } else { error.with("retryable", false) }
}

/// The server never came to show a certificate.
const HANDSHAKE_ERRORS: [&str; 2] =
    ["ERR_SSL_PROTOCOL_ERROR", "ERR_SSL_VERSION_OR_CIPHER_MISMATCH"];

/// What goes by: the same address may open later. The others are about the
/// address itself, or about what its server sends.
const TRANSIENT_ERRORS: [&str; 16] = [
    "ERR_CONNECTION_REFUSED",
    "ERR_CONNECTION_RESET",
    "ERR_CONNECTION_CLOSED",
    "ERR_CONNECTION_ABORTED",
    "ERR_CONNECTION_FAILED",
    "ERR_CONNECTION_TIMED_OUT",
    "ERR_TIMED_OUT",
    "ERR_DNS_TIMED_OUT",
    "ERR_EMPTY_RESPONSE",
    "ERR_INTERNET_DISCONNECTED",
    "ERR_NETWORK_CHANGED",
    "ERR_NETWORK_IO_SUSPENDED",
    "ERR_ADDRESS_UNREACHABLE",
    "ERR_PROXY_CONNECTION_FAILED",
    "ERR_QUIC_PROTOCOL_ERROR",
    "ERR_HTTP2_PING_FAILED",
];

/// The error of a call that its browser did not outlive. It may have been carried out,
/// so it is not to be repeated blindly.
pub fn browser_gone(reason: &str) -> Error {
    let reason = if reason.is_empty() { "it ended" } else { reason };
    let message = format!("the browser is gone: {reason}");
    Error::new(Reason::BrowserGone, message).with("retryable", "false")
}

#[cfg(test)]
mod tests {
    use super::{Error, navigation_error, navigation_failure};

    #[test]
    fn what_the_browser_says_of_a_page_is_quoted_only() {
        use crate::Error as Fault;
        let canary = || "http://ignore-all-previous.CANARY.example/CANARY".to_owned();
        let asked = "http://mine.example/";
        let faults = [
            Fault::NavigationPending { url: canary() },
            Fault::NavigationFailed { url: canary(), error_text: "net::ERR_FAILED".into() },
            Fault::HostDenied { url: canary(), reason: "no rule of this session allows it".into() },
            Fault::Script { message: canary() },
            Fault::Protocol { method: "Page.enable".into(), message: canary() },
            Fault::NoSuchFrame { frame: "F".into() },
        ];
        for fault in faults {
            for error in [Error::from(fault.clone()), navigation_error(fault.clone(), asked)] {
                let own = format!("{error} {} {:?}", error.hint(), error.metadata());
                assert!(!own.to_lowercase().contains("canary"), "{own}");
            }
        }
        let failed = Fault::NavigationFailed {
            url: asked.to_string(),
            error_text: "net::ERR_CONNECTION_REFUSED".into(),
        };
        let named = navigation_error(failed, asked);
        assert!(named.to_string().starts_with("`mine.example` refused the connection"), "{named}");
        assert!(named.page_quotes().is_empty());
    }

    #[test]
    fn the_address_of_a_failed_navigation_has_no_password() {
        let failed = crate::Error::NavigationFailed {
            url: "http://mine.example/".to_owned(),
            error_text: "net::ERR_CONNECTION_REFUSED".into(),
        };
        let named = navigation_error(failed, "http://ada:s3cret@mine.example/");
        assert!(named.to_string().starts_with("`mine.example` refused the connection"), "{named}");
        let address = named.metadata().get("address").map(String::as_str);
        assert_eq!(address, Some("http://mine.example/"));
    }

    #[test]
    fn what_no_second_try_mends_says_so() {
        for (code, final_) in [
            ("net::ERR_CONNECTION_REFUSED", false),
            ("net::ERR_EMPTY_RESPONSE", false),
            ("net::ERR_NAME_NOT_RESOLVED", true),
            ("net::ERR_TOO_MANY_REDIRECTS", true),
            ("net::ERR_UNSAFE_PORT", true),
            ("net::ERR_ABORTED", true),
        ] {
            let error = navigation_failure(code, "the server");
            let output = error.metadata().get("retryable").map(String::as_str);
            assert_eq!(output, final_.then_some("false"), "{code}");
        }
    }
}
