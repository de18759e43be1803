//! The hosts that a capability may visit.

use std::{fmt, str::FromStr};

use browse_proto::Reason;
use url::{Host, Url};

use crate::is_metadata_host;
use browse_base::{Error, HINT_KEY, Result};

/// The hosts that a capability may visit. The default is none.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HostPolicy {
    /// No host at all.
    #[default]
    None,
    /// These only.
    List(Vec<HostPattern>),
    /// Every host.
    Any,
}

/// `example.com`, `*.example.com` (its subdomains, not itself), or either with
/// a port. Without a port, every port is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct HostPattern {
    subdomains: bool,
    host: String,
    port: Option<u16>,
}

impl HostPolicy {
    /// Whether each of its patterns is one of `other`'s.
    pub fn is_within(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::None, _) | (_, Self::Any) => true,
            (Self::List(own), Self::List(others)) => own.iter().all(|host| others.contains(host)),
            _ => false,
        }
    }

    /// The hosts that both allow.
    #[must_use]
    pub fn intersection(&self, other: &Self) -> Self {
        let (own, others) = match (self, other) {
            (Self::None, _) | (_, Self::None) => return Self::None,
            (Self::Any, policy) | (policy, Self::Any) => return policy.clone(),
            (Self::List(own), Self::List(others)) => (own, others),
        };
        let mut shared = Vec::new();
        for pattern in own {
            for found in others.iter().filter_map(|other| pattern.intersection(other)) {
                if !shared.contains(&found) {
                    shared.push(found);
                }
            }
        }
        if shared.is_empty() { Self::None } else { Self::List(shared) }
    }

    /// The hosts that these patterns name; an empty list means none.
    ///
    /// # Errors
    /// A pattern is malformed.
    pub fn from_patterns<P: AsRef<str>>(patterns: impl IntoIterator<Item = P>) -> Result<Self> {
        let patterns = patterns.into_iter().map(|pattern| pattern.as_ref().parse());
        let patterns = patterns.collect::<Result<Vec<_>>>()?;
        Ok(if patterns.is_empty() { Self::None } else { Self::List(patterns) })
    }

    /// The hosts of a remote agent: these, and with `*` among them, or with
    /// none, every public one. What is not public has to be named.
    ///
    /// # Errors
    /// A pattern is malformed, or names a metadata service.
    pub fn from_public_patterns<P: AsRef<str>>(patterns: &[P]) -> Result<Self> {
        let read = |pattern: &P| match pattern.as_ref() {
            ANY_PUBLIC_HOST => Ok(HostPattern::any_public()),
            pattern => refuse_metadata_host(pattern.parse()?),
        };
        let patterns = patterns.iter().map(read).collect::<Result<Vec<_>>>()?;
        let none = patterns.is_empty();
        Ok(Self::List(if none { vec![HostPattern::any_public()] } else { patterns }))
    }

    /// Whether a document may come from `url`. Only http and https have hosts;
    /// `about:blank` shows nothing and is always allowed.
    pub fn allows(&self, url: &Url) -> bool {
        match self {
            Self::Any => true,
            _ if url.as_str() == "about:blank" => true,
            Self::None => false,
            Self::List(patterns) => patterns.iter().any(|pattern| pattern.matches(url)),
        }
    }

    /// Whether every host is allowed.
    pub fn is_any(&self) -> bool {
        matches!(self, Self::Any)
    }

    /// The patterns, as written; `*` for any.
    pub fn patterns(&self) -> Vec<String> {
        match self {
            Self::None => Vec::new(),
            Self::List(patterns) => patterns.iter().map(HostPattern::to_string).collect(),
            Self::Any => vec!["*".to_owned()],
        }
    }
}

/// Stands for every public host.
const ANY_PUBLIC_HOST: &str = "*";

impl HostPattern {
    /// Every name. Which of them lead to a place that is not public is known
    /// below the page only, where names are resolved.
    fn any_public() -> Self {
        Self { subdomains: false, host: ANY_PUBLIC_HOST.to_owned(), port: None }
    }

    /// What both match; none where no host is matched by both.
    fn intersection(&self, other: &Self) -> Option<Self> {
        let port = match (self.port, other.port) {
            (Some(own), Some(others)) if own != others => return None,
            (own, others) => own.or(others),
        };
        let narrower = match (self.covers_host_of(other), other.covers_host_of(self)) {
            (true, _) => other,
            (false, true) => self,
            (false, false) => return None,
        };
        Some(Self { port, ..narrower.clone() })
    }

