//! A short receipt on one line, which needs no envelope.
//!
//! Our words stand bare, words of the page in quotes, after a mark with the nonce
//! and the source: `[7f3a9c shop.test] alert: "Saved"; focus: textbox "Email"`.
//! Within quotes nothing ends the line, the quotes or the mark, so that whatever is
//! not quoted is ours. A receipt without words of the page has no mark.

use serde_json::{Map, Value};

use super::{Untrusted, envelope::is_break};
use crate::{Command, FieldType};

/// Characters of a page that one line may hold.
const MAX_PAGE_CHARS: usize = 200;

/// What is drawn like the quotes.
const QUOTE_CHARACTERS: &str = "\"\u{201c}\u{201d}\u{201e}\u{201f}\u{2033}\u{2036}\u{2ba}\u{2dd}\u{2ee}\
    \u{2f6}\u{5f4}\u{275d}\u{275e}\u{301d}\u{301e}\u{3003}\u{1cd3}\u{ff02}";

/// One line for the receipt that `response` is: none when it is something else,
/// is too long, has a text of several lines or comes with a warning.
pub fn receipt_line(
    command: &Command,
    response: &Map<String, Value>,
    untrusted: &Untrusted,
) -> Option<String> {
    let field = &command.response.fields[command.result?];
    let is_receipt = matches!(field.kind, FieldType::Message(of) if of.name == "Receipt");
    if !is_receipt || !untrusted.warnings.is_empty() {
        return None;
    }
    let facts = response.get(field.name)?.get("facts")?.as_array()?;
    let mut line = ReceiptLine::default();
    for fact in facts {
        line.add(fact)?;
    }
    let Untrusted { nonce, source, .. } = untrusted;
    match (line.text.is_empty(), line.page_chars) {
        (true, _) => None,
        (_, 0) => Some(line.text),
        (_, 1..=MAX_PAGE_CHARS) => Some(format!("[{nonce} {source}] {}", line.text)),
        _ => None,
    }
}

#[derive(Default)]
struct ReceiptLine {
    text: String,
    /// Characters of the page.
    page_chars: usize,
}

impl ReceiptLine {
    /// Adds a fact; none when it does not fit on a line.
    fn add(&mut self, fact: &Value) -> Option<()> {
        let part = |name: &str| fact.get(name).and_then(Value::as_str).unwrap_or_default();
        let [label, role, name, text, note] = ["label", "role", "name", "text", "note"].map(part);
        if [label, role, name, text, note].iter().any(|part| part.contains(is_break)) {
            return None;
        }
        if !self.text.is_empty() {
            self.text.push_str("; ");
        }
        self.text.extend(visible_characters(label));
        if !role.is_empty() {
            self.text.push_str(": ");
            self.text.extend(visible_characters(role));
        }
        if !name.is_empty() {
            self.text.push(' ');
            self.quote(name);
        }
        if !text.is_empty() {
            self.text.push_str(": ");
            self.quote(text);
        }
        if !note.is_empty() {
            self.text.push_str(if note.starts_with(',') { "" } else { " " });
            self.text.extend(visible_characters(note));
        }
        Some(())
    }

    /// Words of the page. A backslash stands before what could end the quotes, and
    /// before itself.
    fn quote(&mut self, text: &str) {
        self.page_chars += text.chars().count();
        self.text.push('"');
        for letter in visible_characters(text).skip_while(|letter| is_combining(*letter)) {
            if letter == '\\' || QUOTE_CHARACTERS.contains(letter) {
                self.text.push('\\');
            }
            self.text.push(letter);
        }
        self.text.push('"');
    }
}

/// The letters that can be seen. The daemon has left out the others already, where
/// it is one that can be trusted.
fn visible_characters(text: &str) -> impl Iterator<Item = char> {
    text.chars().map(|letter| if letter == '\t' { ' ' } else { letter }).filter(|letter| {
        let is_hidden = matches!(letter, '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{180e}'
            | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}'
            | '\u{feff}' | '\u{fff9}'..='\u{fffb}' | '\u{e0000}'..='\u{e0fff}');
        !letter.is_control() && !is_hidden
    })
}

/// Whether a letter is drawn over the one before it, which may be our quote.
fn is_combining(letter: char) -> bool {
    matches!(letter, '\u{300}'..='\u{36f}' | '\u{483}'..='\u{489}' | '\u{591}'..='\u{5c7}'
        | '\u{610}'..='\u{61a}' | '\u{64b}'..='\u{65f}' | '\u{1ab0}'..='\u{1aff}'
        | '\u{1dc0}'..='\u{1dff}' | '\u{20d0}'..='\u{20ff}' | '\u{3099}' | '\u{309a}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{fe20}'..='\u{fe2f}')
}
