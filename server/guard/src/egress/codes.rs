//! Numbers and codes in a text: what is short and tells much, such as an
//! account, an order or a card; and addresses of e-mail.

use std::ops::Range;

use super::alphanumeric_text::{AlphanumericText, AlphanumericWord};

/// Words that a code is spread over at most: an IBAN has nine.
const MAX_CODE_WORDS: usize = 9;

/// Characters of a code.
const CODE_CHARS: Range<usize> = 6..65;

/// Digits without which it is a word.
const MIN_CODE_DIGITS: usize = 4;

/// Length from which a code is long enough to stand for an account or a key.
const MIN_LONG_CODE_CHARS: usize = 16;

/// A code of a stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CodeMatch {
    /// Its place in the bytes of the stream.
    pub range: Range<usize>,
    /// Whether it is an account, a card, a key or an address of e-mail.
    pub is_sensitive: bool,
}

/// The codes of a text that was read: words with digits, alone and joined with
/// those that stand next to them.
pub fn find_codes(stream: &AlphanumericText) -> Vec<CodeMatch> {
    let mut found = find_emails(stream);
    let books = isbn_ranges(stream);
    for first in 0..stream.words.len() {
        for last in first..stream.words.len().min(first + MAX_CODE_WORDS) {
            let word = &stream.words[last];
            let near = last == first
                || matches!(
                    word.separator,
                    Some(' ' | '-' | '.' | '/' | ',' | '_' | '+' | '\u{a0}')
                );
            if word.digits == 0 || !near {
                break;
            }
            if books.iter().any(|book| book.contains(&first) && book.contains(&last)) {
                continue;
            }
            found.extend(code_of_words(stream, &stream.words[first..=last]));
        }
    }
    found
}

/// The places of what may be a code in a text that is sent: whatever stands
/// between the words, and whatever letters are glued to it.
pub fn code_candidates(stream: &AlphanumericText) -> impl Iterator<Item = Range<usize>> + '_ {
    let words = &stream.words;
    (0..words.len()).flat_map(move |first| {
        let until = words.len().min(first + MAX_CODE_WORDS);
        let spans = (first..until).map(move |last| words[first].range.start..words[last].range.end);
        let spans = spans.filter(|at| at.len() < 2 * CODE_CHARS.end);
        spans
            .flat_map(|at| digit_cores(&stream.bytes, at))
            .filter(|at| CODE_CHARS.contains(&at.len()))
    })
}

/// A place, and the same without the letters before what digits it has, behind
/// them, and both: `ORD-2024-88123` was read as a number, and is sent as `ord202488123`.
fn digit_cores(bytes: &[u8], at: Range<usize>) -> impl Iterator<Item = Range<usize>> + use<> {
    let digits = |byte: &u8| byte.is_ascii_digit();
    let first = bytes[at.clone()].iter().position(digits).map_or(at.end, |from| at.start + from);
    let last = bytes[at.clone()].iter().rposition(digits).map_or(first, |to| at.start + to + 1);
    let before = (first > at.start).then_some(first..at.end);
    let behind = (last < at.end).then_some(at.start..last);
    let both = (first > at.start && last < at.end).then_some(first..last);
    std::iter::once(at).chain(before).chain(behind).chain(both)
}

fn code_of_words(stream: &AlphanumericText, words: &[AlphanumericWord]) -> Option<CodeMatch> {
    let at = words.first()?.range.start..words.last()?.range.end;
    let digits: usize = words.iter().map(|word| word.digits).sum();
    let text = &stream.bytes[at.clone()];
    if !CODE_CHARS.contains(&at.len()) || digits < MIN_CODE_DIGITS || is_date(words, text) {
        return None;
    }
    let long = at.len() >= MIN_LONG_CODE_CHARS && digits >= 6;
    Some(CodeMatch { is_sensitive: long || is_card(text) || is_iban(text), range: at })
}

/// The words of each ISBN of 13 digits: the number of a book, which says
/// nothing about anybody. Those of 10 are left, since every eleventh number of
/// that length looks like one.
fn isbn_ranges(stream: &AlphanumericText) -> Vec<Range<usize>> {
    let words = &stream.words;
    let ends = |first: usize| {
        let last = (first..words.len().min(first + MAX_CODE_WORDS)).take_while(move |at| {
            words[*at].digits == words[*at].range.len()
                && (*at == first || matches!(words[*at].separator, Some(' ' | '-' | '\u{a0}')))
        });
        last.map(move |last| first..last + 1)
    };
    let is_book = |part: &Range<usize>| {
        is_isbn(&stream.bytes[words[part.start].range.start..words[part.end - 1].range.end])
    };
    (0..words.len()).flat_map(ends).filter(is_book).collect()
}

/// An ISBN: 978 or 979, and a check digit. Source: ISO 2108.
fn is_isbn(text: &[u8]) -> bool {
    let weigh = |(at, byte): (usize, &u8)| u32::from(byte - b'0') * if at % 2 == 1 { 3 } else { 1 };
    text.len() == 13
        && (text.starts_with(b"978") || text.starts_with(b"979"))
        && text.iter().all(u8::is_ascii_digit)
        && text.iter().enumerate().map(weigh).sum::<u32>() % 10 == 0
}

