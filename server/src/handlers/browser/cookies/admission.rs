//! Which hosts a cookie may be for.

use url::{Host, Url};

use crate::dispatch::CallContext;
use browse_base::Result;
use browse_chromium::Cookie;
use browse_net::{HostPolicy, is_forbidden_to_cookies};

/// What the caller and the session allow.
pub struct CookieHostRules {
    hosts: [HostPolicy; 2],
}

impl CookieHostRules {
    /// Of the caller and the session of a call.
    ///
    /// # Errors
    /// As [`Context::session`].
    pub fn of(cx: &CallContext) -> Result<Self> {
        let session = cx.session()?.rules().hosts.clone();
        Ok(Self { hosts: [cx.capability().hosts().clone(), session] })
    }

    /// Any host but those that never get cookies: for tests.
    #[cfg(test)]
    pub fn any() -> Self {
        Self { hosts: [HostPolicy::Any, HostPolicy::Any] }
    }

    /// Whether the caller may have to do with cookies of the host; the reason
    /// when not.
    pub fn check(&self, host: &str) -> Result<(), &'static str> {
        let url = Url::parse(&format!("https://{host}/"));
        let url = url.map_err(|_| "the domain is not a host")?;
        let parsed = url.host().ok_or("the domain is not a host")?;
        if is_forbidden_to_cookies(&parsed) {
            return Err("the host is a metadata service or on the local link");
        }
        match self.hosts.iter().all(|hosts| hosts.allows(&url)) {
            true => Ok(()),
            false => Err("the token is not good for the host"),
        }
    }

    /// The same for the host of a cookie.
    pub fn allows(&self, cookie: &Cookie) -> bool {
        self.check(cookie.host()).is_ok()
    }
}

/// A domain as the browser writes it: lower case, punycode, addresses in their
/// usual notation, and a dot before it when hosts below are meant. What has
/// no hosts below has no dot.
pub fn normalize_domain(text: &str) -> Option<String> {
    let (dot, name) = match text.trim().strip_prefix('.') {
        Some(name) => (".", name),
        None => ("", text.trim()),
    };
    match Host::parse(name.trim_end_matches('.')).ok()? {
        Host::Domain(name) if name.is_empty() || name.starts_with('.') => None,
        Host::Domain(name) if !name.contains('.') => Some(name),
        Host::Domain(name) => Some(format!("{dot}{name}")),
        address => Some(address.to_string()),
    }
}

/// Whether `host` is `domain` or below it.
pub fn is_within(host: &str, domain: &str) -> bool {
    host.strip_suffix(domain).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_read_as_the_browser_writes_them() {
        let table = [
            ("Example.COM", Some("example.com")),
            (".example.com", Some(".example.com")),
            (".bücher.example.", Some(".xn--bcher-kva.example")),
            (".localhost", Some("localhost")),
            (".127.0.0.1", Some("127.0.0.1")),
            ("2852039166", Some("169.254.169.254")),
            ("[::1]", Some("[::1]")),
            ("", None),
            (".", None),
            ("..a.b", None),
            ("a.b:80", None),
            ("a b", None),
            ("https://a.b", None),
        ];
        for (text, expected) in table {
            assert_eq!(normalize_domain(text).as_deref(), expected, "{text}");
        }
    }

    #[test]
    fn metadata_and_the_local_link_get_no_cookies() {
        let any = CookieHostRules { hosts: [HostPolicy::Any, HostPolicy::Any] };
        for host in [
            "169.254.169.254",
            "169.254.1.1",
            "[fe80::1]",
            "[::ffff:169.254.169.254]",
            "metadata.google.internal",
            "0xa9fea9fe",
        ] {
            assert!(any.check(host).is_err(), "{host}");
        }
        assert_eq!(any.check("127.0.0.1"), Ok(()));
        let some = HostPolicy::from_patterns(["app.example.com"]).expect("a pattern");
        let some = CookieHostRules { hosts: [some, HostPolicy::Any] };
        assert_eq!(some.check("app.example.com"), Ok(()));
        assert!(some.check("example.com").is_err());
    }

    #[test]
    fn below_means_whole_labels() {
        assert!(is_within("a.example.com", "example.com"));
        assert!(is_within("example.com", "example.com"));
        assert!(!is_within("badexample.com", "example.com"));
    }
}
