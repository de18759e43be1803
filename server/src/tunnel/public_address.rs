//! Finds the public address in what a tunnel prints.

use std::net::SocketAddr;

use super::PeerAuthentication;

/// Where agents reach a tunnel.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TunnelAddress {
    /// `host:port`.
    pub address: String,
    /// By what they know the daemon behind it.
    pub peer_authentication: PeerAuthentication,
}

/// What a program has printed about its address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum DetectedAddress {
    /// It has TLS, and this is it.
    Public(TunnelAddress),
    /// It is one of plain HTTP, `host:port`: no token may go there.
    Plain(String),
}

/// Schemes of addresses, with the port that goes without saying. What carries
/// bytes leaves TLS to us; what carries HTTP ends it, or has none.
const SCHEMES: [(&str, Option<u16>, Option<PeerAuthentication>); 4] = [
    ("https://", Some(443), Some(PeerAuthentication::SessionKey)),
    ("tls://", Some(443), Some(PeerAuthentication::Pin)),
    ("tcp://", None, Some(PeerAuthentication::Pin)),
    ("http://", Some(80), None),
];

/// The first address in `line` that is nothing but a host and a port: what has
/// a path is a page that the program speaks of. The listener itself does not
/// count either, nor does a plain one of this machine: it is a page for its
/// user. One with TLS goes before one without.
///
/// Where a program marks it, as ngrok does, it stands behind `mark`.
pub fn find_address(line: &str, listener: SocketAddr, mark: &str) -> Option<DetectedAddress> {
    let line = strip_ansi(line);
    let mut starts: Vec<_> = SCHEMES
        .iter()
        .flat_map(|scheme| line.match_indices(scheme.0).map(move |(at, _)| (at, scheme)))
        .collect();
    starts.sort_by_key(|(at, _)| *at);
    let mut plain = None;
    for (at, (scheme, port, trust)) in starts {
        let found = leading_authority(&line[at + scheme.len()..]);
        let Some(address) = found.and_then(|found| normalize_authority(found, *port)) else {
            continue;
        };
        let before = &line[..at];
        if is_listener(&address, listener) || !is_scheme_boundary(before) || !before.ends_with(mark)
        {
            continue;
        }
        match trust {
            Some(trust) => {
                return Some(DetectedAddress::Public(TunnelAddress {
                    address,
                    peer_authentication: *trust,
                }));
            }
            None if is_local(&address, listener) => {}
            None => plain = plain.or(Some(DetectedAddress::Plain(address))),
        }
    }
    plain
}

/// Whether an address is that of the listener, by whatever name of this machine.
fn is_listener(address: &str, listener: SocketAddr) -> bool {
    let port = address.rsplit_once(':').map(|(_, port)| port);
    is_local(address, listener) && port == Some(listener.port().to_string().as_str())
}

/// Whether an address is one of this machine, whatever its port.
fn is_local(address: &str, listener: SocketAddr) -> bool {
    let Some((host, _)) = address.rsplit_once(':') else { return false };
    let ip = host.trim_matches(['[', ']']).parse::<std::net::IpAddr>();
    host == "localhost"
        || ip.is_ok_and(|ip| ip.is_loopback() || ip.is_unspecified() || ip == listener.ip())
}

/// `line` without the sequences that colour a terminal: `ESC [ … letter`.
fn strip_ansi(line: &str) -> String {
    let mut parts = line.split("\u{1b}[");
    let first = parts.next().unwrap_or_default();
    let rest = parts.map(|part| part.trim_start_matches(|c: char| c.is_ascii_digit() || c == ';'));
    let rest =
        rest.map(|part| part.strip_prefix(|c: char| c.is_ascii_alphabetic()).unwrap_or(part));
    [first].into_iter().chain(rest).collect::<Vec<_>>().join(" ")
}

/// Whether a scheme can begin after `before`: `xhttps://` is another one.
fn is_scheme_boundary(before: &str) -> bool {
    before.chars().next_back().is_none_or(|letter| !letter.is_ascii_alphanumeric())
}

/// The authority that `text` begins with, when nothing but `/` follows it.
fn leading_authority(text: &str) -> Option<&str> {
    let plain = |letter: char| letter.is_ascii_alphanumeric() || ".-:[]".contains(letter);
    let end = text.find(|letter| !plain(letter)).unwrap_or(text.len());
    let (found, rest) = text.split_at(end);
    let rest = rest.strip_prefix('/').unwrap_or(rest);
    let goes_on = |letter: char| letter.is_alphanumeric() || "/?#@%_~+=&-".contains(letter);
    let found = found.trim_end_matches(['.', ':']);
    (!found.is_empty() && !rest.starts_with(goes_on)).then_some(found)
}

