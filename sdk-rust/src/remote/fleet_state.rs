//! What the file of a fleet holds, as `browse login` writes it.

use std::net::{IpAddr, Ipv6Addr};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::json::Json;

/// Seconds before its end in which a token is renewed.
const RENEWAL_TIME_S: i64 = 30;

/// Bytes of a token that is accepted.
const MAX_TOKEN_BYTES: usize = 16 << 10;

/// A fleet that was signed in to.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FleetState {
    /// Where its gateway is.
    pub origin: GatewayOrigin,
    /// A file with certificate authorities that count beside those of this machine.
    pub ca: Option<String>,
    /// The token.
    pub token: String,
    /// When it ends, in seconds since 1970, where that is known.
    pub expires_at: Option<i64>,
    /// Whether the issuer gives another one.
    pub is_renewable: bool,
}

/// The URL of a gateway, without a path: `https`, or `http` on a loopback address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct GatewayOrigin {
    /// Whether connections are encrypted.
    pub is_tls: bool,
    /// Host, with the port where the URL has one: what a request names.
    pub authority: String,
    /// Host without the brackets of an IPv6 address.
    pub host: String,
    /// `host:port`.
    pub address: String,
}

impl FleetState {
    /// Reads the document of a file; `None` when it is damaged.
    pub fn parse(document: &Json) -> Option<Self> {
        let text = |key| document.get(key)?.as_str().filter(|text| !text.is_empty());
        let token = text("token").filter(|token| is_bearer_token(token))?;
        let is_renewable = text("refresh_token").is_some();
        if is_renewable && (text("issuer").is_none() || text("client_id").is_none()) {
            return None;
        }
        Some(Self {
            origin: GatewayOrigin::parse(text("url")?)?,
            ca: text("ca").map(str::to_owned),
            token: token.to_owned(),
            expires_at: document["expires_at"].as_i64().filter(|at| *at >= 0),
            is_renewable,
        })
    }

    /// Whether the token has ended, or is about to.
    pub fn is_due(&self) -> bool {
        self.expires_at.is_some_and(|at| at <= unix_time() + RENEWAL_TIME_S)
    }

    /// Whether the token has ended.
    pub fn has_ended(&self) -> bool {
        self.expires_at.is_some_and(|at| at <= unix_time())
    }

    /// The command that signs in again, under the same name.
    pub fn login_command(&self, name: &str) -> String {
        let scheme = if self.origin.is_tls { "https" } else { "http" };
        let command = format!("browse login {scheme}://{} --name {name}", self.origin.authority);
        match &self.ca {
            Some(ca) => format!("{command} --ca {ca}"),
            None => command,
        }
    }
}

impl GatewayOrigin {
    fn parse(url: &str) -> Option<Self> {
        let (scheme, rest) = url.split_once("://")?;
        let is_tls = scheme.eq_ignore_ascii_case("https");
        if !is_tls && !scheme.eq_ignore_ascii_case("http") {
            return None;
        }
        let authority = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match authority.strip_prefix('[') {
            Some(rest) => {
                let (host, rest) = rest.split_once(']')?;
                host.parse::<Ipv6Addr>().ok()?;
                (host, if rest.is_empty() { None } else { Some(rest.strip_prefix(':')?) })
            }
            None => match authority.split_once(':') {
                Some((host, port)) => (host, Some(port)),
                None => (authority, None),
            },
        };
        let is_other = |letter: char| letter.is_whitespace() || "/?#@\\[]".contains(letter);
        let is_name = !host.is_empty() && !host.contains(is_other);
        if !is_name || !(is_tls || is_loopback(host)) {
            return None;
        }
        let usual_port = if is_tls { 443 } else { 80 };
        let port = match port {
            None => usual_port,
            Some(digits) => {
                let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
                digits.parse::<u16>().ok().filter(|_| plain)?
            }
        };
        let address = match host.contains(':') {
            true => format!("[{host}]:{port}"),
            false => format!("{host}:{port}"),
        };
        let (authority, host) = (authority.to_owned(), host.to_owned());
        Some(Self { is_tls, authority, host, address })
    }
}

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

/// Whether a header can carry it as the token of a caller.
fn is_bearer_token(text: &str) -> bool {
    (1..=MAX_TOKEN_BYTES).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_graphic())
}

/// Seconds since 1970.
fn unix_time() -> i64 {
    let time = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(time.as_secs()).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn document(changes: &[(&str, Json)]) -> Json {
        let members = [
            ("kind", "fleet"),
            ("url", "https://browse.example.com:8443/"),
            ("token", "a.b.c"),
            ("issuer", "https://login.example.com"),
            ("client_id", "browse-cli"),
            ("refresh_token", "r"),
        ]
        .map(|(name, text)| (name.to_owned(), Json::from(text)));
        let mut members = Vec::from(members);
        for (name, value) in changes {
            members.retain(|(known, _)| known != name);
            members.push(((*name).to_owned(), value.clone()));
        }
        Json::object(members)
    }

    #[test]
    fn a_file_that_is_damaged_is_no_fleet() {
        let whole = FleetState::parse(&document(&[("new", 1.into())])).expect("it is whole");
        assert_eq!(whole.origin.address, "browse.example.com:8443");
        assert_eq!(whole.origin.authority, "browse.example.com:8443");
        assert!(whole.is_renewable && !whole.is_due() && whole.ca.is_none());
        let login = "browse login https://browse.example.com:8443 --name a";
        assert_eq!(whole.login_command("a"), login);
        for (name, value) in [
            ("url", Json::from("http://browse.example.com")),
            ("url", "https://browse.example.com/path".into()),
            ("url", "https://a@b.example".into()),
            ("url", "https://a.example:99999".into()),
            ("url", "https://".into()),
            ("url", "a.example".into()),
            ("token", "".into()),
            ("token", "a\nb".into()),
            ("token", "ü".into()),
            ("token", "x".repeat(20_000).into()),
            ("token", 7.into()),
            ("issuer", Json::Null),
            ("client_id", "".into()),
        ] {
            let damaged = document(&[(name, value.clone())]);
            assert_eq!(FleetState::parse(&damaged), None, "{name}: {value}");
        }
    }

    #[test]
    fn a_url_is_https_or_on_loopback() {
        for (url, address, authority) in [
            ("https://a.example", "a.example:443", "a.example"),
            ("https://[2001:db8::1]", "[2001:db8::1]:443", "[2001:db8::1]"),
            ("http://127.0.0.1:81", "127.0.0.1:81", "127.0.0.1:81"),
            ("http://[::1]:80/", "[::1]:80", "[::1]:80"),
            ("http://localhost", "localhost:80", "localhost"),
        ] {
            let origin = GatewayOrigin::parse(url).expect(url);
            assert_eq!((&*origin.address, &*origin.authority), (address, authority));
        }
        for url in ["http://10.0.0.1", "http://127.0.0.1.a.example", "http://127.0.0.1@a.example"] {
            assert_eq!(GatewayOrigin::parse(url), None, "{url}");
        }
    }

    #[test]
    fn a_token_is_due_before_it_ends() {
        let state = |seconds: i64| {
            let end = Json::Int(unix_time() + seconds);
            FleetState::parse(&document(&[("expires_at", end)])).expect("it is whole")
        };
        assert!(!state(600).is_due());
        assert!(state(20).is_due() && !state(20).has_ended());
        assert!(state(-1).has_ended());
        let command = FleetState { ca: Some("/ca.pem".to_owned()), ..state(1) }.login_command("a");
        assert!(command.ends_with("--name a --ca /ca.pem"), "{command}");
    }
}
