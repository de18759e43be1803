//! The host that a note is about.

use std::fmt;

use browse_proto::Reason;
use url::Url;

use browse_base::{Error, Result};

/// A host: lower case, without `www.`, port and final dot; other subdomains
/// are hosts of their own.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct NoteHost(String);

impl NoteHost {
    /// The host of an address of the web; none for any other.
    pub fn from_url(url: &Url) -> Option<Self> {
        if !matches!(url.scheme(), "http" | "https") {
            return None;
        }
        let host = url.host_str()?.trim_end_matches('.').to_ascii_lowercase();
        // `www.com` is a host and not a prefix.
        let bare = host.strip_prefix("www.").filter(|rest| rest.contains('.'));
        let host = bare.map_or(host.clone(), str::to_owned);
        (!host.is_empty()).then_some(Self(host))
    }

    /// The host that a caller wrote, as such or as an address.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`.
    pub fn parse(text: &str, command: &str) -> Result<Self> {
        let trimmed = text.trim();
        let address = match trimmed.contains("://") {
            true => trimmed.to_owned(),
            false => format!("https://{trimmed}/"),
        };
        let url = Url::parse(&address).ok().filter(|url| url.username().is_empty());
        url.as_ref().and_then(Self::from_url).ok_or_else(|| {
            let message = format!("`{}` is not a host", text.escape_debug());
            Error::new(Reason::ArgumentInvalid, message).with("command", command)
        })
    }

    /// As text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The address of its front page, for what asks for one.
    pub fn url(&self) -> Option<Url> {
        Url::parse(&format!("https://{}/", self.0)).ok()
    }
}

impl fmt::Display for NoteHost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_normalised_and_subdomains_exact() {
        for (url, host) in [
            ("https://Shop.Example:8443/a?b#c", Some("shop.example")),
            ("http://www.shop.example./", Some("shop.example")),
            ("https://www.com/", Some("www.com")),
            ("https://m.shop.example/", Some("m.shop.example")),
            ("https://Bücher.example/", Some("xn--bcher-kva.example")),
            ("http://127.0.0.1:81/", Some("127.0.0.1")),
            ("http://[::1]/", Some("[::1]")),
            ("about:blank", None),
            ("data:text/html,x", None),
            ("file:///etc/hosts", None),
            ("blob:https://shop.example/1", None),
            ("chrome-error://chromewebdata/", None),
        ] {
            let found = NoteHost::from_url(&Url::parse(url).expect(url));
            assert_eq!(found.as_ref().map(NoteHost::as_str), host, "{url}");
        }
    }

    #[test]
    fn callers_write_hosts_or_addresses() {
        let named = |text| NoteHost::parse(text, "context").map(|host| host.to_string());
        assert_eq!(named(" WWW.Shop.example:80 ").expect("a host"), "shop.example");
        assert_eq!(named("https://shop.example/cart").expect("an address"), "shop.example");
        for text in ["", " ", "a b", "user@shop.example", "../x", "file:///x"] {
            let refused = named(text).map_err(|error| error.reason());
            assert_eq!(refused, Err(Reason::ArgumentInvalid), "{text}");
        }
    }
}
