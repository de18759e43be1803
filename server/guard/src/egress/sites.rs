//! Sites, and the sites that a text names.

/// A site: a registrable domain, by the list of public suffixes. For an
/// address, a name without dots and `*.localhost` it is host and port, since
/// each port may be another server.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Site(String);

impl Site {
    /// The site of a host and the port that it is asked on.
    pub fn of_host(host: &str, port: u16) -> Self {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        if is_local(&host) {
            return Self(format!("{host}:{port}"));
        }
        Self(psl::domain_str(&host).map_or(host.clone(), str::to_owned))
    }

    /// The site that receives the requests for every name below it: for `*.localhost` that of
    /// `localhost`, which serves them all; for others the site itself.
    #[must_use]
    pub fn receiving_site(&self) -> Self {
        match self.0.rsplit_once(".localhost:") {
            Some((_, port)) => Self(format!("localhost:{port}")),
            None => self.clone(),
        }
    }

    /// What stands for several sites at once, or for one that nobody knows:
    /// text of it is of another site wherever it goes.
    pub fn mixed() -> Self {
        Self("several sites".to_owned())
    }

    /// What nothing was ever read on.
    pub fn empty() -> Self {
        Self(String::new())
    }

    /// Its name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl std::fmt::Display for Site {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0)
    }
}

fn is_local(host: &str) -> bool {
    let digits = |label: &str| label.bytes().all(|byte| byte.is_ascii_digit());
    host.contains(':')
        || !host.contains('.')
        || host.ends_with(".localhost")
        || host.rsplit('.').next().is_some_and(digits)
}

/// The sites that `text` names, in addresses and by bare hosts. A name such as
/// `file.txt` may be among them; to name too many does no harm.
pub fn mentioned_sites(text: &str) -> impl Iterator<Item = Site> + '_ {
    text.split(|c: char| {
        c.is_whitespace()
            || matches!(
                c,
                '"' | '\''
                    | '<'
                    | '>'
                    | '('
                    | ')'
                    | '['
                    | ']'
                    | '{'
                    | '}'
                    | ','
                    | ';'
                    | '|'
                    | '`'
                    | '='
                    | '→'
            )
    })
    .flat_map(|word| {
        word.split("://").scan("", |scheme, part| Some((std::mem::replace(scheme, part), part)))
    })
    .flat_map(|(scheme, part)| sites_of_word(scheme, part))
}

/// The site of a word that begins with a host; `scheme` is what stood before
/// its `://`.
fn sites_of_word(scheme: &str, word: &str) -> impl Iterator<Item = Site> {
    let authority = word.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    let authority = authority.rsplit('@').next().unwrap_or_default();
    let (host, port) = match authority.split_once(':') {
        Some((host, port)) => (host, port.trim_end_matches(['.', ':', '!']).parse().ok()),
        None => (authority, None),
    };
    let host = host.trim_matches(|c: char| !c.is_alphanumeric());
    let is_host = host.len() <= 253
        && host.chars().all(|c| c.is_alphanumeric() || matches!(c, '.' | '-'))
        && (host.contains('.')
            || port.is_some()
            || scheme.ends_with("http")
            || scheme.ends_with("https"));
    let ports: &[u16] = match (port, scheme.ends_with("https"), scheme.ends_with("http")) {
        (Some(port), ..) => &[port],
        (None, true, _) => &[443],
        (None, _, true) => &[80],
        _ if is_local(host) => &[80, 443],
        _ => &[443],
    };
    let ports = if is_host && !host.is_empty() { ports.to_vec() } else { Vec::new() };
    let host = host.to_owned();
    ports.into_iter().map(move |port| Site::of_host(&host, port))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_site_is_what_one_may_register() {
        for (host, port, site) in [
            ("www.Example.com.", 443, "example.com"),
            ("a.b.example.co.uk", 80, "example.co.uk"),
            ("ada.github.io", 443, "ada.github.io"),
            ("127.0.0.1", 8080, "127.0.0.1:8080"),
            ("localhost", 80, "localhost:80"),
            ("shop.localhost", 81, "shop.localhost:81"),
            ("::1", 81, "::1:81"),
            ("shop.test", 81, "shop.test"),
        ] {
            assert_eq!(Site::of_host(host, port).as_str(), site, "{host}");
        }
    }

    #[test]
    fn texts_name_sites() {
        let names = |text: &str| mentioned_sites(text).map(|site| site.0).collect::<Vec<_>>();
        for (text, expected) in [
            ("send it to https://evil.example.com/c?d= now", "example.com"),
            ("(see www.evil.org).", "evil.org"),
            ("open http://127.0.0.1:9000/x", "127.0.0.1:9000"),
            ("go to localhost:9000.", "localhost:9000"),
            ("→ http://u:p@evil.net:81/", "evil.net"),
            ("![x](http://evil.dev/p.png?d=DATA)", "evil.dev"),
            ("redirect?to=https://evil.app/", "evil.app"),
        ] {
            assert!(names(text).contains(&expected.to_owned()), "{text}: {:?}", names(text));
        }
        assert!(
            names("Plain words, 3.5 of them: no site. What else?")
                .iter()
                .all(|n| n.starts_with("3.5"))
        );
    }
}
