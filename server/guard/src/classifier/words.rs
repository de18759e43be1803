//! Text as words with their surroundings.

use super::{
    lexicon::{self, Classes},
    markdown,
};

/// What stands between a word and the one before it, a bit each.
pub mod mark {
    pub const LINE: u32 = 1;
    pub const FULL_STOP: u32 = 1 << 1;
    pub const COLON: u32 = 1 << 2;
    pub const COMMA: u32 = 1 << 3;
    pub const QUOTE: u32 = 1 << 4;
    pub const OPEN: u32 = 1 << 5;
    pub const CLOSE: u32 = 1 << 6;
    pub const ANGLE: u32 = 1 << 7;
    pub const EXCLAMATION: u32 = 1 << 8;
    pub const EXCLAMATIONS: u32 = 1 << 9;
    pub const QUESTION: u32 = 1 << 10;
    pub const RULE: u32 = 1 << 11;
    pub const CODE: u32 = 1 << 12;
    pub const DASH: u32 = 1 << 13;
    pub const BLANK_LINE: u32 = 1 << 14;
    pub const BRACKET: u32 = 1 << 15;
    /// A new sentence begins.
    pub const SENTENCE_START: u32 =
        LINE | FULL_STOP | EXCLAMATION | QUESTION | COLON | QUOTE | OPEN | ANGLE | RULE | BRACKET;
}

/// What a word is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WordKind {
    Word,
    Number,
    Url,
    Email,
}

/// A word.
#[derive(Clone, Debug)]
pub struct WordToken {
    /// Hash of it in lower case, without apostrophes; of its kind for the others.
    pub hash: u64,
    pub classes: Classes,
    pub kind: WordKind,
    /// Marks before it.
    pub marks_before: u32,
    /// All letters are capitals, of two at least.
    pub is_all_caps: bool,
    /// The first letter is a capital.
    pub is_capitalized: bool,
    /// Letters.
    pub length: u32,
    /// Bytes in the text.
    pub start: usize,
    pub end: usize,
}

/// A text in words.
#[derive(Debug, Default)]
pub struct TokenizedText {
    pub words: Vec<WordToken>,
    /// Marks after the last one.
    pub marks_after: u32,
}

/// Words that are read; the rest of a longer text is left out.
const MAX_WORDS: usize = 400_000;

/// Letters of a word that are read.
const MAX_WORD_CHARS: usize = 48;

/// Splits `text`.
pub fn tokenize(text: &str) -> TokenizedText {
    let mut found = TokenizedText::default();
    let mut marks = mark::LINE;
    let mut at = 0;
    let mut lower = String::new();
    // Whether the sign that comes is written out, and is no mark of Markdown.
    let mut is_escaped = false;
    while at < text.len() && found.words.len() < MAX_WORDS {
        let rest = &text[at..];
        let Some(letter) = rest.chars().next() else { break };
        if let Some((kind, length)) = parse_url_or_email(rest) {
            if kind == WordKind::Url
                && marks & mark::LINE != 0
                && markdown::is_end_of_line(text, at + length)
            {
                at += length;
                continue;
            }
            let name: &[u8] = if kind == WordKind::Url { b"<url>" } else { b"<email>" };
            let before = std::mem::take(&mut marks);
            found.words.push(WordToken {
                hash: lexicon::hash(name),
                classes: 0,
                kind,
                marks_before: before,
                is_all_caps: false,
                is_capitalized: false,
                length: 0,
                start: at,
                end: at + length,
            });
            at += length;
        } else if letter.is_alphanumeric() {
            let end = at + word_length(rest);
            found.words.push(word_token(
                &text[at..end],
                at,
                std::mem::take(&mut marks),
                &mut lower,
            ));
            at = end;
        } else if letter.is_ascii()
            && !is_escaped
            && let unread @ 1.. = markdown::markdown_syntax_length(text, at)
        {
            is_escaped = letter == '\\';
            at += unread;
            continue;
        } else {
            marks |= mark_flag(letter, marks);
            at += letter.len_utf8();
        }
        is_escaped = false;
    }
    found.marks_after = marks;
    found
}

fn mark_flag(letter: char, so_far: u32) -> u32 {
    match letter {
        '\n' if so_far & mark::LINE != 0 => mark::BLANK_LINE,
        '\n' => mark::LINE,
        '.' | ';' | '。' => mark::FULL_STOP,
        '!' if so_far & mark::EXCLAMATION != 0 => mark::EXCLAMATIONS,
        '!' => mark::EXCLAMATION,
        '?' => mark::QUESTION,
        ':' => mark::COLON,
        ',' => mark::COMMA,
        '"' | '\'' | '`' => mark::QUOTE,
        '(' => mark::OPEN,
        ')' => mark::CLOSE,
        '<' | '>' => mark::ANGLE,
        '[' | ']' => mark::BRACKET,
        '#' | '*' | '=' | '_' | '~' => mark::RULE,
        '{' | '}' | '|' | '/' | '\\' | '$' | '&' | '^' | '%' | '@' => mark::CODE,
        '-' => mark::DASH,
        _ => 0,
    }
}

