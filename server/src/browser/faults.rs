//! What the browser says is wrong, as a reason of the contract.

use browse_proto::Reason;

use crate::{
    chromium, engine,
    error::{Error, HINT, LEFT, quote},
};

impl From<chromium::Error> for Error {
    fn from(fault: chromium::Error) -> Self {
        use chromium::Error as Fault;
        let text = fault.to_string();
        match fault {
            Fault::BrowserGone { .. } => Self::new(Reason::BrowserGone, text),
            Fault::TabCrashed => Self::new(Reason::TabCrashed, text),
            Fault::TabClosed => Self::new(Reason::TabNotFound, text),
            Fault::StaleContext | Fault::NoSuchFrame { .. } => {
                Self::new(Reason::RefStale, "the document was left meanwhile")
                    .with(LEFT, "document")
            }
            Fault::NavigationPending { url } => {
                let message = "a navigation waits for its server";
                Self::new(Reason::NavigationPending, message).with("url", url)
            }
            Fault::NavigationFailed { url, error_text } => navigation(&url, &error_text),
            Fault::HostDenied { url, reason } => {
                let metadata = reason.contains("metadata service");
                let kind = if metadata { Reason::AddressDenied } else { Reason::HostDenied };
                Self::new(kind, format!("`{}` is refused: {reason}", quote(&url)))
                    .with("url", url)
                    .with("allowed", "those of this session")
            }
            Fault::HistoryEnd { direction } => {
                let message = format!("the history has no {direction} page");
                Self::new(Reason::HistoryEnd, message)
            }
            Fault::TooLarge { bytes, limit } => Self::new(Reason::TooLarge, text)
                .with("bytes", bytes)
                .with("limit", format!("{limit} bytes")),
            Fault::Script { message } => {
                let quoted = quote(&message);
                Self::new(Reason::ScriptFailed, format!("the script threw `{quoted}`"))
                    .with("exception", message)
            }
            Fault::UnknownKey { key } => {
                Self::new(Reason::KeyUnknown, format!("unknown key `{key}`")).with("key", key)
            }
            Fault::NotFound { hint } => {
                Self::new(Reason::BrowserMissing, "no Chromium is installed").with("install", hint)
            }
            Fault::LaunchFailed { stderr, .. } => {
                let said = stderr.last().map(|line| format!("; it said `{}`", quote(line)));
                Self::new(Reason::BrowserLaunchFailed, text + &said.unwrap_or_default())
            }
            Fault::Unusable { .. } | Fault::BadArgument { .. } | Fault::System { .. } => {
                Self::new(Reason::BrowserLaunchFailed, text)
            }
            Fault::ImageTooLarge { .. } => Self::new(Reason::ImageRefused, text),
            Fault::Protocol { method, message } => {
                let message = format!("`{method}`: {}", quote(&message));
                Self::new(Reason::Bug, message).with("method", method)
            }
        }
    }
}

/// The error of a navigation to `asked`, which names the target of a redirect where
/// that is what failed.
pub fn of_navigation(fault: chromium::Error, asked: &str) -> Error {
    let address = |url: &str| {
        url::Url::parse(url).ok().map(|mut url| {
            url.set_fragment(None);
            url
        })
    };
    let target = match &fault {
        chromium::Error::NavigationFailed { url, .. } if address(url) != address(asked) => {
            format!(": a redirect led to `{}`", quote(url))
        }
        _ => String::new(),
    };
    Error::from(fault).and(&target)
}

/// Names the cause of a failed navigation in words; Chromium's own name goes
/// into the metadata.
fn navigation(url: &str, code: &str) -> Error {
    let code = code.trim_start_matches("net::");
    let host = url::Url::parse(url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let host = host.unwrap_or_else(|| url.to_owned());
    let handshake = HANDSHAKE.contains(&code);
    if code.starts_with("ERR_CERT_") || code.starts_with("ERR_SSL_") && !handshake {
        let message = format!("the certificate of `{host}` is not valid ({code})");
        return Error::new(Reason::CertificateInvalid, message).with("url", url).with("code", code);
    }
    let cause = match code {
        "ERR_NAME_NOT_RESOLVED" => format!("the host `{host}` is unknown"),
        "ERR_CONNECTION_REFUSED" => format!("`{host}` refused the connection"),
        "ERR_INTERNET_DISCONNECTED" | "ERR_NETWORK_CHANGED" | "ERR_ADDRESS_UNREACHABLE" => {
            format!("`{host}` cannot be reached")
        }
        "ERR_CONNECTION_TIMED_OUT" | "ERR_TIMED_OUT" => format!("`{host}` did not answer"),
        "ERR_EMPTY_RESPONSE" | "ERR_CONNECTION_RESET" | "ERR_CONNECTION_CLOSED" => {
            format!("`{host}` broke the connection")
        }
        "ERR_ABORTED" => format!("the navigation to `{host}` was given up"),
        "ERR_TOO_MANY_REDIRECTS" => format!("`{host}` redirects in a circle"),
        "ERR_UNSAFE_REDIRECT" => {
            format!("`{host}` redirects to an address that pages may not open")
        }
        "ERR_UNSAFE_PORT" => format!("the port of `{host}` is one that browsers never open"),
        _ if handshake => format!("`{host}` does not speak TLS there as browsers do"),
        _ => format!("`{host}` did not load"),
    };
    let message = format!("{cause} ({code})");
    let error = Error::new(Reason::NavigationFailed, message).with("url", url).with("code", code);
    let error = match code {
        "ERR_UNSAFE_PORT" => error.with(HINT, "Serve the page on another port"),
        _ if handshake => error.with(HINT, "If the server has no TLS, write `http://`"),
        _ => error,
    };
    // SDKs take a code of gRPC that says `UNAVAILABLE` for worth another try.
    if PASSING.contains(&code) { error } else { error.with("retryable", false) }
}

/// The server never came to show a certificate.
const HANDSHAKE: [&str; 2] = ["ERR_SSL_PROTOCOL_ERROR", "ERR_SSL_VERSION_OR_CIPHER_MISMATCH"];

/// What goes by: the same address may open later. The others are about the
/// address itself, or about what its server sends.
const PASSING: [&str; 16] = [
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

impl From<engine::Error> for Error {
    fn from(fault: engine::Error) -> Self {
        match fault {
            engine::Error::Browser(fault) => fault.into(),
            engine::Error::Refused { kind, message, metadata } => {
                let reason = Reason::by_name(kind.reason()).unwrap_or(Reason::Bug);
                let error = Self::new(reason, crate::content::clean(&message));
                metadata.into_iter().fold(error, |error, (key, value)| error.with(key, value))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::navigation;

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
            let error = navigation("http://a.example/", code);
            let said = error.metadata().get("retryable").map(String::as_str);
            assert_eq!(said, final_.then_some("false"), "{code}");
        }
    }
}
