//! Lists of hosts: `example.com`, `*.example.com`, `example.com:8443`,
//! `127.0.0.1:3000`, `[::1]`, and `*` for any public host.

use std::net::IpAddr;

use url::Host;

/// A rule that could not be read.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{rule}` is not a host rule: {problem}")]
pub struct InvalidHostRule {
    /// The rule as given.
    pub rule: String,
    /// What is wrong.
    pub problem: &'static str,
}

/// An allow-list. An empty one allows nothing.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HostRules(Vec<HostRule>);

#[derive(Debug, Clone, PartialEq, Eq)]
struct HostRule {
    pattern: HostRulePattern,
    port: Option<u16>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum HostRulePattern {
    /// Any name; no address.
    Any,
    /// This name.
    Name(String),
    /// Everything below this name, not the name itself.
    Subdomains(String),
    /// This address.
    Address(IpAddr),
}

impl HostRules {
    /// Reads a list of rules.
    pub fn parse<S: AsRef<str>>(rules: &[S]) -> Result<Self, InvalidHostRule> {
        rules.iter().map(|rule| HostRule::parse(rule.as_ref())).collect::<Result<_, _>>().map(Self)
    }

    /// Whether a host, as a URL's parser gives it, may be visited on a port.
    pub fn allows(&self, host: &Host<&str>, port: u16) -> bool {
        self.0
            .iter()
            .any(|rule| rule.port.is_none_or(|only| only == port) && rule.pattern.matches(host))
    }

    /// Whether a rule other than `*` covers the host.
    pub fn names_host(&self, host: &Host<&str>, port: u16) -> bool {
        self.0.iter().any(|rule| {
            rule.port.is_none_or(|only| only == port)
                && rule.pattern != HostRulePattern::Any
                && rule.pattern.matches(host)
        })
    }

    /// Whether a rule names this address itself. Only such a rule opens a
    /// place that is not public: a name may resolve to anything.
    pub fn names_address(&self, address: IpAddr, port: u16) -> bool {
        let canonical = address.to_canonical();
        self.0.iter().any(|rule| {
            rule.port.is_none_or(|only| only == port)
                && matches!(&rule.pattern, HostRulePattern::Address(named) if named.to_canonical() == canonical)
        })
    }
}

impl HostRule {
    fn parse(text: &str) -> Result<Self, InvalidHostRule> {
        let bad = |problem| InvalidHostRule { rule: text.to_owned(), problem };
        let trimmed = text.trim();
        if trimmed.is_empty() {
            return Err(bad("it is empty"));
        }
        if trimmed.contains('/') {
            return Err(bad("a host has no scheme and no path"));
        }
        let (host, port) = split_port(trimmed);
        let port = match port {
            None => None,
            Some(port) => Some(
                port.parse()
                    .ok()
                    .filter(|port| *port != 0)
                    .ok_or_else(|| bad("the port is not a number from 1 to 65535"))?,
            ),
        };
        if host == "*" {
            return Ok(Self { pattern: HostRulePattern::Any, port });
        }
        let (below, name) = match host.strip_prefix("*.") {
            Some(name) => (true, name),
            None => (false, host),
        };
        let pattern = match Host::parse(name) {
            Ok(Host::Ipv4(address)) if !below => HostRulePattern::Address(address.into()),
            Ok(Host::Ipv6(address)) if !below => HostRulePattern::Address(address.into()),
            Ok(Host::Domain(name)) if name.contains('*') => {
                return Err(bad("`*` may only stand for whole labels at the start"));
            }
            Ok(Host::Domain(name)) => {
                let name = normalize_host(&name);
                if name.is_empty() {
                    return Err(bad("it names no host"));
                }
                if below { HostRulePattern::Subdomains(name) } else { HostRulePattern::Name(name) }
            }
            _ => return Err(bad("it is not a host name or an address")),
        };
        Ok(Self { pattern, port })
    }
}

impl HostRulePattern {
    fn matches(&self, host: &Host<&str>) -> bool {
        match (self, host) {
            (Self::Any, Host::Domain(_)) => true,
            (Self::Name(name), Host::Domain(host)) => *name == normalize_host(host),
            (Self::Subdomains(name), Host::Domain(host)) => {
                let host = normalize_host(host);
                let label =
                    host.strip_suffix(name.as_str()).and_then(|rest| rest.strip_suffix('.'));
                label.is_some_and(|label| !label.is_empty())
            }
            (Self::Address(address), Host::Ipv4(host)) => {
                address.to_canonical() == IpAddr::from(*host)
            }
            (Self::Address(address), Host::Ipv6(host)) => {
                address.to_canonical() == IpAddr::from(*host).to_canonical()
            }
            _ => false,
        }
    }
}

/// Lower case, without the dot of the root.
fn normalize_host(name: &str) -> String {
    name.strip_suffix('.').unwrap_or(name).to_ascii_lowercase()
}

/// Splits `host:port`, leaving the colons of `[::1]` alone.
fn split_port(text: &str) -> (&str, Option<&str>) {
    match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, Some(port)),
        _ => (text, None),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn allows(rule: &str, url: &str) -> bool {
        let url = url::Url::parse(url).expect(url);
        let rules = HostRules::parse(&[rule]).expect(rule);
        rules.allows(&url.host().expect("a host"), url.port_or_known_default().expect("a port"))
    }

