//! A watermark for text that is handed to a caller, to be found again in what
//! leaves.
//!
//! The mark is 32 bits, written as sixteen characters that take no room. All
//! such characters of the page itself are cleaned away before, so whatever of
//! them is found later is ours. It shows that a text was carried along as it
//! stood; words that were typed anew have none.

/// Two bits each.
const DIGITS: [char; 4] = ['\u{200b}', '\u{200c}', '\u{200d}', '\u{2060}'];

/// Characters of a mark.
const MARK_CHARS: usize = 16;

/// Bytes of text between two marks at least.
const MIN_STRIDE_BYTES: usize = 400;

/// The watermark of one session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Datamark(u32);

impl Datamark {
    /// The mark with this number.
    pub fn new(number: u32) -> Self {
        Self(number)
    }

    /// `text`, which is clean, with the mark behind its first sentence and again
    /// after every 400 bytes or so, always at the end of a sentence or line. A
    /// text that has no such place has it at its end.
    pub fn embed(self, text: &str) -> String {
        if text.is_empty() {
            return String::new();
        }
        let mark = self.encode();
        let mut out =
            String::with_capacity(text.len() + (text.len() / MIN_STRIDE_BYTES + 1) * mark.len());
        let mut copied = 0;
        let mut next = 0;
        for (at, letter) in text.char_indices() {
            let end = at + letter.len_utf8();
            let ends = match letter {
                '.' | '!' | '?' => text[end..].starts_with([' ', '\n']),
                '。' | '！' | '？' => true,
                _ => text[end..].starts_with('\n'),
            };
            if ends && end >= next {
                out.push_str(&text[copied..end]);
                out.push_str(&mark);
                copied = end;
                next = end + MIN_STRIDE_BYTES;
            }
        }
        out.push_str(&text[copied..]);
        if copied == 0 {
            out.push_str(&mark);
        }
        out
    }

    fn encode(self) -> String {
        let digit = |place: usize| DIGITS[(self.0 >> (2 * place) & 3) as usize];
        (0..MARK_CHARS).map(digit).collect()
    }
}

/// The marks in `text`, each once: as it stands, percent-encoded, or with the
/// escapes of JSON. A run of the characters that is longer or shorter is none.
pub fn find_datamarks(text: &str) -> Vec<Datamark> {
    let mut found = Vec::new();
    decode_datamarks(text.chars(), &mut found);
    if text.contains("%E2%80") || text.contains("%e2%80") {
        let decoded = percent_encoding::percent_decode_str(text).decode_utf8_lossy();
        decode_datamarks(decoded.chars(), &mut found);
    }
    if text.contains("\\u20") {
        let decoded = DIGITS.iter().fold(text.to_owned(), |text, digit| {
            text.replace(&format!("\\u{:04x}", *digit as u32), &digit.to_string())
        });
        decode_datamarks(decoded.chars(), &mut found);
    }
    found
}

fn decode_datamarks(letters: impl Iterator<Item = char>, found: &mut Vec<Datamark>) {
    let (mut number, mut length) = (0_u32, 0_usize);
    // One more, so that a run at the end is over, too.
    for letter in letters.chain([' ']) {
        match DIGITS.iter().position(|digit| *digit == letter) {
            Some(digit) if length < MARK_CHARS => {
                number |= (digit as u32) << (2 * length);
                length += 1;
            }
            Some(_) => length = MARK_CHARS + 1,
            None => {
                let mark = Datamark(number);
                if length == MARK_CHARS && !found.contains(&mark) {
                    found.push(mark);
                }
                (number, length) = (0, 0);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_found_again() {
        let mark = Datamark::new(0xdead_beef);
        let text = format!("One. Two\n{}\nend", "Some words follow here. ".repeat(60));
        let marked = mark.embed(&text);
        assert_eq!(crate::clean(&marked), text);
        assert_eq!(find_datamarks(&marked), [mark]);
        let runs = marked.chars().filter(|letter| DIGITS.contains(letter)).count() / MARK_CHARS;
        assert!((3..=5).contains(&runs), "{runs}");
        let sentence = &marked[..60];
        let encoded =
            percent_encoding::utf8_percent_encode(sentence, percent_encoding::NON_ALPHANUMERIC);
        assert_eq!(find_datamarks(&format!("https://x.example/?q={encoded}")), [mark]);
        let escaped: String = sentence
            .chars()
            .map(|c| if c.is_ascii() { c.to_string() } else { format!("\\u{:04x}", c as u32) })
            .collect();
        assert_eq!(find_datamarks(&escaped), [mark]);
    }

    #[test]
    fn short_texts_are_marked_and_empty_ones_not() {
        assert_eq!(find_datamarks(&Datamark::new(7).embed("word")), [Datamark::new(7)]);
        assert_eq!(Datamark::new(7).embed(""), "");
    }

    #[test]
    fn other_runs_are_no_marks() {
        assert_eq!(find_datamarks("plain text"), []);
        assert_eq!(find_datamarks(&"\u{200b}".repeat(15)), []);
        assert_eq!(find_datamarks(&"\u{200b}".repeat(17)), []);
        assert_eq!(find_datamarks("👩\u{200d}💻 family"), []);
    }
}
