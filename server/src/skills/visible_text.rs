//! The text of a file as a person has to see it before they trust the file: what an
//! editor would not draw, or would draw in another order, is escaped as in Rust.
//!
//! An escape and the same characters written out look the same. The hash of the file
//! tells them apart.

use std::fmt::Write as _;

/// Of so many bytes of a text, at most one is invalid or a control character.
const MIN_BYTES_PER_ODD_BYTE: usize = 10;

/// The content of a file with line feeds and tabs as they are; none when it is not text.
///
/// A text may have some bytes that are not UTF-8, and some control characters: one of
/// them would keep a whole program from being read otherwise.
pub fn visible_text(bytes: &[u8]) -> Option<String> {
    let (mut text, mut odd) = (String::with_capacity(bytes.len()), 0);
    for chunk in bytes.utf8_chunks() {
        for letter in chunk.valid().chars() {
            odd += usize::from(letter.is_control() && !matches!(letter, '\n' | '\t' | '\r'));
            match letter {
                '\n' | '\t' => text.push(letter),
                letter => push_visible(&mut text, letter),
            }
        }
        odd += chunk.invalid().len();
        for byte in chunk.invalid() {
            let _ = write!(text, "\\x{byte:02x}");
        }
    }
    (odd * MIN_BYTES_PER_ODD_BYTE <= bytes.len()).then_some(text)
}

/// A name on one line.
pub fn visible_name(name: &str) -> String {
    let mut text = String::with_capacity(name.len());
    name.chars().for_each(|letter| push_visible(&mut text, letter));
    text
}

fn push_visible(text: &mut String, letter: char) {
    match is_invisible(letter) {
        true => text.extend(letter.escape_default()),
        false => text.push(letter),
    }
}

/// Whether a letter is not drawn, is drawn as a blank that is not a space, or changes
/// the direction of others. All that the guard removes is among them.
fn is_invisible(letter: char) -> bool {
    match letter {
        ' ' => false,
        '\u{ad}' | '\u{34f}' | '\u{61c}' | '\u{115f}' | '\u{1160}' | '\u{17b4}' | '\u{17b5}' => {
            true
        }
        '\u{180b}'..='\u{180f}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' => true,
        '\u{2060}'..='\u{206f}' | '\u{2800}' | '\u{3164}' | '\u{fe00}'..='\u{fe0f}' => true,
        '\u{feff}' | '\u{ffa0}' | '\u{fff0}'..='\u{fffb}' | '\u{1bca0}'..='\u{1bca3}' => true,
        '\u{1d173}'..='\u{1d17a}' | '\u{e0000}'..='\u{e0fff}' => true,
        letter => letter.is_control() || letter.is_whitespace(),
    }
}

#[cfg(test)]
mod tests {
    use super::{visible_name, visible_text};

    #[test]
    fn what_cannot_be_seen_is_escaped() {
        let text = "a\u{202e}b\u{200b}c\u{1b}[31m\r\n\td\u{a0}e\u{3164}";
        assert_eq!(
            visible_text(text.as_bytes()).as_deref(),
            Some("a\\u{202e}b\\u{200b}c\\u{1b}[31m\\r\n\td\\u{a0}e\\u{3164}")
        );
        let plain = "Grüße, 世界 🌍 \\n";
        assert_eq!(visible_text(plain.as_bytes()).as_deref(), Some(plain));
        assert_eq!(visible_name("a\nb\tc"), "a\\nb\\tc");
    }

    #[test]
    fn the_guard_removes_nothing_of_it() {
        for letter in char::MIN..=char::MAX {
            let shown = visible_name(&letter.to_string());
            assert_eq!(browse_content::clean(&shown), shown, "{letter:?}");
        }
    }

    #[test]
    fn a_text_with_an_odd_byte_is_a_text() {
        let program = b"#!/bin/sh\n# \xff\x00\necho one; echo two; echo three\n";
        let text = visible_text(program).expect("a text");
        assert!(text.starts_with("#!/bin/sh\n# \\xff\\u{0}\necho one"), "{text}");
        assert_eq!(visible_text(b"\x7fELF\x02\x01\x01\x00\x00\x00\x00"), None);
        assert_eq!(visible_text(b"").as_deref(), Some(""));
    }
}
