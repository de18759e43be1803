//! Secrets in running text: by their own shape, or by the name before them.

use std::{borrow::Cow, sync::LazyLock};

use regex::{Captures, Regex};

use super::{
    REDACTED,
    credential_value::{is_beside_oauth_parameters, is_credential},
    sensitive_names::{is_ambiguous_name, is_secret, is_secret_name},
};

/// Secrets that are known by their shape.
const TOKEN_PATTERNS: &[&str] = &[
    // Private keys in PEM, cut ones too.
    r"-----BEGIN [A-Z0-9 ]*PRIVATE KEY-----(?:[A-Za-z0-9+/=:,\s-]|\\[nr])*(?:-----END [A-Z0-9 ]*PRIVATE KEY-----)?",
    // JSON web tokens.
    r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
    r"\bhttps://hooks\.slack\.com/services/[A-Za-z0-9_/-]+",
    // The address of `cdp-url`.
    r"\bcdp_[0-9a-f]{32}\b",
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

/// Parts that the name of every secret has. What they find is judged by its
/// whole name.
const CANDIDATE_NAME_PARTS: &str = "assertion|auth|bearer|card|cc|code|cookie|cred|csc|csrf|cv[cv]|hmac|jwt|key|mnemonic|otp|pass|phrase|pin|pwd|saml|sas|secret|sess|sid|sig|ssn|sso|ticket|token|verifier|words|xsrf";

/// What a name is written with in running text, and in quotes.
const NAME_CHARS: &str = r"[0-9A-Za-z_.%\[\]-]";
const QUOTED_NAME_CHARS: &str = r"[0-9A-Za-z_.%\[\]\u{80}-\u{10FFFF}-]";

/// One expression: what is to stay is in `keep`.
static SECRET_REGEX: LazyLock<Regex> = LazyLock::new(|| {
    let bare = format!("{NAME_CHARS}*(?i:{CANDIDATE_NAME_PARTS}){NAME_CHARS}*");
    let name = format!("{QUOTED_NAME_CHARS}*(?i:{CANDIDATE_NAME_PARTS}){QUOTED_NAME_CHARS}*");
    let shapes = TOKEN_PATTERNS.join("|");
    let all = [
        // `Cookie: a=1`, a header in a log line.
        r"(?P<header>(?i:\b(?:proxy-)?authorization|\b(?:set-)?cookie)\s*:\s*)(?:[^\r\n\x22\\]|\\.)+".to_owned(),
        // `"password": "…"`, also escaped once, and `"pin": 1234`.
        format!(r#"(?P<json>"(?P<json_name>{name})"\s*:\s*")(?P<json_value>(?:[^"\\]|\\.)*)"#),
        format!(r#"(?P<quoted>\\"(?P<quoted_name>{name})\\"\s*:\s*\\")(?P<quoted_value>[^"\\]*)"#),
        format!(r#"(?P<number>\\?"(?P<number_name>{name})\\?"\s*:\s*)(?P<number_value>-?[0-9.]+)"#),
        // A field of a form with parts.
        format!(r#"(?P<part>name="(?P<part_name>{name})"[^\r\n]*(?:\r?\n[^\r\n]+)*\r?\n\r?\n)(?P<part_value>[^\r\n]+)"#),
        // `?token=…` and `password=…` of a form.
        format!(r"(?P<pair>(?P<pair_name>{bare})=)(?P<pair_value>[^&;#\s,'\x22)\\]+)"),
        // `X-Session: …` in running text.
        format!(r"(?P<colon>(?P<colon_name>{bare}):\s+)(?P<colon_value>[^\s,;'\x22]+)"),
        r"(?P<bearer>(?i:\bbearer)\s+)[A-Za-z0-9._~+/-]{8,}=*".to_owned(),
        shapes,
    ];
    compile_ascii(&all.join("|")).expect("the table of secrets is a regular expression")
});

/// The shapes alone.
static TOKEN_REGEX: LazyLock<Regex> = LazyLock::new(|| {
    compile_ascii(&TOKEN_PATTERNS.join("|")).expect("the shapes of secrets are regular expressions")
});

/// Compiles an expression of secrets. They are written in ASCII; words and cases
/// of all alphabets would take eight times the memory (1.4 MB of it here, and
/// more for each thread), and let a secret be right behind an `é`.
fn compile_ascii(expression: &str) -> Result<Regex, regex::Error> {
    let ascii = expression.replace(r"\b", r"(?-u:\b)").replace("(?i:", "(?i-u:");
    Regex::new(&ascii)
}

/// Whether `text` holds what is a secret by its own shape.
pub fn contains_token(text: &str) -> bool {
    TOKEN_REGEX.is_match(text)
}

/// `text` with its secrets taken out.
pub fn redact(text: &str) -> Cow<'_, str> {
    let mut bare = String::new();
    let mut done = 0;
    for found in SECRET_REGEX.captures_iter(text) {
        let Some(whole) = found.get(0) else { continue };
        let Some(instead) = replacement(text, &found) else { continue };
        bare.push_str(&text[done..whole.start()]);
        bare.push_str(&instead);
        done = whole.end();
    }
    if done == 0 {
        return Cow::Borrowed(text);
    }
    bare.push_str(&text[done..]);
    Cow::Owned(bare)
}

/// What stands in the place of something found; nothing when it may stay.
fn replacement(text: &str, found: &Captures<'_>) -> Option<String> {
    for form in ["json", "quoted", "number", "part", "pair", "colon"] {
        let Some(kept) = found.name(form) else { continue };
        let part =
            |end: &str| found.name(&format!("{form}_{end}")).map_or("", |part| part.as_str());
        let (name, value) = (part("name"), part("value"));
        let (kept, whole) = (kept.as_str(), found.get(0)?);
        let is_secret = match form {
            // Prose has colons too: the value has to look like a secret.
            "colon" => is_secret_name(name) && is_credential(value),
            "pair" if is_ambiguous_name(name) => {
                is_credential(value) || is_beside_oauth_parameters(text, whole.start(), whole.end())
            }
            _ => is_secret(name, value),
        };
        return match (is_secret && !value.is_empty(), form) {
            (true, "number") => Some(format!("{kept}\"{REDACTED}\"")),
            (true, _) => Some(format!("{kept}{REDACTED}")),
            // Its value may be a secret by itself.
            (false, _) => match redact(value) {
                Cow::Owned(bare) => Some(format!("{kept}{bare}")),
                Cow::Borrowed(_) => None,
            },
        };
    }
    let kept = ["header", "bearer"].iter().find_map(|name| found.name(name));
    Some(format!("{}{REDACTED}", kept.map_or("", |kept| kept.as_str())))
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
                "https://a.b/cb?code=x1&state=2&zipcode=3".to_owned(),
                "https://a.b/cb?code=[redacted]&state=2&zipcode=3",
            ),
            ("/a?code=en&sig=x&otp=1#b".to_owned(), "/a?code=en&sig=[redacted]&otp=[redacted]#b"),
            (r#"{"pin": 1234, "n": 1}"#.to_owned(), r#"{"pin": "[redacted]", "n": 1}"#),
            ("x-session: a1b2c3d4e5 end".to_owned(), "x-session: [redacted] end"),
            (
                "name=\"password\"\r\n\r\nhunter2\r\n--b".to_owned(),
                "name=\"password\"\r\n\r\n[redacted]\r\n--b",
            ),
            ("user%5Bpassword%5D=x&a=1".to_owned(), "user%5Bpassword%5D=[redacted]&a=1"),
            (format!("keyword=ghp_{long}"), "keyword=[redacted]"),
            (format!("éghp_{long}"), "é[redacted]"),
            (r#"{"clé_secret": "x"}"#.to_owned(), r#"{"clé_secret": "[redacted]"}"#),
            ("mot-de-passe-clé-token=x1y2".to_owned(), "mot-de-passe-clé-token=[redacted]"),
            (format!("bearer\u{a0}{long} b"), "bearer\u{a0}[redacted] b"),
            (
                "token:\u{3000}a8f5f167f44f4964e6c998dee827110c".to_owned(),
                "token:\u{3000}[redacted]",
            ),
            ("授权：password=hunter2".to_owned(), "授权：password=[redacted]"),
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
    fn a_name_begins_where_its_letters_do() {
        let text = format!("{}token=x1y2", "─".repeat(205));
        assert!(redact(&text).ends_with("─token=[redacted]"), "{}", redact(&text));
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
            "/a?code=en&country_code=DE&zipcode=94103&token_type=bearer&pin_id=7",
            r#"{"code":"ERR_BAD","statusCode":404,"key":"name","tokens":12}"#,
            "Password: required",
        ] {
            assert!(matches!(redact(text), Cow::Borrowed(_)), "{text} -> {}", redact(text));
        }
    }
}