/// `host:port`, in lower case.
fn normalize_authority(authority: &str, port: Option<u16>) -> Option<String> {
    let parsed: http::uri::Authority = authority.parse().ok()?;
    let host = parsed.host();
    let named = host.contains('.') || host.starts_with('[') || host == "localhost";
    let output = match authority.strip_prefix(host).unwrap_or_default() {
        "" => port,
        output => output.strip_prefix(':')?.parse().ok(),
    };
    let port = output.filter(|port| *port > 0 && named)?;
    Some(format!("{}:{port}", host.to_ascii_lowercase()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(line: &str) -> Option<(String, PeerAuthentication)> {
        let listener = "127.0.0.1:4567".parse().expect("an address");
        match find_address(line, listener, "")? {
            DetectedAddress::Public(public) => Some((public.address, public.peer_authentication)),
            DetectedAddress::Plain(_) => None,
        }
    }

    #[test]
    fn a_plain_address_is_known_for_what_it_is() {
        let listener = "127.0.0.1:4567".parse().expect("an address");
        let plain = |line| match find_address(line, listener, "") {
            Some(DetectedAddress::Plain(address)) => Some(address),
            _ => None,
        };
        assert_eq!(plain("url: http://A.example/").as_deref(), Some("a.example:80"));
        assert_eq!(plain("http://a.example:8080 -> x").as_deref(), Some("a.example:8080"));
        for line in [
            "Web Interface http://127.0.0.1:4040",
            "http://localhost:4040",
            "http://[::1]:80",
            "http://a.example/page",
            "http://a.example https://a.example",
        ] {
            assert_eq!(plain(line), None, "{line}");
        }
        assert!(found("http://a.example https://a.example").is_some());
    }

    #[test]
    fn the_address_of_each_tunnel_is_found() {
        for (line, address, trust) in [
            (
                "INF |  https://a-b.trycloudflare.com      |",
                "a-b.trycloudflare.com:443",
                PeerAuthentication::SessionKey,
            ),
            (
                "lvl=info msg=\"started tunnel\" addr=https://127.0.0.1:4567 url=https://x.ngrok-free.app",
                "x.ngrok-free.app:443",
                PeerAuthentication::SessionKey,
            ),
            ("url=tcp://0.tcp.ngrok.io:12345", "0.tcp.ngrok.io:12345", PeerAuthentication::Pin),
            ("url=tls://x.ngrok.io", "x.ngrok.io:443", PeerAuthentication::Pin),
            (
                "Forwarding from https://X.example.net/.",
                "x.example.net:443",
                PeerAuthentication::SessionKey,
            ),
            ("(https://localhost:8443)", "localhost:8443", PeerAuthentication::SessionKey),
            ("\u{1b}[32mhttps://[::1]:8443\u{1b}[0m", "[::1]:8443", PeerAuthentication::SessionKey),
        ] {
            assert_eq!(found(line), Some((address.to_owned(), trust)), "{line}");
        }
    }

    #[test]
    fn where_a_program_marks_its_address_no_other_counts() {
        let listener = "127.0.0.1:4567".parse().expect("an address");
        let find = |line| match find_address(line, listener, "url=") {
            Some(DetectedAddress::Public(public)) => Some(public.address),
            _ => None,
        };
        assert_eq!(find("see https://dashboard.ngrok.com for more"), None);
        assert_eq!(find("url=https://x.ngrok.app").as_deref(), Some("x.ngrok.app:443"));
    }

    #[test]
    fn pages_that_a_program_speaks_of_are_no_address() {
        for line in [
            "",
            "http://a.example",
            "terms of use (https://www.cloudflare.com/website-terms/), and",
            "by following: https://developers.cloudflare.com/cloudflare-one/connections",
            "https://user@a.example",
            "https://a.example?x",
            "https://127.0.0.1:4567",
            "addr=https://localhost:4567",
            "https://[::1]:4567/",
            "https://0.0.0.0:4567",
            "https://:443",
            "https://host",
            "https://a.example:0",
            "https://a.example:99999",
            "tcp://a.example",
            "https://",
            "xhttps://a.example",
            "https://ä.example",
        ] {
            assert_eq!(found(line), None, "{line}");
        }
    }
}