/// A day or years, which say nothing about anybody.
fn is_date(words: &[AlphanumericWord], text: &[u8]) -> bool {
    let Ok(text) = std::str::from_utf8(text) else { return false };
    let year = |part: &str| matches!(part.get(..2), Some("19" | "20")) && part.len() == 4;
    let within = |part: Option<&str>, most: u8| {
        part.and_then(|part| part.parse().ok())
            .is_some_and(|number: u8| (1..=most).contains(&number))
    };
    let base = words.first().map_or(0, |word| word.range.start);
    let part = |word: &AlphanumericWord| {
        text.get(word.range.start - base..word.range.end - base).unwrap_or_default()
    };
    let parts: Vec<_> = words.iter().map(part).collect();
    let small = |part: &str| part.len() <= 2 && within(Some(part), 31);
    if parts.iter().any(|part| year(part)) && parts.iter().all(|part| year(part) || small(part)) {
        return true;
    }
    text.len() == 8
        && (year(&text[..4]) && within(text.get(4..6), 12) && within(text.get(6..8), 31)
            || year(&text[4..]) && within(text.get(..2), 31) && within(text.get(2..4), 31))
}

/// A card: 13 to 19 digits with Luhn's check digit.
fn is_card(text: &[u8]) -> bool {
    if !(13..=19).contains(&text.len()) || !text.iter().all(u8::is_ascii_digit) {
        return false;
    }
    let digit = |(at, byte): (usize, &u8)| {
        let digit = u32::from(byte - b'0') * if at % 2 == 1 { 2 } else { 1 };
        digit / 10 + digit % 10
    };
    text.iter().rev().enumerate().map(digit).sum::<u32>() % 10 == 0
}

/// An IBAN: two letters, two digits, and a remainder of 1. Source: ISO 13616.
fn is_iban(text: &[u8]) -> bool {
    if !(15..=34).contains(&text.len()) || !text.iter().all(u8::is_ascii_alphanumeric) {
        return false;
    }
    let (head, rest) = text.split_at(4);
    if !head[..2].iter().all(u8::is_ascii_lowercase) || !head[2..].iter().all(u8::is_ascii_digit) {
        return false;
    }
    let remainder = rest.iter().chain(head).fold(0_u32, |sum, byte| match byte {
        b'0'..=b'9' => (sum * 10 + u32::from(byte - b'0')) % 97,
        letter => (sum * 100 + u32::from(letter - b'a') + 10) % 97,
    });
    remainder == 1
}

/// Addresses of e-mail: words joined by signs around an `@`.
fn find_emails(stream: &AlphanumericText) -> Vec<CodeMatch> {
    let words = &stream.words;
    let joined = |word: &AlphanumericWord| matches!(word.separator, Some('.' | '-' | '_' | '+'));
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if word.separator != Some('@') || at == 0 {
            continue;
        }
        let first = (0..at).rev().take_while(|&i| i + 1 == at || joined(&words[i + 1])).last();
        let last = (at + 1..words.len()).take_while(|&i| joined(&words[i])).last();
        let (Some(first), Some(last)) = (first, last) else { continue };
        let at = words[first].range.start..words[last].range.end;
        if at.len() >= CODE_CHARS.start {
            found.push(CodeMatch { range: at, is_sensitive: true });
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<(String, bool)> {
        let stream = AlphanumericText::of(text);
        let show = |code: &CodeMatch| {
            (
                String::from_utf8_lossy(&stream.bytes[code.range.clone()]).into_owned(),
                code.is_sensitive,
            )
        };
        find_codes(&stream).iter().map(show).collect()
    }

    fn has(text: &str, code: &str, strong: bool) {
        assert!(found(text).contains(&(code.to_owned(), strong)), "{text}: {:?}", found(text));
    }

    #[test]
    fn codes_are_found_with_and_without_separators() {
        has("IBAN DE89 3704 0044 0532 0130 00.", "de89370400440532013000", true);
        has("card 4111-1111-1111-1111 exp 12/27", "4111111111111111", true);
        has("Order ORD-2024-88123 sent", "202488123", false);
        has("tel. +49 30 901820", "4930901820", false);
        has("mail Ada.Lovelace@example.co.uk now", "adalovelaceexamplecouk", true);
        has("token 7f3a9c55", "7f3a9c55", false);
        has("978-3-16-148410-1", "9783161484101", false);
        has("977-3-16-148410-1", "161484101", false);
    }

    #[test]
    fn a_code_is_sent_with_and_without_what_is_glued_to_it() {
        let sent = |text: &str| {
            let stream = AlphanumericText::of(text);
            let show = |at: Range<usize>| String::from_utf8_lossy(&stream.bytes[at]).into_owned();
            code_candidates(&stream).map(show).collect::<Vec<_>>()
        };
        for (text, code) in [
            ("ORD202488123", "202488123"),
            ("ord-2024-88123", "202488123"),
            ("202488123eur", "202488123"),
            ("nr202488123eur", "202488123"),
            ("nr202488123eur", "nr202488123eur"),
            ("é202488123", "202488123"),
            ("x7f3a9c55", "7f3a9c55"),
        ] {
            assert!(sent(text).contains(&code.to_owned()), "{text}: {:?}", sent(text));
        }
        assert_eq!(sent("letters"), ["letters"]);
    }

    #[test]
    fn words_dates_and_small_numbers_are_none() {
        for text in [
            "2024-11-22",
            "22.11.2024",
            "2023-2024",
            "page 12 of 40",
            "covid19",
            "v1.2.3",
            "12:30:45",
            "ISBN 978-3-16-148410-0",
            "9783161484100",
            "979 10 90636 07 1",
        ] {
            assert!(found(text).is_empty(), "{text}: {:?}", found(text));
        }
    }
}
