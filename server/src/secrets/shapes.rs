//! Secrets in running text: by their own shape, or by the name before them.

use std::{borrow::Cow, sync::LazyLock};

use regex::{Captures, Regex};

use super::{REDACTED, names::NAMES};

/// Secrets that are known by their shape.
const SHAPES: &[&str] = &[
    // Private keys in PEM, cut ones too.
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:[A-Za-z0-9+/=:,\s-]|\\[nr])*(?:-----END [A-Z0-9 ]*PRIVATE KEY-----)?",
    // JSON web tokens.
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    // Amazon.
    r"\b(?:AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}\b",
    // Google.
    r"\bAIza[0-9A-Za-z_-]{35}",
    r"\bya29\.[0-9A-Za-z_-]{20,}",
    r"\bGOCSPX-[0-9A-Za-z_-]{20,}",
    // Azure storage.
    r"\bAccountKey=[A-Za-z0-9+/]{40,}={0,2}",
    // GitHub, GitLab, npm, PyPI.
    r"\bgh[pousr]_[A-Za-z0-9]{20,}",
    r"\bgithub_pat_[A-Za-z0-9_]{20,}",
    r"\bglpat-[A-Za-z0-9_-]{20,}",
    r"\bnpm_[A-Za-z0-9]{30,}",
    r"\bpypi-[A-Za-z0-9_-]{50,}",
    // Model providers, Stripe, Slack, SendGrid.
    r"\bsk-[A-Za-z0-9_-]{16,}",
    r"\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}",
    r"\bxox[abeoprs]-[A-Za-z0-9-]{10,}",
    r"\bSG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",
];

/// One expression: what is to stay is in `keep`.
static SECRETS: LazyLock<Regex> = LazyLock::new(|| {
    let names = NAMES.iter().map(|name| name.replace('_', "[_-]?")).collect::<Vec<_>>().join("|");
    let names = format!("(?:[a-z0-9]+[_-])*(?:{names})");
    let shapes = SHAPES.join("|");
    let all = [
        // `Cookie: a=1`, a header in a log line.
        r"(?P<header>(?i:\b(?:proxy-)?authorization|\b(?:set-)?cookie)\s*:\s*)(?:[^\r\n\x22\\]|\\.)+".to_owned(),
        // `"password": "…"`, also escaped once.
        format!(r#"(?P<json>(?i:"{names}")\s*:\s*")(?:[^"\\]|\\.)*"#),
        format!(r#"(?P<quoted>(?i:\\"{names}\\")\s*:\s*\\")[^"\\]*"#),
        // `?token=…` and `password=…` of a form.
        format!(r"(?P<pair>(?:[?&;]|\b)(?i:{names})=)[^&;#\s,'\x22)\\]+"),
        r"(?P<bearer>(?i:\bbearer\s+))[A-Za-z0-9._~+/-]{8,}=*".to_owned(),
        shapes,
    ];
    Regex::new(&all.join("|")).expect("the table of secrets is a regular expression")
});

/// `text` with its secrets taken out.
pub fn redact(text: &str) -> Cow<'_, str> {
    SECRETS.replace_all(text, |found: &Captures<'_>| {
        let kept =
            ["header", "json", "quoted", "pair", "bearer"].iter().find_map(|name| found.name(name));
        format!("{}{REDACTED}", kept.map_or("", |kept| kept.as_str()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_go_whatever_they_stand_in() {
        let long = "a1B2".repeat(10);
        let table = [
            ("key AKIAABCDEFGHIJKLMNOP end".to_owned(), "key [redacted] end"),
            (format!("ghp_{long}"), "[redacted]"),
            (format!("github_pat_{long}"), "[redacted]"),
            (format!("sk-proj-{long}."), "[redacted]."),
            (format!("x eyJhbGciOiJI.eyJzdWIiOiIx.{long} y"), "x [redacted] y"),
            (
                "-----BEGIN RSA PRIVATE KEY-----\nabc\n-----END RSA PRIVATE KEY-----!".to_owned(),
                "[redacted]!",
            ),
            ("-----BEGIN PRIVATE KEY-----\nabc".to_owned(), "[redacted]"),
            ("Authorization: Basic YTpi\nnext".to_owned(), "Authorization: [redacted]\nnext"),
            ("set-cookie: a=1; Path=/".to_owned(), "set-cookie: [redacted]"),
            (format!("a bearer {long} b"), "a bearer [redacted] b"),
            (
                "https://a.b/c?access_token=x1&d=2#e".to_owned(),
                "https://a.b/c?access_token=[redacted]&d=2#e",
            ),
            ("user=ada&password=hunter2".to_owned(), "user=ada&password=[redacted]"),
            (
                r#"{"password": "hun\"ter", "a": 1}"#.to_owned(),
                r#"{"password": "[redacted]", "a": 1}"#,
            ),
            (r#""{\"my_token\":\"x\"}""#.to_owned(), r#""{\"my_token\":\"[redacted]\"}""#),
            (
                r#"{"client_secret":"x","b":2}"#.to_owned(),
                r#"{"client_secret":"[redacted]","b":2}"#,
            ),
        ];
        for (text, expected) in table {
            let redacted = redact(&text);
            assert!(redacted.starts_with(expected), "{text} -> {redacted}");
        }
    }

    #[test]
    fn ordinary_text_is_left_alone() {
        for text in [
            "GET https://example.com/a?q=rust&page=2",
            "the password is asked for below",
            "sk-learn and risk-free",
            "bearer of news",
            r#"{"name":"token ring","n":1}"#,
            "token 7 of 12",
        ] {
            assert!(matches!(redact(text), Cow::Borrowed(_)), "{text} -> {}", redact(text));
        }
    }
}
