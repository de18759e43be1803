//! The output of a run: one JSON document.

use browse_proto::Reason;
use serde::de::IgnoredAny;

use browse_base::{Error, Result};

/// Most bytes that a run may print.
pub const MAX_OUTPUT_BYTES: u64 = 1024 * 1024;

/// The document, as it was printed.
///
/// # Errors
/// `SKILL_OUTPUT_INVALID`: it is none, or there is more than one.
pub fn parse_document(skill: &str, bytes: Vec<u8>) -> Result<String> {
    let wrong = |problem: &str, text: &str| {
        let message = format!("the skill `{skill}` printed no JSON document: {problem}");
        Error::new(Reason::SkillOutputInvalid, message).with("skill", skill).with("output", text)
    };
    let text = match String::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => {
            let text = String::from_utf8_lossy(error.as_bytes());
            return Err(wrong("it is not UTF-8", &text));
        }
    };
    let trimmed = text.trim();
    if trimmed.is_empty() {
        return Err(wrong("it printed nothing", ""));
    }
    match serde_json::from_str::<IgnoredAny>(trimmed) {
        Ok(_) => Ok(trimmed.to_owned()),
        Err(error) => Err(wrong(&error.to_string(), trimmed)),
    }
}

#[cfg(test)]
mod tests {
    use super::parse_document;

    fn problem(text: &[u8]) -> String {
        let error = parse_document("a", text.to_vec()).expect_err("it is not a document");
        format!("{error} / {}", error.page_quotes().first().map_or("", |quote| &quote.text))
    }

    #[test]
    fn one_document_passes_as_it_is() {
        for text in ["null", " [1, 2.50] \n", "{\"a\":1e400}", "\"\u{1f30d}\""] {
            assert_eq!(parse_document("a", text.as_bytes().to_vec()).expect(text), text.trim());
        }
    }

    #[test]
    fn anything_else_is_quoted() {
        let begins = "the skill `a` printed no JSON document: ";
        for text in ["", "hello", "{} {}", "{\"a\":}", "[1,", "\u{0}"] {
            assert!(problem(text.as_bytes()).starts_with(begins), "{text}");
        }
        assert!(problem(b"\xff\xfe").contains("not UTF-8"));
        assert!(problem("x".repeat(500).as_bytes()).ends_with("xx…"));
        assert!(problem("[".repeat(500).as_bytes()).starts_with(begins));
    }
}
