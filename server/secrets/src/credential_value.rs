//! Values that look like credentials, for names that say too little, and the
//! company that gives a code away.

/// Characters of a code of numbers that is sent to a person.
const ONE_TIME_CODE_CHARS: std::ops::RangeInclusive<usize> = 6..=10;

/// Length from which a mixture of letters and numbers is one.
const MIN_MIXED_CHARS: usize = 8;

/// Length from which letters of both cases in one run are one.
const MIN_MIXED_CASE_CHARS: usize = 20;

/// Parameters that stand beside the `code` of OAuth and OpenID Connect.
const OAUTH_PARAMETERS: &[&str] = &[
    "authuser=",
    "client_id=",
    "client_secret=",
    "code_verifier=",
    "grant_type=",
    "iss=",
    "nonce=",
    "redirect_uri=",
    "scope=",
    "session_state=",
    "state=",
];

/// Bytes on each side in which company counts.
const OAUTH_SEARCH_BYTES: usize = 2_000;

/// Whether `value` looks like a credential and not like a word, a language, a
/// number of three digits, or the name of an error.
pub fn is_credential(value: &str) -> bool {
    let length = value.chars().count();
    let any = |is: fn(&char) -> bool| value.chars().any(|letter| is(&letter));
    let (digits, lower, upper) =
        (any(char::is_ascii_digit), any(char::is_ascii_lowercase), any(char::is_ascii_uppercase));
    let is_one_time =
        ONE_TIME_CODE_CHARS.contains(&length) && value.bytes().all(|b| b.is_ascii_digit());
    let words = value.contains(char::is_whitespace);
    is_one_time
        || (!words && digits && lower && length >= MIN_MIXED_CHARS)
        || (!words && lower && upper && length >= MIN_MIXED_CASE_CHARS)
}

/// Whether the parameter at `start..end` of `text` stands beside others of
/// OAuth, in the same address or form.
pub fn is_beside_oauth_parameters(text: &str, start: usize, end: usize) -> bool {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | '#');
    let from = text.floor_char_boundary(start.saturating_sub(OAUTH_SEARCH_BYTES));
    let until = text.floor_char_boundary((end + OAUTH_SEARCH_BYTES).min(text.len()));
    let before = text[from..start].rsplit(ends).next().unwrap_or_default();
    let after = text[end..until].split(ends).next().unwrap_or_default();
    // What follows the path only: `/state=1/` is none.
    let before = before.rsplit('?').next().unwrap_or_default();
    let named = |pair: &str| OAUTH_PARAMETERS.iter().any(|name| pair.starts_with(name));
    before.split(['&', ';']).chain(after.split(['&', ';'])).any(named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_and_numbers_are_no_credentials() {
        for value in ["en", "404", "94103", "auth_failed", "ERR_HTTP2_PROTOCOL", "SUMMER2024", ""] {
            assert!(!is_credential(value), "{value}");
        }
        for value in ["123456", "SplxlOBeZQQYbYSWxSbIAaa", "e72e16c7e42f", "4/0AX4XfWh"] {
            assert!(is_credential(value), "{value}");
        }
    }

    #[test]
    fn company_is_looked_for_in_the_same_address() {
        let near = |text: &str| {
            let at = text.find("code=").expect("a code");
            is_beside_oauth_parameters(text, at, at + 6)
        };
        assert!(near("/cb?state=1&code=a") && near("grant_type=x&code=a"));
        assert!(near("/cb?code=a&iss=b#x"));
        assert!(!near("/cb?code=a state=1") && !near("/state=1/?code=a") && !near("code=a&b=1"));
    }
}
