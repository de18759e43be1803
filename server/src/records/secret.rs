//! Which headers carry secrets, by their names.

/// Words that a name with a secret holds.
const WORDS: [&str; 12] = [
    "auth", "cookie", "token", "secret", "password", "passwd", "session", "credential", "signature",
    "api-key", "apikey", "access-key",
];

/// Whether the value of the header `name` is never printed, logged or kept.
pub fn is_secret_header(name: &str) -> bool {
    let name = name.to_ascii_lowercase().replace('_', "-");
    let authority = name == ":authority";
    !authority && (WORDS.iter().any(|word| name.contains(word)) || name.ends_with("-key"))
}

#[cfg(test)]
mod tests {
    use super::is_secret_header;

    #[test]
    fn secrets_are_known_by_name() {
        for name in [
            "Authorization", "proxy-authorization", "Cookie", "Set-Cookie", "X-Api-Key", "x_api_key",
            "X-CSRF-Token", "x-amz-security-token", "X-Auth", "x-goog-api-key", "X-Session-Id",
            "ocp-apim-subscription-key",
        ] {
            assert!(is_secret_header(name), "{name}");
        }
        for name in ["accept", "x-test", "referer", "user-agent", ":authority", "keyboard"] {
            assert!(!is_secret_header(name), "{name}");
        }
    }
}
