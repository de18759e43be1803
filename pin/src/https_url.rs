//! A URL that secrets may be sent to: `https`, or `http` on a loopback address.

use std::{
    fmt,
    net::{IpAddr, TcpStream},
};

use http::Uri;

/// A URL with a host, and without the name of a user.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HttpsUrl {
    is_tls: bool,
    /// Host with the port, if there is one in the URL.
    authority: String,
    /// Host without the brackets of an IPv6 address.
    host: String,
    port: u16,
    /// Path with the query; `/` at least.
    path: String,
}

impl HttpsUrl {
    /// Reads a URL.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Self, &'static str> {
        let uri: Uri = text.parse().map_err(|_| "it is not a URL")?;
        let is_tls = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("it does not begin with `https://`"),
        };
        let authority = uri.authority().ok_or("it has no host")?;
        if authority.as_str().contains('@') {
            return Err("it contains the name of a user");
        }
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return Err("it has no host");
        }
        if authority.port_u16().is_none() && authority.as_str() != authority.host() {
            return Err("its port is not a number up to 65535");
        }
        if !is_tls && !is_loopback(host) {
            return Err("`http://` is for loopback addresses only: use `https://`");
        }
        let default_port = if is_tls { 443 } else { 80 };
        Ok(Self {
            is_tls,
            authority: authority.as_str().to_owned(),
            host: host.to_owned(),
            port: authority.port_u16().unwrap_or(default_port),
            path: uri.path_and_query().map_or("/", |path| path.as_str()).to_owned(),
        })
    }

    /// Whether the connection is encrypted.
    pub fn is_tls(&self) -> bool {
        self.is_tls
    }

    /// The host, without the brackets of an IPv6 address.
    pub fn host(&self) -> &str {
        &self.host
    }

    /// The port: 443, or 80 without TLS, where the URL has none.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// What a request names in its header `host`.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// `host:port`, with an IPv6 address in brackets.
    pub fn address(&self) -> String {
        match self.host.contains(':') {
            true => format!("[{}]:{}", self.host, self.port),
            false => format!("{}:{}", self.host, self.port),
        }
    }

    /// Path and query.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// Whether it names a server and nothing on it.
    pub fn is_origin(&self) -> bool {
        self.path == "/"
    }

    /// Scheme and server, without a path.
    pub fn origin(&self) -> String {
        let scheme = if self.is_tls { "https" } else { "http" };
        format!("{scheme}://{}", self.authority)
    }

    /// Another path of the same server; `path` begins with a slash.
    #[must_use]
    pub fn with_path(&self, path: &str) -> Self {
        Self { path: path.to_owned(), ..self.clone() }
    }

    /// Refuses a connection that leaves this machine without TLS: `localhost` is a name, which can
    /// resolve to any address.
    ///
    /// # Errors
    /// In words.
    pub fn check_peer(&self, stream: &TcpStream) -> Result<(), &'static str> {
        let is_here = || stream.peer_addr().is_ok_and(|address| address.ip().is_loopback());
        match self.is_tls || is_here() {
            true => Ok(()),
            false => Err("its host is not this machine, and the connection has no TLS"),
        }
    }
}

impl fmt::Display for HttpsUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin(), self.path)
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_url_is_https_or_on_loopback() {
        for (text, address) in [
            ("https://a.example", "a.example:443"),
            ("https://a.example:8443/b?c=d", "a.example:8443"),
            ("https://[2001:db8::1]", "[2001:db8::1]:443"),
            ("http://127.0.0.1:81", "127.0.0.1:81"),
            ("http://[::1]:80/a", "[::1]:80"),
            ("http://localhost", "localhost:80"),
        ] {
            let url = HttpsUrl::parse(text).expect(text);
            assert_eq!(url.address(), address, "{text}");
            assert!(url.to_string().starts_with(text), "{url}");
        }
        for text in [
            "",
            "a.example",
            "/a",
            "ftp://a.example",
            "http://a.example",
            "http://10.0.0.1",
            "http://127.0.0.1.a.example",
            "http://127.0.0.1@a.example",
            "https://a@b.example",
            "https://a.example:99999",
            "https://",
        ] {
            assert!(HttpsUrl::parse(text).is_err(), "{text}");
        }
    }
}
