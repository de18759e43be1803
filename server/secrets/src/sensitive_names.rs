//! Headers, fields and parameters that hold secrets, by their names.
//!
//! A name is read as words: `X-Amz-Signature`, `csrfToken` and
//! `user[password]` alike. Some words give a name away wherever they stand,
//! some only at its end, where the word is that says what it is: `auth_code`
//! holds a code, `token_type` a type. `code` and `key` alone say too little; there the
//! value decides.

use super::{
    REDACTED, credential_value, redact,
    sensitive_words::{
        ATTRIBUTE_WORDS, SENSITIVE_LAST_WORDS, SENSITIVE_PAIRS, SENSITIVE_PREFIXES,
        SENSITIVE_SUFFIXES, SENSITIVE_WORDS,
    },
};

/// Whether a header, field or parameter of this name holds a secret, whatever
/// its value is.
pub fn is_secret_name(name: &str) -> bool {
    let words = name_words(name);
    let Some(last) = words.iter().rfind(|word| !word.bytes().all(|byte| byte.is_ascii_digit()))
    else {
        return false;
    };
    if words.len() > 1 && ATTRIBUTE_WORDS.contains(&last.as_str()) {
        return false;
    }
    let given_away = |word: &String| {
        let bare = word.trim_end_matches(|c: char| c.is_ascii_digit());
        SENSITIVE_WORDS.contains(&bare)
            || SENSITIVE_SUFFIXES.iter().any(|end| bare.ends_with(end))
            || SENSITIVE_PREFIXES.iter().any(|beginning| bare.starts_with(beginning))
    };
    let together = |pair: &[String]| {
        SENSITIVE_PAIRS.iter().any(|(first, second)| {
            first.contains(&pair[0].as_str()) && second.contains(&pair[1].as_str())
        })
    };
    SENSITIVE_LAST_WORDS.contains(&last.trim_end_matches(|c: char| c.is_ascii_digit()))
        || words.iter().any(given_away)
        || words.windows(2).any(together)
}

/// The same, where a name that says too little is judged by its value.
pub fn is_secret(name: &str, value: &str) -> bool {
    is_secret_name(name) || (is_ambiguous_name(name) && credential_value::is_credential(value))
}

/// Whether the name may mean anything.
pub(super) fn is_ambiguous_name(name: &str) -> bool {
    matches!(name_words(name).as_slice(), [word] if matches!(word.as_str(), "code" | "key"))
}

