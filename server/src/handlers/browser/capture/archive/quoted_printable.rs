//! Secrets in text that is quoted-printable, as the documents of MHTML are:
//! lines are folded anywhere, and what is not plain is `=3D`.

use std::fmt::Write as _;

use regex::bytes::{NoExpand, Regex};

use browse_secrets::{REDACTED, SecretMatcher};

/// `text` without the secrets.
pub fn redact(text: Vec<u8>, secrets: &[SecretMatcher]) -> Vec<u8> {
    let forms = secrets.iter().flat_map(SecretMatcher::search_forms);
    forms.fold(text, |text, form| {
        // One that is an attribute stays one.
        let instead = match form.starts_with("value=\"") {
            true => format!("value=3D\"{REDACTED}\""),
            false => REDACTED.to_owned(),
        };
        match folded_pattern(&form) {
            Some(pattern) => pattern.replace_all(&text, NoExpand(instead.as_bytes())).into_owned(),
            None => text,
        }
    })
}

/// What finds a text however it is folded. Long ones are folded for certain.
fn folded_pattern(form: &str) -> Option<Regex> {
    let mut pattern = String::from("(?-u)");
    for (at, byte) in form.bytes().enumerate() {
        if at > 0 {
            pattern.push_str("(?:=\\r?\\n)?");
        }
        let _ = match byte {
            b' ' => write!(pattern, "(?: |=20)"),
            b'=' | b'\t' | b'\r' | b'\n' | 0x7f.. => write!(pattern, "(?i:={byte:02X})"),
            byte => write!(pattern, "\\x{byte:02x}"),
        };
    }
    Regex::new(&pattern).ok()
}

#[cfg(test)]
mod tests {
    use super::{SecretMatcher, redact};

    fn clean(text: &str, secret: &str) -> String {
        let bytes = redact(text.as_bytes().to_vec(), &[SecretMatcher::new(secret.to_owned())]);
        String::from_utf8(bytes).expect("text")
    }

    #[test]
    fn a_secret_is_found_over_folded_lines() {
        for (text, secret, wanted) in [
            ("<input value=3D\"hun=\r\nter2\">", "hunter2", "<input value=3D\"[redacted]\">"),
            ("a=3Db=\nc d", "a=bc", "[redacted] d"),
            ("x gr=C3=BC=\r\n=C3=9Fe y", "grüße", "x [redacted] y"),
            ("<i value=3D\"987\">987", "987", "<i value=3D\"[redacted]\">987"),
            ("?p=3Dp%40ss%2Fw0rd", "p@ss/w0rd", "?p=3D[redacted]"),
            ("nothing here", "hunter2", "nothing here"),
        ] {
            assert_eq!(clean(text, secret), wanted);
        }
    }
}
