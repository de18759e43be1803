//! Headers, fields and parameters that hold secrets, by their names.

use super::{REDACTED, redact};

/// Names that hold secrets wherever they stand, in lower case, `_` for `-`.
pub(super) const NAMES: &[&str] = &[
    "access_key",
    "access_token",
    "api_key",
    "apikey",
    "auth_token",
    "authorization",
    "client_secret",
    "csrf_token",
    "id_token",
    "passcode",
    "passwd",
    "password",
    "private_key",
    "refresh_token",
    "secret",
    "secret_key",
    "security_token",
    "session_token",
    "sessionid",
    "signature",
    "token",
    "xsrf_token",
];

/// Parts of a header's name that give it away.
const PARTS: &[&str] = &[
    "authorization",
    "cookie",
    "token",
    "secret",
    "password",
    "api_key",
    "apikey",
    "access_key",
    "session_id",
    "sessionid",
    "signature",
];

/// Whether a header, field or parameter of this name holds a secret.
pub fn is_secret_name(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('-', "_");
    NAMES.contains(&name.as_str()) || PARTS.iter().any(|part| name.contains(part))
}

/// The value of the header `name` as it may be shown: of cookies their names
/// and attributes, of credentials their scheme.
pub fn redact_header(name: &str, value: &str) -> String {
    let lower = name.to_ascii_lowercase();
    match lower.as_str() {
        "cookie" => pairs(value, usize::MAX),
        // Some clients join several of them with line feeds.
        "set-cookie" => value.lines().map(|line| pairs(line, 1)).collect::<Vec<_>>().join("\n"),
        "authorization" | "proxy-authorization" => match value.split_once(' ') {
            Some((scheme, _)) if scheme.bytes().all(|byte| byte.is_ascii_alphanumeric()) => {
                format!("{scheme} {REDACTED}")
            }
            _ => REDACTED.to_owned(),
        },
        _ if is_secret_name(&lower) => REDACTED.to_owned(),
        _ => redact(value).into_owned(),
    }
}

/// `a=1; b=2` with the values of the first `count` pairs taken out.
fn pairs(text: &str, count: usize) -> String {
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
            ("Content-Type", "text/html", "text/html"),
            ("Location", "/a?access_token=abc&b=1", "/a?access_token=[redacted]&b=1"),
        ];
        for (name, value, expected) in table {
            assert_eq!(redact_header(name, value), expected, "{name}: {value}");
        }
    }

    #[test]
    fn ordinary_names_are_no_secrets() {
        for name in ["accept", "etag", "content-length", "x-request-id", "author", "keyboard"] {
            assert!(!is_secret_name(name), "{name}");
        }
    }
}