    /// Whether it matches every host that `other` matches, whatever the ports.
    fn covers_host_of(&self, other: &Self) -> bool {
        if self.host == ANY_PUBLIC_HOST {
            let name = other.host.to_ascii_lowercase();
            let is_here = name == "localhost" || name.ends_with(".localhost");
            return other.host == ANY_PUBLIC_HOST
                || !is_here && matches!(Host::parse(&other.host), Ok(Host::Domain(_)));
        }
        if self.subdomains {
            let below = other.host.strip_suffix(&self.host);
            return other.subdomains && other.host == self.host
                || below.is_some_and(|rest| rest.ends_with('.'));
        }
        !other.subdomains && other.host == self.host
    }

    fn matches(&self, url: &Url) -> bool {
        if !matches!(url.scheme(), "http" | "https" | "ws" | "wss") {
            return false;
        }
        if self.host == ANY_PUBLIC_HOST {
            // The name of this machine is the one that needs no looking up.
            let here = |name: &str| name == "localhost" || name.ends_with(".localhost");
            let name = |host: &str| host.trim_end_matches('.').to_ascii_lowercase();
            return matches!(url.host(), Some(Host::Domain(host)) if !here(&name(host)));
        }
        let Some(host) = url.host_str() else { return false };
        let host = host.trim_end_matches('.');
        let named = match self.subdomains {
            true => host.strip_suffix(&self.host).is_some_and(|rest| rest.ends_with('.')),
            false => host == self.host,
        };
        named && self.port.is_none_or(|port| url.port_or_known_default() == Some(port))
    }
}

/// Refuses the rule for what is never opened, whatever rules say: whoever gave
/// it would think that it holds.
fn refuse_metadata_host(pattern: HostPattern) -> Result<HostPattern> {
    let host = Host::parse(&pattern.host).ok();
    let metadata = |host: &Host| match host {
        Host::Domain(name) => is_metadata_host(&Host::Domain(name.as_str())),
        Host::Ipv4(address) => is_metadata_host(&Host::Ipv4(*address)),
        Host::Ipv6(address) => is_metadata_host(&Host::Ipv6(*address)),
    };
    if host.as_ref().is_some_and(metadata) {
        let message =
            format!("`{pattern}` is the metadata service of a cloud, which is never opened");
        let error = Error::new(Reason::AddressDenied, message);
        return Err(error.with(HINT_KEY, "Leave it out of `--host`"));
    }
    Ok(pattern)
}

impl FromStr for HostPattern {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self> {
        let wrong = || {
            let message = format!(
                "`{}` is not a host: give `example.com`, `*.example.com` or `example.com:8443`",
                text.escape_debug()
            );
            Error::new(Reason::ArgumentInvalid, message)
        };
        let (subdomains, rest) = match text.strip_prefix("*.") {
            Some(rest) => (true, rest),
            None => (false, text),
        };
        // The URL parser knows punycode, IPv6 brackets and number notations.
        let url = Url::parse(&format!("http://{rest}/")).map_err(|_| wrong())?;
        let bare = url.path() == "/" && url.query().is_none() && url.fragment().is_none();
        let anonymous = url.username().is_empty() && url.password().is_none();
        if !bare || !anonymous || rest.contains(['/', '*', '@', '?', '#', '\\']) {
            return Err(wrong());
        }
        let host = match url.host() {
            Some(Host::Domain(_)) => url.host_str().unwrap_or_default(),
            Some(_) if !subdomains => url.host_str().unwrap_or_default(),
            _ => return Err(wrong()),
        };
        // The parser drops port 80 because it is the default of http.
        let port = match rest.rsplit_once(':') {
            Some((_, digits)) if !digits.ends_with(']') => {
                Some(digits.parse().map_err(|_| wrong())?)
            }
            _ => None,
        };
        Ok(Self { subdomains, host: host.trim_end_matches('.').to_owned(), port })
    }
}

impl fmt::Display for HostPattern {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let star = if self.subdomains { "*." } else { "" };
        write!(f, "{star}{}", self.host)?;
        self.port.map_or(Ok(()), |port| write!(f, ":{port}"))
    }
}

/// What a rule on hosts would have to allow: the host, with its port unless it
/// is that of the scheme.
pub fn host_and_port(url: &Url) -> String {
    let Some(host) = url.host_str() else { return "files".to_owned() };
    url.port().map_or(host.to_owned(), |port| format!("{host}:{port}"))
}

#[cfg(test)]
mod tests {
    use super::{HostPolicy, Reason, Url};

    fn allows(patterns: &[&str], url: &str) -> bool {
        let hosts = HostPolicy::from_patterns(patterns).expect("the patterns are good");
        hosts.allows(&Url::parse(url).expect("the URL is good"))
    }

    #[test]
    fn a_host_means_itself() {
        assert!(allows(&["example.com"], "https://example.com/a?b"));
        assert!(allows(&["example.com"], "https://example.com:8443/"));
        assert!(allows(&["EXAMPLE.com"], "http://example.com./"));
        for url in [
            "https://www.example.com/",
            "https://example.com.evil.org/",
            "https://notexample.com/",
            "file:///example.com",
            "data:text/html,example.com",
        ] {
            assert!(!allows(&["example.com"], url), "{url}");
        }
    }

