//! The text around a place, as patterns read it.

/// Bytes before an anchor that a phrase may begin in.
const BYTES_BEFORE: usize = 120;
/// Bytes behind an anchor that a phrase may end in.
const BYTES_AFTER: usize = 320;

/// The part of `text` around the bytes from `start` to `end`.
pub(crate) fn surrounding_text(text: &str, start: usize, end: usize) -> &str {
    let from = text.floor_char_boundary(start.saturating_sub(BYTES_BEFORE));
    let to = text.ceil_char_boundary((end + BYTES_AFTER).min(text.len()));
    &text[from..to]
}

/// A text in lower case with single blanks, straight quotes and no marks of
/// Markdown.
#[derive(Default)]
pub(crate) struct NormalizedWindow {
    pub text: String,
}

impl NormalizedWindow {
    pub fn set_text(&mut self, raw: &str) {
        self.text.clear();
        let mut gap = true;
        let mut letters = raw.chars().peekable();
        while let Some(letter) = letters.next() {
            match letter {
                // Within a word it is not an emphasis.
                '_' if self.text.ends_with(char::is_alphanumeric)
                    && letters.peek().is_some_and(|next| next.is_alphanumeric()) =>
                {
                    self.text.push('_');
                }
                '*' | '_' | '`' | '#' | '~' | '\\' | '"' | '“' | '”' | '«' | '»' => {}
                _ if letter.is_whitespace() => {
                    if !gap {
                        self.text.push(' ');
                    }
                    gap = true;
                }
                _ => {
                    gap = false;
                    match letter {
                        '’' | '‘' | '´' => self.text.push('\''),
                        _ if letter.is_ascii() => self.text.push(letter.to_ascii_lowercase()),
                        _ => self.text.extend(letter.to_lowercase()),
                    }
                }
            }
        }
    }
}
