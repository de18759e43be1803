//! The address at which clients reach the gateway: that of the settings, else the one that the
//! caller called.

use browse_base::{Error, HINT_KEY, Result};
use browse_proto::Reason;
use http::{HeaderMap, Uri, header, uri::Authority};

/// How a proxy in front of the gateway reports that its client came by TLS.
const PROTOCOL_HEADER: &str = "x-forwarded-proto";

/// The URL at which clients reach the gateway.
#[derive(Clone, Debug, Default)]
pub struct GatewayUrl {
    /// Such as `https://browse.example.com`.
    configured: Option<String>,
    /// Whether the listener for clients has TLS.
    has_tls: bool,
}

impl GatewayUrl {
    /// The address of the setting `public_url`, if that is set.
    ///
    /// # Errors
    /// `SETTING_INVALID`: it is not an `http` or `https` URL, or has a query.
    pub fn new(url: Option<&str>, has_tls: bool) -> Result<Self> {
        let configured = url.map(|url| base_url(url).ok_or_else(|| invalid(url)));
        Ok(Self { configured: configured.transpose()?, has_tls })
    }

    /// The URL for the caller of a request, without a `/` at its end. None where the request
    /// names no host. What the caller says of itself counts for its own answer alone.
    pub fn for_caller(&self, uri: &Uri, headers: &HeaderMap) -> Option<String> {
        if let Some(address) = &self.configured {
            return Some(address.clone());
        }
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let called = uri.authority().map(Authority::as_str);
        let authority: Authority = called.or_else(|| text(header::HOST.as_str()))?.parse().ok()?;
        let is_tls = self.has_tls
            || text(PROTOCOL_HEADER).is_some_and(|name| name.eq_ignore_ascii_case("https"));
        let scheme = if is_tls { "https" } else { "http" };
        (!authority.as_str().contains('@')).then(|| format!("{scheme}://{authority}"))
    }

    /// The same for WebSockets: `wss` for `https`, and `ws` for `http`.
    pub fn websocket_for_caller(&self, uri: &Uri, headers: &HeaderMap) -> Option<String> {
        let url = self.for_caller(uri, headers)?;
        url.strip_prefix("http").map(|rest| format!("ws{rest}"))
    }
}

/// The URL without a `/` at its end, if it is one of HTTP without a query.
fn base_url(url: &str) -> Option<String> {
    let parsed: Uri = url.parse().ok()?;
    let scheme = parsed.scheme_str().filter(|scheme| matches!(*scheme, "http" | "https"))?;
    let authority = parsed.authority().filter(|authority| !authority.as_str().contains('@'))?;
    let path = parsed.path().trim_end_matches('/');
    parsed.query().is_none().then(|| format!("{scheme}://{authority}{path}"))
}

fn invalid(url: &str) -> Error {
    let message = format!("`public_url` is `{}`, not the URL of the gateway", url.escape_debug());
    Error::new(Reason::SettingInvalid, message)
        .with("setting", "public_url")
        .with("place", "the settings of the gateway")
        .with(HINT_KEY, "Set a URL such as `https://browse.example.com`")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn called(url: &GatewayUrl, uri: &str, headers: &[(&'static str, &str)]) -> String {
        let pair = |(name, value): &(&'static str, &str)| {
            (http::HeaderName::from_static(name), value.parse().expect("a header"))
        };
        let headers = headers.iter().map(pair).collect();
        url.websocket_for_caller(&uri.parse().expect("a URI"), &headers).unwrap_or_default()
    }

    #[test]
    fn the_address_is_that_of_the_settings_else_the_one_that_was_called() {
        let set = GatewayUrl::new(Some("https://browse.example.com/"), false).expect("a URL");
        assert_eq!(called(&set, "/a", &[("host", "other")]), "wss://browse.example.com");
        let below = GatewayUrl::new(Some("http://a.test:8080/fleet"), false).expect("a URL");
        assert_eq!(called(&below, "/a", &[]), "ws://a.test:8080/fleet");
        let open = GatewayUrl::default();
        assert_eq!(called(&open, "/a", &[("host", "127.0.0.1:80")]), "ws://127.0.0.1:80");
        assert_eq!(called(&open, "http://gate.test/a", &[("host", "other")]), "ws://gate.test");
        let proxied = [("host", "gate.test"), ("x-forwarded-proto", "https")];
        assert_eq!(called(&open, "/a", &proxied), "wss://gate.test");
        let tls = GatewayUrl::new(None, true).expect("nothing is set");
        assert_eq!(called(&tls, "/a", &[("host", "gate.test")]), "wss://gate.test");
        assert_eq!(called(&open, "/a", &[]), "");
        assert_eq!(called(&open, "/a", &[("host", "a@gate.test")]), "");
        let (uri, none) = (Uri::from_static("/a"), HeaderMap::new());
        assert_eq!(set.for_caller(&uri, &none).as_deref(), Some("https://browse.example.com"));
        assert_eq!(below.for_caller(&uri, &none).as_deref(), Some("http://a.test:8080/fleet"));
    }

    #[test]
    fn what_is_not_the_url_of_a_gateway_is_refused() {
        for url in ["browse.example.com", "ftp://a.test", "https://a@b.test", "https://a.test/?b"] {
            let error = GatewayUrl::new(Some(url), false).expect_err(url);
            assert_eq!(error.reason(), Reason::SettingInvalid, "{url}");
        }
    }
}
