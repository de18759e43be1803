//! Addresses as they may be shown: without the user name and password that
//! Chromium keeps in them.

use std::borrow::Cow;

use serde::{Deserialize, Deserializer};

/// `url` without what stands before `@` in its authority.
pub fn strip_credentials(url: &str) -> Cow<'_, str> {
    let Some(begin) = url.find("://").map(|at| at + 3) else { return Cow::Borrowed(url) };
    let rest = &url[begin..];
    let authority = &rest[..rest.find(['/', '?', '#']).unwrap_or(rest.len())];
    match authority.rfind('@') {
        Some(at) => Cow::Owned([&url[..begin], &rest[at + 1..]].concat()),
        None => Cow::Borrowed(url),
    }
}

/// Reads an address of an event.
///
/// # Errors
/// It is not a string.
pub fn deserialize_url<'de, D: Deserializer<'de>>(from: D) -> Result<String, D::Error> {
    String::deserialize(from).map(strip_owned)
}

/// Reads an address of an event that may lack it.
pub(crate) fn deserialize_optional_url<'de, D: Deserializer<'de>>(
    from: D,
) -> Result<Option<String>, D::Error> {
    Option::<String>::deserialize(from).map(|url| url.map(strip_owned))
}

fn strip_owned(url: String) -> String {
    match strip_credentials(&url) {
        Cow::Owned(bare) => bare,
        Cow::Borrowed(_) => url,
    }
}

#[cfg(test)]
mod tests {
    use super::strip_credentials;

    #[test]
    fn only_the_credentials_go() {
        for (url, bare) in [
            ("http://ada:secret@example.com:8080/a?b=c@d#e", "http://example.com:8080/a?b=c@d#e"),
            ("https://ada@example.com", "https://example.com"),
            ("http://a@b:c@example.com/", "http://example.com/"),
            ("https://example.com/@ada", "https://example.com/@ada"),
            (
                "https://example.com?mail=ada@example.com",
                "https://example.com?mail=ada@example.com",
            ),
            ("about:blank", "about:blank"),
            ("mailto:ada@example.com", "mailto:ada@example.com"),
            ("data:text/html,a@b", "data:text/html,a@b"),
        ] {
            assert_eq!(strip_credentials(url), bare);
        }
    }
}
