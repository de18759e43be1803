//! A target as the script takes it.

use serde::{Deserialize, Serialize};

/// The parsed form, as the script takes it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "lowercase")]
pub(crate) enum Query {
    /// By number.
    Ref { number: u32 },
    /// By CSS.
    Css { selector: String },
    /// By XPath.
    XPath { selector: String },
    /// By what it shows.
    Text { name: TextPattern },
    /// By label.
    Label { name: TextPattern },
    /// By role.
    Role { role: String, name: Option<TextPattern>, states: Vec<String> },
    /// One of several matches: 0 is the first, -1 the last.
    Nth { of: Box<Query>, index: i32 },
}

/// A text to look for, or a regular expression.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct TextPattern {
    pub text: String,
    pub regex: bool,
    pub flags: String,
}

/// `text`, `"text"`, `'text'` or `/expression/flags`.
pub(super) fn parse_text_pattern(text: &str) -> Result<TextPattern, String> {
    let text = text.trim();
    if let Some(rest) = text.strip_prefix('/')
        && let Some(end) = rest.rfind('/')
        && end > 0
        && rest[end + 1..].bytes().all(|flag| b"dgimsuvy".contains(&flag))
    {
        return Ok(TextPattern {
            text: rest[..end].to_owned(),
            regex: true,
            flags: rest[end + 1..].to_owned(),
        });
    }
    let plain = unquote(text);
    if plain.trim().is_empty() {
        return Err("it says nothing to look for".to_owned());
    }
    Ok(TextPattern { text: plain, regex: false, flags: String::new() })
}

fn unquote(text: &str) -> String {
    for quote in ['"', '\''] {
        if text.len() >= 2
            && let Some(inner) = text.strip_prefix(quote).and_then(|rest| rest.strip_suffix(quote))
        {
            return inner.replace(&format!("\\{quote}"), &quote.to_string()).replace("\\\\", "\\");
        }
    }
    text.to_owned()
}
