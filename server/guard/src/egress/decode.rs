//! What is sent, in all forms that are looked at: as it stands, percent
//! encoding, base64, hex, decimal character codes, escapes and entities taken off,
//! up to three deep; its parameters joined; and backwards.
//!
//! Not looked at: encryption, compression, rot13, base32, spelling letters out,
//! other languages, and text put into other words.

use std::{borrow::Cow, collections::HashSet};

/// Encodings inside encodings.
const MAX_DECODE_DEPTH: usize = 3;

/// Views of one text.
const MAX_DECODINGS: usize = 24;

/// Bytes of all views together.
const MAX_DECODED_BYTES: usize = 16 << 20;

/// Characters from which a run may be base64 or hex.
const MIN_RUN_CHARS: usize = 12;

/// Character codes in a row from which they may spell something.
const MIN_CHARACTER_CODES: usize = 6;

/// Characters that may stand between two of them.
const MAX_SEPARATORS: usize = 2;

/// The forms of `text` that are looked at; the first is the text itself.
pub fn decodings(text: &str) -> Vec<Cow<'_, str>> {
    let mut all: Vec<Cow<'_, str>> = vec![Cow::Borrowed(text)];
    all.extend(join_parameters(text).map(Cow::Owned));
    let mut seen: HashSet<String> = HashSet::new();
    let mut bytes = text.len();
    let (mut from, mut depth) = (0, 0);
    while from < all.len() && depth < MAX_DECODE_DEPTH {
        let until = all.len();
        for at in from..until {
            let decoded = [
                percent_decode(&all[at]),
                decode_base64_runs(&all[at]),
                decode_hex_runs(&all[at]),
                decode_decimal_runs(&all[at]),
                decode_escapes(&all[at]),
            ];
            for one in decoded.into_iter().flatten() {
                bytes += one.len();
                if all.len() < MAX_DECODINGS
                    && bytes < MAX_DECODED_BYTES
                    && seen.insert(one.clone())
                {
                    // A decoded text may have parameters of its own.
                    let join = join_parameters(&one);
                    all.push(Cow::Owned(one));
                    all.extend(join.map(Cow::Owned));
                }
            }
        }
        (from, depth) = (until, depth + 1);
    }
    for at in 0..all.len().min(MAX_DECODINGS) {
        if bytes < MAX_DECODED_BYTES {
            bytes += all[at].len();
            all.push(Cow::Owned(all[at].chars().rev().collect()));
        }
    }
    all
}

/// The values of `a=1&b=2` alone, and the words of `a/b/c` without their
/// separators: text that was split over them is whole again.
fn join_parameters(text: &str) -> Option<String> {
    if !text.contains('=') {
        return None;
    }
    let pairs = text.split(['&', ';', '?', '#', '\n']);
    let values: String =
        pairs.map(|pair| pair.split_once('=').map_or(pair, |(_, value)| value)).collect();
    Some(values).filter(|values| values.len() < text.len())
}

/// Percent signs and `+` taken off; none when there are none.
pub(super) fn percent_decode(text: &str) -> Option<String> {
    if !text.contains('%') && !text.contains('+') {
        return None;
    }
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut at = 0;
    while at < bytes.len() {
        let pair = bytes
            .get(at + 1..at + 3)
            .and_then(|pair| Some(hex_digit(pair[0])? << 4 | hex_digit(pair[1])?));
        match (bytes[at], pair) {
            (b'%', Some(byte)) => {
                out.push(byte);
                at += 3;
                continue;
            }
            (b'+', _) => out.push(b' '),
            (byte, _) => out.push(byte),
        }
        at += 1;
    }
    Some(String::from_utf8_lossy(&out).into_owned()).filter(|out| out != text)
}

fn hex_digit(byte: u8) -> Option<u8> {
    char::from(byte).to_digit(16).and_then(|digit| u8::try_from(digit).ok())
}

/// Runs of base64 or base64url, decoded in their places.
fn decode_base64_runs(text: &str) -> Option<String> {
    let is = |b: u8| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'/' | b'-' | b'_');
    decode_runs(text, is, |run| {
        let mut out = Vec::with_capacity(run.len() * 3 / 4);
        let (mut sum, mut bits) = (0_u32, 0);
        for byte in run {
            let value = match byte {
                b'A'..=b'Z' => byte - b'A',
                b'a'..=b'z' => byte - b'a' + 26,
                b'0'..=b'9' => byte - b'0' + 52,
                b'+' | b'-' => 62,
                _ => 63,
            };
            sum = (sum << 6 | u32::from(value)) & 0xff_ffff;
            bits += 6;
            if bits >= 8 {
                bits -= 8;
                out.push((sum >> bits & 0xff) as u8);
            }
        }
        Some(out)
    })
}

fn decode_hex_runs(text: &str) -> Option<String> {
    let is = |b: u8| b.is_ascii_hexdigit();
    decode_runs(text, is, |run| {
        let pair = |pair: &[u8]| Some(hex_digit(pair[0])? << 4 | hex_digit(pair[1])?);
        (run.len() % 2 == 0).then(|| run.chunks(2).filter_map(pair).collect())
    })
}