    #[test]
    fn what_a_rule_covers() {
        let table = [
            ("example.com", "https://example.com/", true),
            ("Example.COM", "https://example.com./", true),
            ("example.com", "http://EXAMPLE.com:8080/", true),
            ("example.com", "https://www.example.com/", false),
            ("example.com", "https://example.com.evil.net/", false),
            ("example.com", "https://notexample.com/", false),
            ("*.example.com", "https://www.example.com/", true),
            ("*.example.com", "https://a.b.example.com/", true),
            ("*.example.com", "https://example.com/", false),
            ("*.example.com", "https://badexample.com/", false),
            ("example.com:8443", "https://example.com:8443/", true),
            ("example.com:8443", "https://example.com/", false),
            ("example.com:443", "https://example.com/", true),
            ("127.0.0.1", "http://127.0.0.1:9/", true),
            ("127.0.0.1", "http://2130706433/", true),
            ("127.0.0.1", "http://[::ffff:127.0.0.1]/", true),
            ("127.0.0.1", "http://localhost/", false),
            ("localhost:3000", "http://localhost:3000/", true),
            ("[::1]", "http://[::1]:8080/", true),
            ("[::1]:80", "http://[::1]/", true),
            ("bücher.example", "http://xn--bcher-kva.example/", true),
            ("*", "https://anything.example/", true),
            ("*", "http://10.0.0.1/", false),
        ];
        for (rule, url, expected) in table {
            assert_eq!(allows(rule, url), expected, "{rule} {url}");
        }
        let none = HostRules::parse::<&str>(&[]).expect("an empty list");
        assert!(!none.allows(&Host::Domain("example.com"), 443));
    }

    #[test]
    fn bad_rules_say_what_is_wrong() {
        for rule in [
            "",
            "https://example.com",
            "example.com/path",
            "exa*mple.com",
            "a.*.com",
            "example.com:0",
            "example.com:x",
            "*.127.0.0.1",
            "exa mple.com",
            "*.",
        ] {
            assert!(HostRules::parse(&[rule]).is_err(), "{rule}");
        }
    }

    #[test]
    fn only_an_address_names_an_address() {
        let rules = HostRules::parse(&["*", "localhost", "10.0.0.1:80"]).expect("rules");
        assert!(rules.names_address("10.0.0.1".parse().expect("ip"), 80));
        assert!(rules.names_address("::ffff:10.0.0.1".parse().expect("ip"), 80));
        assert!(!rules.names_address("10.0.0.1".parse().expect("ip"), 81));
        assert!(!rules.names_address("127.0.0.1".parse().expect("ip"), 80));
    }
}
