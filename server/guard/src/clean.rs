//! Removes the characters that a person cannot see and a model can.

use std::borrow::Cow;

/// `text` without control characters (line feed and tab stay), zero-width and
/// directional marks, and tag characters (U+E0000 to U+E007F).
pub fn clean(text: &str) -> Cow<'_, str> {
    if text.is_ascii() && !has_control_byte(text.as_bytes()) {
        return Cow::Borrowed(text);
    }
    if !text.chars().any(is_invisible) {
        return Cow::Borrowed(text);
    }
    Cow::Owned(text.chars().filter(|letter| !is_invisible(*letter)).collect())
}

/// Looks at a chunk at a time without a branch, which the compiler does with
/// wide registers.
fn has_control_byte(bytes: &[u8]) -> bool {
    let has = |chunk: &[u8]| chunk.iter().fold(false, |has, byte| has | is_control_byte(*byte));
    bytes.chunks(256).any(has)
}

fn is_control_byte(byte: u8) -> bool {
    byte < 0x20 && byte != b'\n' && byte != b'\t' || byte == 0x7f
}

/// Whether `letter` is invisible. Joiners inside emoji and scripts that need
/// them are given up too: what a model reads has no use for them.
pub(crate) fn is_invisible(letter: char) -> bool {
    match letter {
        '\n' | '\t' => false,
        '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' => true,
        '\u{feff}' | '\u{00ad}' | '\u{180e}' | '\u{034f}' | '\u{061c}' => true,
        '\u{e0000}'..='\u{e0fff}' | '\u{fff9}'..='\u{fffb}' => true,
        letter => letter.is_control(),
    }
}

/// `text` on one line, cleaned and of at most `max` characters: the words of a
/// file that others wrote, for a place beside ours.
pub fn clean_line(text: &str, max: usize) -> String {
    let text = clean(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match text.char_indices().nth(max) {
        Some(_) => text.chars().take(max.saturating_sub(1)).chain(['…']).collect(),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::clean;

    #[test]
    fn what_cannot_be_seen_goes() {
        assert_eq!(clean("a\u{200b}b\u{e0041}c\u{7}d\u{202e}e"), "abcde");
    }

    #[test]
    fn what_can_be_seen_stays() {
        let text = "Grüße, 世界 🌍\n\tx";
        assert!(matches!(clean(text), std::borrow::Cow::Borrowed(same) if same == text));
    }
}