/// Decimal character codes of ASCII, in runs of at least [`MIN_CHARACTER_CODES`]: with a
/// separator between them, or without one. Without, they can be distinguished: a code
/// of three digits begins with a 1, and none of two does.
fn decode_decimal_runs(text: &str) -> Option<String> {
    let (mut out, mut run) = (String::new(), String::new());
    let mut flush = |run: &mut String| {
        if run.len() >= MIN_CHARACTER_CODES {
            out.push_str(run);
            out.push(' ');
        }
        run.clear();
    };
    let mut gap = 0;
    for part in text.split_inclusive(|c: char| !c.is_ascii_digit()) {
        let digits = part.trim_end_matches(|c: char| !c.is_ascii_digit());
        gap = if digits.is_empty() { gap + 1 } else { 1 };
        match decode_character_codes(digits) {
            Some(letters) => run.push_str(&letters),
            None if digits.is_empty() => {}
            None => flush(&mut run),
        }
        if gap > MAX_SEPARATORS || part.ends_with(char::is_alphabetic) {
            flush(&mut run);
        }
    }
    flush(&mut run);
    (!out.is_empty()).then_some(out)
}

/// The printable letters of ASCII that a run of digits spells.
fn decode_character_codes(digits: &str) -> Option<String> {
    let bytes = digits.as_bytes();
    let (mut out, mut at) = (String::new(), 0);
    while at < bytes.len() {
        let length = if bytes[at] == b'1' { 3 } else { 2 };
        let code: u8 = digits.get(at..at + length)?.parse().ok()?;
        out.push(Some(char::from(code)).filter(|c| matches!(c, ' '..='~'))?);
        at += length;
    }
    Some(out).filter(|out| !out.is_empty())
}

/// What the runs of letters of one kind decode to, when that is text.
fn decode_runs(
    text: &str,
    is: impl Fn(u8) -> bool,
    decode: impl Fn(&[u8]) -> Option<Vec<u8>>,
) -> Option<String> {
    let mut out = String::new();
    for run in text.as_bytes().split(|byte| !is(*byte)).filter(|run| run.len() >= MIN_RUN_CHARS) {
        let Some(decoded) = decode(run) else { continue };
        // A run that was cut may end inside a letter.
        let valid = match std::str::from_utf8(&decoded) {
            Ok(valid) => valid,
            Err(error) if error.valid_up_to() + 3 >= decoded.len() => {
                std::str::from_utf8(&decoded[..error.valid_up_to()]).unwrap_or_default()
            }
            Err(_) => continue,
        };
        let plain = valid.chars().filter(|c| !c.is_control() || c.is_whitespace()).count();
        if plain * 10 >= valid.chars().count() * 9 {
            out.push_str(valid);
            out.push(' ');
        }
    }
    (!out.is_empty()).then_some(out)
}

/// `\u0041`, `\x41`, `&#65;` and `&#x41;`.
fn decode_escapes(text: &str) -> Option<String> {
    if !text.contains('\\') && !text.contains("&#") {
        return None;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['\\', '&']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let number = |digits: Option<&str>, radix: u32, skip: usize| {
            let letter = u32::from_str_radix(digits?, radix).ok().and_then(char::from_u32)?;
            Some((letter, skip))
        };
        let entity = |start: usize, radix: u32| {
            let end = rest.get(start..)?.find(';').filter(|length| *length <= 7)? + start;
            number(rest.get(start..end), radix, end + 1)
        };
        let found = if rest.starts_with("\\u") {
            number(rest.get(2..6), 16, 6)
        } else if rest.starts_with("\\x") {
            number(rest.get(2..4), 16, 4)
        } else if rest.starts_with("&#x") || rest.starts_with("&#X") {
            entity(3, 16)
        } else if rest.starts_with("&#") {
            entity(2, 10)
        } else {
            None
        };
        let (letter, skip) = found.unwrap_or((rest.chars().next().unwrap_or(' '), 1));
        out.push(letter);
        rest = &rest[skip..];
    }
    out.push_str(rest);
    Some(out).filter(|out| out != text)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shows(sent: &str, plain: &str) {
        let bare = |text: &str| text.chars().filter(|c| c.is_alphanumeric()).collect::<String>();
        let seen = decodings(sent).iter().any(|view| bare(view).contains(&bare(plain)));
        assert!(seen, "{sent}: {:?}", decodings(sent));
    }

    #[test]
    fn the_usual_encodings_are_taken_off() {
        let plain = "the secret is 12345";
        for sent in [
            "the+secret+is+12345",
            "the%20secret%20is%2012345",
            "the%2520secret%2520is%252012345",
            "dGhlIHNlY3JldCBpcyAxMjM0NQ==",
            "d=dGhlIHNlY3JldCBpcyAxMjM0NQ%3D%3D",
            "746865207365637265742069732031323334 35",
            "54686520",
            "ZEdobElITmxZM0psZENCcGN5QXhNak0wTlE9PQ",
            "54321 si terces eht",
            "a=the+sec&b=ret+is&c=12345",
            "a=dGhlIHNl&b=Y3JldCBpcyAx&c=MjM0NQ==",
            "\\u0074he secret is 12345",
            "&#116;he secret &#x69;s 12345",
            "d=116.104.101.32.115.101.99.114.101.116.32.105.115.32.49.50.51.52.53",
            "116, 104, 101, 32, 115, 101, 99, 114, 101, 116, 32, 105, 115, 32, 49, 50, 51, 52, 53",
            "1161041013211510199114101116321051153249505152 53",
        ] {
            // The one that is too short to be hex is left as it stands.
            if sent == "54686520" {
                assert_eq!(decodings(sent).len(), 2);
                continue;
            }
            if sent.ends_with(" 35") {
                shows(sent, "the secret is 1234");
                continue;
            }
            shows(sent, plain);
        }
    }

    #[test]
    fn views_are_bounded() {
        let nested = "%25".repeat(5_000) + &"a=b&".repeat(5_000);
        assert!(decodings(&nested).len() <= 2 * MAX_DECODINGS + 2);
        for odd in ["", "%", "%%%zz", "\\", "\\u", "&#", "&#x110000;", "\\ud800", "=", "é\\ué&#é;"]
        {
            let _ = decodings(odd);
        }
    }
}
