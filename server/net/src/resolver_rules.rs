//! `--host-resolver-rules`, as Chromium reads it.
//!
//! A proxied Chromium does not resolve names itself, so its rules would have
//! no effect; the proxy applies them in its place. The format is
//! `MAP pattern replacement[:port], EXCLUDE pattern`, with `*` and `?` in
//! patterns and `^NOTFOUND` as a replacement that does not exist.

/// The rules of one command line.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResolverRules {
    mappings: Vec<(String, Replacement)>,
    exclusions: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Replacement {
    NotFound,
    To { host: String, port: Option<u16> },
}

/// Where a host leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum HostMapping {
    /// No rule is about it.
    Unchanged,
    /// The user says: there. An address behind it is the user's own choice.
    To {
        /// A name or an address.
        host: String,
        /// Its port.
        port: u16,
    },
    /// The user says: nowhere.
    NotFound,
}

impl ResolverRules {
    /// Finds the rules in Chromium's arguments; the last one counts.
    pub fn from_arguments<S: AsRef<str>>(arguments: &[S]) -> Self {
        let found = arguments
            .iter()
            .rev()
            .find_map(|argument| argument.as_ref().strip_prefix("--host-resolver-rules="));
        found.map(Self::parse).unwrap_or_default()
    }

    /// Reads rules; ones that make no sense are skipped, as Chromium does.
    fn parse(text: &str) -> Self {
        let mut rules = Self::default();
        for rule in text.split(',') {
            let words: Vec<&str> = rule.split_whitespace().collect();
            match words.as_slice() {
                [word, pattern] if word.eq_ignore_ascii_case("EXCLUDE") => {
                    rules.exclusions.push(pattern.to_ascii_lowercase());
                }
                [word, pattern, to] if word.eq_ignore_ascii_case("MAP") => {
                    if let Some(to) = Replacement::parse(to) {
                        rules.mappings.push((pattern.to_ascii_lowercase(), to));
                    }
                }
                _ => {}
            }
        }
        rules
    }

    /// Applies the rules to a host and port.
    pub fn map(&self, host: &str, port: u16) -> HostMapping {
        let host = host.trim_end_matches('.').to_ascii_lowercase();
        let with_port = format!("{host}:{port}");
        let matches = |pattern: &String| {
            matches_glob(pattern.as_bytes(), host.as_bytes())
                || (pattern.contains(':') && matches_glob(pattern.as_bytes(), with_port.as_bytes()))
        };
        if self.exclusions.iter().any(&matches) {
            return HostMapping::Unchanged;
        }
        match self.mappings.iter().find(|(pattern, _)| matches(pattern)) {
            None => HostMapping::Unchanged,
            Some((_, Replacement::NotFound)) => HostMapping::NotFound,
            Some((_, Replacement::To { host, port: to })) => {
                HostMapping::To { host: host.clone(), port: to.unwrap_or(port) }
            }
        }
    }
}

impl Replacement {
    fn parse(text: &str) -> Option<Self> {
        if text.eq_ignore_ascii_case("^NOTFOUND") || text.eq_ignore_ascii_case("~NOTFOUND") {
            return Some(Self::NotFound);
        }
        let (host, port) = match text.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') || host.ends_with(']') => {
                (host, Some(port.parse().ok()?))
            }
            _ => (text, None),
        };
        let host = host.trim_start_matches('[').trim_end_matches(']');
        Some(Self::To { host: host.to_owned(), port })
    }
}

/// `*` for any run, `?` for one character.
fn matches_glob(pattern: &[u8], text: &[u8]) -> bool {
    match (pattern.split_first(), text.split_first()) {
        (None, None) => true,
        (Some((b'*', rest)), _) => {
            matches_glob(rest, text)
                || text.split_first().is_some_and(|(_, text)| matches_glob(pattern, text))
        }
        (Some((b'?', rest)), Some((_, text))) => matches_glob(rest, text),
        (Some((a, rest)), Some((b, text))) if a == b => matches_glob(rest, text),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn to(host: &str, port: u16) -> HostMapping {
        HostMapping::To { host: host.to_owned(), port }
    }

    #[test]
    fn rules_are_read_as_chromium_does() {
        let rules = ResolverRules::from_arguments(&[
            "--host-resolver-rules=MAP ignored 1.1.1.1",
            "--x",
            "--host-resolver-rules=MAP news.example.com 127.0.0.1:8443, MAP *.test [::1]:9 ,\
             MAP plain.example 10.0.0.1,MAP gone.example ^NOTFOUND, MAP only.example:80 1.2.3.4,\
             EXCLUDE keep.test, nonsense",
        ]);
        let table = [
            ("news.example.com", 443, to("127.0.0.1", 8443)),
            ("NEWS.example.com.", 443, to("127.0.0.1", 8443)),
            ("a.b.test", 80, to("::1", 9)),
            ("keep.test", 80, HostMapping::Unchanged),
            ("plain.example", 81, to("10.0.0.1", 81)),
            ("gone.example", 80, HostMapping::NotFound),
            ("only.example", 80, to("1.2.3.4", 80)),
            ("only.example", 81, HostMapping::Unchanged),
            ("ignored", 80, HostMapping::Unchanged),
            ("other.example", 80, HostMapping::Unchanged),
        ];
        for (host, port, expected) in table {
            assert_eq!(rules.map(host, port), expected, "{host}:{port}");
        }
    }

    #[test]
    fn no_rules_change_nothing() {
        let rules = ResolverRules::from_arguments::<&str>(&[]);
        assert_eq!(rules.map("example.com", 80), HostMapping::Unchanged);
    }
}
