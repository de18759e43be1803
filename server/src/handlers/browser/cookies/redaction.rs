//! What may be shown of a value.

use std::{borrow::Cow, sync::LazyLock};

use regex::Regex;

use browse_secrets::{REDACTED, is_secret, redact};

/// Characters that are shown of a value that is not a secret.
const MAX_VALUE_CHARS: usize = 300;

/// Long runs of letters and digits, which tokens are made of and words are not.
static TOKEN_PATTERN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new("[A-Za-z0-9_+=-]{20,}").expect("the pattern is a regular expression")
});

/// The beginning of a value, too short to be used: a quarter, four characters
/// at most.
pub fn value_prefix(value: &str) -> String {
    let length = value.chars().count();
    let mut shown: String = value.chars().take((length / 4).min(4)).collect();
    if length > 0 {
        shown.push('…');
    }
    shown
}

/// A value of a storage without what looks like a secret, and whether there
/// was something.
pub fn redact_value(key: &str, value: &str) -> (String, bool) {
    if is_secret(key, value) && !value.is_empty() {
        return (value_prefix(value), true);
    }
    let known = redact(value);
    let bare = TOKEN_PATTERN.replace_all(&known, |run: &regex::Captures<'_>| {
        let run = &run[0];
        let mixed =
            run.bytes().any(|b| b.is_ascii_digit()) && run.bytes().any(|b| b.is_ascii_alphabetic());
        if mixed { REDACTED.to_owned() } else { run.to_owned() }
    });
    let redacted = matches!(known, Cow::Owned(_)) || bare != known;
    (truncate(&bare), redacted)
}

fn truncate(text: &str) -> String {
    match text.char_indices().nth(MAX_VALUE_CHARS) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_beginning_cannot_be_used() {
        assert_eq!(value_prefix("abcdefghijklmnopqrstuvwxyz"), "abcd…");
        assert_eq!(value_prefix("12345678"), "12…");
        assert_eq!(value_prefix("123"), "…");
        assert_eq!(value_prefix(""), "");
    }

    #[test]
    fn storage_shows_what_is_no_secret() {
        let shown = |key, value: &str| redact_value(key, value);
        assert_eq!(shown("theme", "dark"), ("dark".to_owned(), false));
        assert_eq!(shown("auth_token", "hunter2 hunter2"), ("hun…".to_owned(), true));
        let (text, redacted) = shown("user", r#"{"name":"Ada","accessToken":"abc"}"#);
        assert!(redacted && text.contains("Ada") && !text.contains("abc"), "{text}");
        let (text, redacted) = shown("x", "id q83vcd7f6s5d4f3g2h1j0k and more");
        assert_eq!((text.as_str(), redacted), ("id [redacted] and more", true));
        let (text, redacted) = shown("page", "/a/well-known-long-path-without-numbers");
        assert!(!redacted, "{text}");
        assert!(shown("long", &"word ".repeat(100)).0.chars().count() <= MAX_VALUE_CHARS + 1);
    }
}
