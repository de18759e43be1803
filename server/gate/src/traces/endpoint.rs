//! Where a collector takes spans.

use std::fmt;

use http::Uri;

/// The path of traces below the base URL of a collector.
const TRACES_PATH: &str = "/v1/traces";

/// The URL of a collector, with the path of traces.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectorUrl {
    /// Whether the connection is encrypted.
    pub is_tls: bool,
    /// Host with the port, if there is one in the URL.
    pub authority: String,
    /// Host without the brackets of an IPv6 address.
    pub host: String,
    /// The port.
    pub port: u16,
    /// The path of traces.
    pub path: String,
}

impl CollectorUrl {
    /// Reads the base URL of a collector. `http://` is accepted for every host: a collector in the
    /// cluster often has no certificate, and nothing secret is sent.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let uri: Uri = text.parse().map_err(|_| "it is not a URL")?;
        let is_tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("it begins with neither `http://` nor `https://`"),
        };
        let authority = uri.authority().ok_or("it has no host")?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return Err("it has no host");
        }
        if authority.as_str().contains('@') {
            return Err("it contains the name of a user");
        }
        if authority.port_u16().is_none() && authority.as_str() != authority.host() {
            return Err("its port is not a number up to 65535");
        }
        if uri.query().is_some() {
            return Err("it has a query");
        }
        Ok(Self {
            is_tls,
            authority: authority.as_str().to_owned(),
            host: host.to_owned(),
            port: authority.port_u16().unwrap_or(if is_tls { 443 } else { 80 }),
            path: format!("{}{TRACES_PATH}", uri.path().trim_end_matches('/')),
        })
    }
}

impl fmt::Display for CollectorUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_tls { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority, self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_path_of_traces_is_added_to_a_base_url() {
        for (text, shown, port) in [
            ("http://collector:4318", "http://collector:4318/v1/traces", 4318),
            ("https://otlp.example/", "https://otlp.example/v1/traces", 443),
            ("http://[::1]/a/b/", "http://[::1]/a/b/v1/traces", 80),
        ] {
            let endpoint = CollectorUrl::parse(text).expect(text);
            assert_eq!((endpoint.to_string().as_str(), endpoint.port), (shown, port), "{text}");
        }
        assert_eq!(CollectorUrl::parse("http://[::1]:1").expect("it is whole").host, "::1");
        for text in [
            "",
            "collector",
            "/v1/traces",
            "grpc://collector:4317",
            "http://a@collector",
            "http://collector:99999",
            "http://collector?a=b",
        ] {
            assert!(CollectorUrl::parse(text).is_err(), "{text}");
        }
    }
}