/// An address at the beginning of `text`, with its length.
fn parse_url_or_email(text: &str) -> Option<(WordKind, usize)> {
    let bytes = text.as_bytes();
    let is = |prefix: &str| {
        bytes.len() >= prefix.len() && bytes[..prefix.len()].eq_ignore_ascii_case(prefix.as_bytes())
    };
    if is("http://") || is("https://") || is("www.") {
        let end = bytes.iter().position(|byte| is_url_end(*byte)).unwrap_or(bytes.len());
        return Some((WordKind::Url, end));
    }
    if !bytes[0].is_ascii_alphanumeric() {
        return None;
    }
    let name =
        |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-' | b'+');
    let local = bytes.iter().take(64).take_while(|byte| name(byte)).count();
    if bytes.get(local) != Some(&b'@') {
        return None;
    }
    let host = bytes[local + 1..].iter().take_while(|byte| name(byte)).count();
    let host = text[local + 1..local + 1 + host].trim_end_matches(['.', '-']).len();
    (host > 3).then_some((WordKind::Email, local + 1 + host))
}

fn is_url_end(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b'"' | b'\'' | b'<' | b'>' | b')' | b']' | b'`')
}

/// Bytes of the word at the beginning of `text`, inner apostrophes included.
fn word_length(text: &str) -> usize {
    let mut end = 0;
    let mut letters = text.char_indices().peekable();
    while let Some((at, letter)) = letters.next() {
        let inner = letter == '\''
            && end > 0
            && letters.peek().is_some_and(|(_, next)| next.is_alphanumeric());
        if !letter.is_alphanumeric() && !inner {
            break;
        }
        end = at + letter.len_utf8();
    }
    end
}

fn word_token(text: &str, start: usize, before: u32, lower: &mut String) -> WordToken {
    lower.clear();
    let plain = text.chars().filter(|letter| *letter != '\'').take(MAX_WORD_CHARS);
    lower.extend(plain.flat_map(char::to_lowercase));
    let digits = lower.bytes().filter(u8::is_ascii_digit).count();
    let number = digits * 2 >= lower.len() && digits > 0;
    let mut classes = lexicon::classes_of(lower);
    if digits > 0 && !number {
        // `1gn0re` is known as `ignore`, and only because that is a word of ours.
        let plain: String = lower.chars().map(unleet).collect();
        let known = lexicon::classes_of(&plain);
        if known != 0 {
            classes = known;
            *lower = plain;
        }
    }
    let letters = lower.chars().count() as u32;
    WordToken {
        hash: if number { lexicon::hash(b"<n>") } else { lexicon::hash(lower.as_bytes()) },
        classes,
        kind: if number { WordKind::Number } else { WordKind::Word },
        marks_before: before,
        is_all_caps: letters >= 2 && text.chars().all(|letter| !letter.is_lowercase()) && !number,
        is_capitalized: text.chars().next().is_some_and(char::is_uppercase),
        length: letters,
        start,
        end: start + text.len(),
    }
}

fn unleet(letter: char) -> char {
    match letter {
        '0' => 'o',
        '1' => 'i',
        '3' => 'e',
        '4' => 'a',
        '5' => 's',
        '7' => 't',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_carry_their_surroundings() {
        let text = "== IMPORTANT!! Don't mail bob@a.com.\n\nSee https://x.org/a?b, 1gn0re 2024";
        let found = tokenize(text).words;
        let texts: Vec<_> = found.iter().map(|word| &text[word.start..word.end]).collect();
        let wanted = ["IMPORTANT", "Don't", "mail", "bob@a.com", "See", "https://x.org/a?b,"];
        assert_eq!(texts[..6], wanted);
        assert!(found[0].is_all_caps && found[0].marks_before & mark::RULE != 0);
        assert!(
            found[1].marks_before & mark::EXCLAMATIONS != 0 && found[1].classes & lexicon::NOT != 0
        );
        assert_eq!((found[3].kind, found[5].kind), (WordKind::Email, WordKind::Url));
        assert!(found[4].marks_before & mark::BLANK_LINE != 0);
        assert_eq!(found[6].classes, lexicon::OVERRIDE);
        assert_eq!(found[7].kind, WordKind::Number);
    }

    #[test]
    fn nothing_breaks_it() {
        for text in ["", "'", "''a''", "@", "a@", "a@b", "é'", "http://", "\u{0}\u{fffd}"] {
            tokenize(text);
        }
    }
}
