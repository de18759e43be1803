//! Secrets as pages and addresses write them: encoded for an address, for
//! markup, for JSON, or in base64.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::REDACTED;

/// Secrets of fewer bytes are looked for as words only: they are everywhere.
const MIN_SUBSTRING_BYTES: usize = 4;

/// Those of fewer cannot be distinguished from other text.
const MIN_SECRET_BYTES: usize = 3;

/// What `encodeURIComponent` leaves as it is.
const URI_COMPONENT_SET: &AsciiSet = &NON_ALPHANUMERIC
    .remove(b'-')
    .remove(b'_')
    .remove(b'.')
    .remove(b'!')
    .remove(b'~')
    .remove(b'*')
    .remove(b'\'')
    .remove(b'(')
    .remove(b')');

/// What a form that is sent leaves as it is, but for the blank.
const FORM_SET: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'*').remove(b' ');

/// What browsers encode in the query of an address that was typed.
const QUERY_SET: &AsciiSet =
    &percent_encoding::CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'\'');

/// What Python's `quote` and many servers leave as it is.
const STRICT_SET: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// A secret that is known, to be found in many texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SecretMatcher {
    secret: String,
    /// The longest first.
    encodings: Vec<String>,
}

impl SecretMatcher {
    /// This secret, in every disguise.
    pub fn new(secret: String) -> Self {
        let disguises =
            if secret.len() < MIN_SUBSTRING_BYTES { Vec::new() } else { encodings_of(&secret) };
        Self { secret, encodings: disguises }
    }

    /// Every way to write it in running text; of one that is too short to be
    /// distinguished from other text in the one way that reveals it.
    pub fn search_forms(&self) -> Vec<String> {
        match (self.encodings.is_empty(), self.secret.is_empty()) {
            (false, _) => self.encodings.clone(),
            (true, false) => vec![format!("value=\"{}\"", escape_html(&self.secret))],
            (true, true) => Vec::new(),
        }
    }

    /// `text` without it, however it is written there. One that is too short to
    /// be distinguished from other text stays, unless it is all of the text or of an
    /// attribute `value`.
    pub fn redact_in(&self, text: &str) -> String {
        if text == self.secret && !text.is_empty() {
            return REDACTED.to_owned();
        }
        if self.secret.len() >= MIN_SUBSTRING_BYTES {
            return self.encodings.iter().fold(text.to_owned(), |text, disguise| {
                if text.contains(disguise) { text.replace(disguise, REDACTED) } else { text }
            });
        }
        let marked = format!("value=\"{}\"", escape_html(&self.secret));
        let text = match self.secret.is_empty() {
            true => text.to_owned(),
            false => text.replace(&marked, &format!("value=\"{REDACTED}\"")),
        };
        if self.secret.len() < MIN_SECRET_BYTES { text } else { redact_word(&text, &self.secret) }
    }
}

/// `text` without `secret`, however it is written there.
pub fn redact_secret(text: &str, secret: &str) -> String {
    SecretMatcher::new(secret.to_owned()).redact_in(text)
}

/// Whether `text` is `secret`, or holds it in any disguise.
pub fn contains_secret(text: &str, secret: &str) -> bool {
    text == secret || redact_secret(text, secret) != *text
}

/// The longest first: one may be a part of another.
fn encodings_of(secret: &str) -> Vec<String> {
    let percent = |set| utf8_percent_encode(secret, set).to_string();
    let mut all = vec![
        secret.to_owned(),
        escape_html(secret),
        escape_html(secret).replace('\'', "&#39;"),
        escape_html(secret).replace('\u{a0}', "&nbsp;"),
        percent(URI_COMPONENT_SET),
        percent(FORM_SET).replace(' ', "+"),
        percent(QUERY_SET),
        percent(STRICT_SET),
        secret.replace(' ', "+"),
    ];
    let lower: Vec<String> = all.iter().map(|text| lower_case_hex(text)).collect();
    all.extend(lower);
    let marked: Vec<String> = all.iter().map(|text| escape_html(text)).collect();
    all.extend(marked);
    let json = serde_json::Value::from(secret).to_string();
    all.push(json.trim_matches('"').to_owned());
    for engine in [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD] {
        all.push(engine.encode(secret));
    }
    all.retain(|text| text.len() >= MIN_SUBSTRING_BYTES);
    all.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    all.dedup();
    all
}

/// A text as HTML has it.
fn escape_html(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
}

/// `%2F` as `%2f`.
fn lower_case_hex(text: &str) -> String {
    let mut left = 0;
    let letter = |letter: char| {
        let is_hex = left > 0;
        left = if letter == '%' { 2 } else { left.max(1) - 1 };
        if is_hex { letter.to_ascii_lowercase() } else { letter }
    };
    text.chars().map(letter).collect()
}

fn redact_word(text: &str, word: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(word) {
        let (before, behind) = (&rest[..at], &rest[at + word.len()..]);
        let begins = !out.ends_with(char::is_alphanumeric) || !before.is_empty();
        let begins = begins && !before.ends_with(char::is_alphanumeric);
        out.push_str(before);
        let whole = begins && !behind.starts_with(char::is_alphanumeric);
        out.push_str(if whole { REDACTED } else { word });
        rest = behind;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::{contains_secret, redact_secret};

    #[test]
    fn a_secret_is_found_in_every_disguise() {
        for (secret, text) in [
            ("Hunter 2!", "s6.html?u=ada&p=Hunter+2%21&x"),
            ("Hunter 2!", "a Hunter%202! b"),
            ("p@ss/w0rd", "?p=p%40ss%2Fw0rd"),
            ("p@ss/w0rd", "?p=p%40ss%2fw0rd"),
            ("S3kr!t pass/Word&9", "href='?q=S3kr!t%20pass%2FWord%269'"),
            ("S3kr!t pass/Word&9", "S3kr!t pass/Word&amp;9"),
            ("quo\"te\\d", r#"{"p":"quo\"te\\d"}"#),
            ("Hunter 2!", "SHVudGVyIDIh"),
            ("987", "cvc | 987 |"),
        ] {
            let clean = redact_secret(text, secret);
            assert!(clean.contains("[redacted]"), "{secret} in {text}: {clean}");
            assert!(contains_secret(text, secret));
        }
    }

    #[test]
    fn short_secrets_are_words() {
        assert_eq!(
            redact_secret("1987, 9870 and a987b, 987", "987"),
            "1987, 9870 and a987b, [redacted]"
        );
        assert_eq!(redact_secret("a 12 b", "12"), "a 12 b");
        assert_eq!(redact_secret("12", "12"), "[redacted]");
        assert_eq!(redact_secret(r#"<i value="12">12"#, "12"), r#"<i value="[redacted]">12"#);
        assert_eq!(redact_secret("", ""), "");
    }
}
