//! Secrets as pages and addresses write them: encoded for an address, for
//! markup, for JSON, or in base64.

use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use super::REDACTED;

/// Secrets of fewer bytes are looked for as words only: they are everywhere.
const SHORT: usize = 4;

/// Those of fewer cannot be told from other text.
const SHORTEST: usize = 3;

/// What `encodeURIComponent` leaves as it is.
const COMPONENT: &AsciiSet = &NON_ALPHANUMERIC
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
const FORM: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'*').remove(b' ');

/// What browsers encode in the query of an address that was typed.
const QUERY: &AsciiSet =
    &percent_encoding::CONTROLS.add(b' ').add(b'"').add(b'#').add(b'<').add(b'>').add(b'\'');

/// What Python's `quote` and many servers leave as it is.
const STRICT: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_').remove(b'.').remove(b'~');

/// A secret that is known, to be found in many texts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Known {
    secret: String,
    /// The longest first.
    disguises: Vec<String>,
}

impl Known {
    /// This secret, in every disguise.
    pub fn new(secret: String) -> Self {
        let disguises = if secret.len() < SHORT { Vec::new() } else { disguises(&secret) };
        Self { secret, disguises }
    }

    /// `text` without it, however it is written there. One that is too short to
    /// be told from other text stays, unless it is all of the text or of an
    /// attribute `value`.
    pub fn out_of(&self, text: &str) -> String {
        if text == self.secret && !text.is_empty() {
            return REDACTED.to_owned();
        }
        if self.secret.len() >= SHORT {
            return self.disguises.iter().fold(text.to_owned(), |text, disguise| {
                if text.contains(disguise) { text.replace(disguise, REDACTED) } else { text }
            });
        }
        let marked = format!("value=\"{}\"", escaped(&self.secret));
        let text = match self.secret.is_empty() {
            true => text.to_owned(),
            false => text.replace(&marked, &format!("value=\"{REDACTED}\"")),
        };
        if self.secret.len() < SHORTEST { text } else { without_word(&text, &self.secret) }
    }
}

/// `text` without `secret`, however it is written there.
pub fn without(text: &str, secret: &str) -> String {
    Known::new(secret.to_owned()).out_of(text)
}

/// Whether `text` is `secret`, or holds it in any disguise.
pub fn holds(text: &str, secret: &str) -> bool {
    text == secret || without(text, secret) != *text
}

/// The longest first: one may be a part of another.
fn disguises(secret: &str) -> Vec<String> {
    let percent = |set| utf8_percent_encode(secret, set).to_string();
    let mut all = vec![
        secret.to_owned(),
        escaped(secret),
        escaped(secret).replace('\'', "&#39;"),
        escaped(secret).replace('\u{a0}', "&nbsp;"),
        percent(COMPONENT),
        percent(FORM).replace(' ', "+"),
        percent(QUERY),
        percent(STRICT),
        secret.replace(' ', "+"),
    ];
    let lower: Vec<String> = all.iter().map(|text| lower_case_hex(text)).collect();
    all.extend(lower);
    let marked: Vec<String> = all.iter().map(|text| escaped(text)).collect();
    all.extend(marked);
    let json = serde_json::Value::from(secret).to_string();
    all.push(json.trim_matches('"').to_owned());
    for engine in [STANDARD, STANDARD_NO_PAD, URL_SAFE, URL_SAFE_NO_PAD] {
        all.push(engine.encode(secret));
    }
    all.retain(|text| text.len() >= SHORT);
    all.sort_by(|one, other| other.len().cmp(&one.len()).then_with(|| one.cmp(other)));
    all.dedup();
    all
}

/// A text as HTML has it.
fn escaped(text: &str) -> String {
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

fn without_word(text: &str, word: &str) -> String {
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
    use super::{holds, without};

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
            let clean = without(text, secret);
            assert!(clean.contains("[redacted]"), "{secret} in {text}: {clean}");
            assert!(holds(text, secret));
        }
    }

    #[test]
    fn short_secrets_are_words() {
        assert_eq!(without("1987, 9870 and a987b, 987", "987"), "1987, 9870 and a987b, [redacted]");
        assert_eq!(without("a 12 b", "12"), "a 12 b");
        assert_eq!(without("12", "12"), "[redacted]");
        assert_eq!(without(r#"<i value="12">12"#, "12"), r#"<i value="[redacted]">12"#);
        assert_eq!(without("", ""), "");
    }
}