    #[test]
    fn a_star_means_subdomains() {
        assert!(allows(&["*.example.com"], "https://a.b.example.com/"));
        assert!(!allows(&["*.example.com"], "https://example.com/"));
        assert!(!allows(&["*.example.com"], "https://evilexample.com/"));
    }

    #[test]
    fn a_port_is_exact() {
        assert!(allows(&["localhost:8080"], "http://localhost:8080/"));
        assert!(!allows(&["localhost:8080"], "http://localhost/"));
        assert!(allows(&["example.com:443"], "https://example.com/"));
        assert!(!allows(&["example.com:443"], "http://example.com/"));
        assert!(allows(&["[::1]:8080"], "http://[::1]:8080/"));
    }

    #[test]
    fn nothing_allows_nothing_but_a_blank_page() {
        assert_eq!(HostPolicy::from_patterns::<&str>([]).expect("none is good"), HostPolicy::None);
        assert!(!allows(&[], "https://example.com/"));
        assert!(allows(&[], "about:blank"));
    }

    #[test]
    fn an_agent_elsewhere_gets_public_hosts_and_those_that_are_named() {
        let allows = |patterns: &[&str], url: &str| {
            let hosts = HostPolicy::from_public_patterns(patterns).expect("the patterns are good");
            hosts.allows(&Url::parse(url).expect("the URL is good"))
        };
        assert!(allows(&[], "https://example.com/"));
        assert!(!allows(&[], "http://127.0.0.1:8080/"));
        assert!(!allows(&[], "http://[::1]/"));
        assert!(!allows(&[], "http://localhost:3000/") && !allows(&[], "http://a.localhost./"));
        assert!(allows(&["localhost:3000"], "http://localhost:3000/"));
        assert!(!allows(&[], "file:///etc/passwd"));
        assert!(allows(&["*", "127.0.0.1:8080"], "http://127.0.0.1:8080/"));
        assert!(!allows(&["example.com"], "https://example.org/"));
        assert!(HostPolicy::from_public_patterns(&[""]).is_err());
        for never in ["169.254.169.254", "2852039166:80", "[fd00:ec2::254]", "Metadata.goog."] {
            let refused = HostPolicy::from_public_patterns(&["*", never]).expect_err(never);
            assert_eq!(refused.reason(), Reason::AddressDenied, "{never}");
        }
        assert_eq!(HostPolicy::from_public_patterns::<&str>(&[]).expect("good").patterns(), ["*"]);
    }

    #[test]
    fn two_policies_share_what_both_allow() {
        let public = |patterns: &[&str]| {
            HostPolicy::from_public_patterns(patterns).expect("the patterns are good")
        };
        let list =
            |patterns: &[&str]| HostPolicy::from_patterns(patterns).expect("the patterns are good");
        for (own, others, shared) in [
            (list(&["example.com"]), public(&[]), &["example.com"][..]),
            (list(&["*.example.com:8443"]), public(&[]), &["*.example.com:8443"]),
            (list(&["a.example.com"]), list(&["*.example.com"]), &["a.example.com"]),
            (list(&["*.b.example.com"]), list(&["*.example.com"]), &["*.b.example.com"]),
            (list(&["*.example.com"]), list(&["*.example.com:443"]), &["*.example.com:443"]),
            (list(&["a.example:80", "b.example"]), list(&["b.example:81"]), &["b.example:81"]),
            // What is not public has to be named by both.
            (list(&["127.0.0.1:3000", "localhost", "[::1]"]), public(&[]), &[]),
            (list(&["127.0.0.1"]), public(&["*", "127.0.0.1:3000"]), &["127.0.0.1:3000"]),
            (list(&["example.com"]), list(&["*.example.com", "www.example.com"]), &[]),
            (list(&["notexample.com"]), list(&["*.example.com"]), &[]),
            (list(&["example.com:80"]), list(&["example.com:81"]), &[]),
            (HostPolicy::Any, public(&[]), &["*"]),
            (HostPolicy::None, HostPolicy::Any, &[]),
        ] {
            for found in [own.intersection(&others), others.intersection(&own)] {
                assert_eq!(found.patterns(), shared, "{own:?} {others:?}");
            }
        }
        assert_eq!(HostPolicy::Any.intersection(&HostPolicy::Any), HostPolicy::Any);
        assert_eq!(list(&["a.example"]).intersection(&list(&["b.example"])), HostPolicy::None);
    }

    #[test]
    fn malformed_patterns_are_refused() {
        for pattern in
            ["", "*", "*.", "a/b", "http://a", "a@b", "*.127.0.0.1", "a:b", "a b", "*.*.a"]
        {
            assert!(HostPolicy::from_patterns([pattern]).is_err(), "{pattern}");
        }
    }
}