/// The words of a name, in lower case: `X-Api-Key`, `apiKey`, `AWSAccessKeyId`
/// and `user%5Bkey%5D`.
fn name_words(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let letters: Vec<char> = name.chars().take(200).collect();
    let mut at = 0;
    while at < letters.len() {
        let letter = letters[at];
        let hex = |offset: usize| letters.get(at + offset).is_some_and(char::is_ascii_hexdigit);
        if letter == '%' && hex(1) && hex(2) {
            words.push(String::new());
            at += 3;
            continue;
        }
        if !letter.is_alphanumeric() {
            words.push(String::new());
            at += 1;
            continue;
        }
        let before = at.checked_sub(1).map(|before| letters[before]);
        let lower = |letter: Option<&char>| letter.is_some_and(|letter| letter.is_lowercase());
        let begins = letter.is_uppercase()
            && (before.is_some_and(|before| before.is_lowercase() || before.is_ascii_digit())
                || before.is_some_and(char::is_uppercase) && lower(letters.get(at + 1)));
        if begins {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut() {
            word.extend(letter.to_lowercase());
        }
        at += 1;
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The value of the header `name` as it may be shown: of cookies their names
/// and attributes, of credentials their scheme.
pub fn redact_header(name: &str, value: &str) -> String {
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "cookie" => redact_pairs(value, usize::MAX),
        // Some clients join several of them with line feeds.
        "set-cookie" => {
            value.lines().map(|line| redact_pairs(line, 1)).collect::<Vec<_>>().join("\n")
        }
        "authorization" | "proxy-authorization" => match value.split_once(' ') {
            Some((scheme, _)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                format!("{scheme} {REDACTED}")
            }
            _ => REDACTED.to_owned(),
        },
        _ if is_secret(&lower, value) => REDACTED.to_owned(),
        _ => redact(value).into_owned(),
    }
}

/// `a=1; b=2` with the values of the first `count` pairs taken out.
fn redact_pairs(text: &str, count: usize) -> String {
    let one = |(at, pair): (usize, &str)| match pair.split_once('=') {
        Some((name, _)) if at < count => format!("{}={REDACTED}", name.trim()),
        None if at < count => REDACTED.to_owned(),
        _ => pair.trim().to_owned(),
    };
    text.split(';').enumerate().map(one).collect::<Vec<_>>().join("; ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_keep_what_is_no_secret() {
        let table = [
            ("Cookie", "a=1; b=2", "a=[redacted]; b=[redacted]"),
            ("Set-Cookie", "id=42; Path=/; HttpOnly", "id=[redacted]; Path=/; HttpOnly"),
            ("set-cookie", "a=1\nb=2; Secure", "a=[redacted]\nb=[redacted]; Secure"),
            ("set-cookie", "bare", "[redacted]"),
            ("Authorization", "Basic YTpi", "Basic [redacted]"),
            ("authorization", "odd", "[redacted]"),
            ("X-Api-Key", "k", "[redacted]"),
            ("X-Amz-Security-Token", "k", "[redacted]"),
            ("X-Session", "k", "[redacted]"),
            ("Content-Type", "text/html", "text/html"),
            ("Location", "/a?access_token=abc&b=1", "/a?access_token=[redacted]&b=1"),
            ("Location", "/cb?code=abc&state=1", "/cb?code=[redacted]&state=1"),
        ];
        for (name, value, expected) in table {
            assert_eq!(redact_header(name, value), expected, "{name}: {value}");
        }
    }

    #[test]
    fn names_of_secrets_are_known_however_they_are_written() {
        for name in [
            "sig",
            "otp",
            "pin",
            "hmac",
            "X-Session",
            "x-session-id",
            "sessionId",
            "PHPSESSID",
            "JSESSIONID",
            "connect.sid",
            "ASP.NET_SessionId",
            "csrf",
            "csrfmiddlewaretoken",
            "X-CSRF-Token",
            "_csrf",
            "authenticity_token",
            "__RequestVerificationToken",
            "X-Amz-Signature",
            "X-Amz-Credential",
            "X-Goog-Signature",
            "SAMLResponse",
            "saml_response",
            "client_assertion",
            "ticket",
            "auth_code",
            "one_time_code",
            "verificationCode",
            "2fa_code",
            "code_verifier",
            "oauth_verifier",
            "cvv",
            "cardNumber",
            "cc-number",
            "user[password]",
            "user%5Bpassword%5D",
            "password2",
            "password_again",
            "newPassword",
            "AWSAccessKeyId",
            "Ocp-Apim-Subscription-Key",
            "x-auth",
            "authToken",
            "my_token_1",
            "pwd",
            "pass",
            "id_token",
            "sso_key",
            "apikey",
            "api.key",
            "userpassword",
        ] {
            assert!(is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn ordinary_names_are_no_secrets() {
        for name in [
            "accept",
            "etag",
            "content-length",
            "x-request-id",
            "author",
            "keyboard",
            "zipcode",
            "zip_code",
            "country_code",
            "code",
            "key",
            "error_code",
            "statusCode",
            "token_type",
            "max_tokens",
            "pin_id",
            "pinned",
            "spin",
            "session_start",
            "session_count",
            "tickets",
            "ticket_id",
            "assign",
            "design",
            "signin",
            "compass",
            "passenger",
            "bypass_cache",
            "page",
            "side",
            "inside",
            "sec-websocket-key",
            "idempotency-key",
            "",
            "7",
            "_",
            "password_length",
            "cookie_policy",
            "authority",
            "class",
            "x-amz-date",
            "codec",
        ] {
            assert!(!is_secret_name(name), "{name}");
        }
    }

    #[test]
    fn an_open_name_is_judged_by_its_value() {
        assert!(is_secret("code", "4/0AX4XfWhQ2xyz") && is_secret("key", "a1b2c3d4e5"));
        assert!(!is_secret("code", "en") && !is_secret("key", "name"));
        assert!(!is_secret("zipcode", "94103123"));
    }
}
