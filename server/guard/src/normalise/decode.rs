//! Encoded parts: base64, hex, percent signs, character references, escapes.
//!
//! A part is replaced by what it says if that reads like prose; nothing else is
//! touched, so hashes, keys and addresses stay.

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// Bytes of a part that are looked at.
const LONGEST: usize = 64 << 10;
/// Letters from which on a part is worth decoding.
const SHORTEST: usize = 16;
/// Encodings around each other that are undone.
const DEEPEST: usize = 3;

const LENIENT: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT);

/// `text` with its encoded parts read; none when it has none.
pub fn decoded(text: &str) -> Option<String> {
    at_depth(text, DEEPEST)
}

fn at_depth(text: &str, depth: usize) -> Option<String> {
    if depth == 0 {
        return None;
    }
    let mut out = String::new();
    let mut kept = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let Some(part) = part(bytes, at) else {
            at += 1;
            continue;
        };
        let end = part.end;
        if let Some(prose) = part.read(text, at) {
            let inner = at_depth(&prose, depth - 1).unwrap_or(prose);
            out.push_str(&text[kept..at]);
            out.push(' ');
            out.push_str(&inner);
            out.push(' ');
            kept = end;
        }
        at = end;
    }
    (kept > 0).then(|| out + &text[kept..])
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Encoding {
    /// Base64 of either alphabet, or hex.
    Block,
    /// `%41`
    Percent,
    /// `&#65;`, `&#x41;`
    Reference,
    /// `\u0041`, `\x41`
    Escape,
}

struct Part {
    end: usize,
    encoding: Encoding,
}

/// The part that begins at `at`.
fn part(bytes: &[u8], at: usize) -> Option<Part> {
    let (encoding, end) = match bytes[at] {
        b'%' => (Encoding::Percent, run(bytes, at, percent)),
        b'&' => (Encoding::Reference, run(bytes, at, reference)),
        b'\\' => (Encoding::Escape, run(bytes, at, escape)),
        byte if is_block(byte) && (at == 0 || !is_block(bytes[at - 1])) => {
            let end = at + bytes[at..].iter().take_while(|byte| is_block(**byte)).count();
            (Encoding::Block, end)
        }
        _ => return None,
    };
    (end > at).then_some(Part { end, encoding })
}

fn is_block(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// The end of a row of units, with what may stand between them.
fn run(bytes: &[u8], at: usize, unit: impl Fn(&[u8]) -> Option<(usize, u32)>) -> usize {
    let (mut end, mut here, mut units) = (at, at, 0);
    while let Some((length, _)) = bytes.get(here..).and_then(&unit) {
        here += length;
        end = here;
        units += 1;
    }
    if units * 3 >= SHORTEST { end } else { at }
}

fn percent(bytes: &[u8]) -> Option<(usize, u32)> {
    match bytes {
        [b'%', high, low, ..] => Some((3, hex(&[*high, *low])?)),
        // Letters need no encoding, so they may stand between.
        [byte, ..] if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_') => {
            Some((1, u32::from(*byte)))
        }
        [b'+', ..] => Some((1, 32)),
        _ => None,
    }
}

fn reference(bytes: &[u8]) -> Option<(usize, u32)> {
    let rest = bytes.strip_prefix(b"&#")?;
    let end = rest.iter().take(9).position(|byte| *byte == b';')?;
    let digits = std::str::from_utf8(&rest[..end]).ok()?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some((end + 3, code))
}

fn escape(bytes: &[u8]) -> Option<(usize, u32)> {
    match bytes {
        [b'\\', b'u', a, b, c, d, ..] => Some((6, hex(&[*a, *b, *c, *d])?)),
        [b'\\', b'x', a, b, ..] => Some((4, hex(&[*a, *b])?)),
        _ => None,
    }
}

fn hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |sum, digit| Some(sum * 16 + char::from(*digit).to_digit(16)?))
}

impl Part {
    /// What the part says, if that is prose.
    fn read(&self, text: &str, at: usize) -> Option<String> {
        let part = text.get(at..self.end)?;
        let part = &part[..part.floor_char_boundary(LONGEST)];
        let bytes = part.as_bytes();
        let said = match self.encoding {
            Encoding::Block => return block(part),
            Encoding::Percent => {
                // Of an address, more than a few marks are needed.
                if part.matches('%').count() * 4 < part.len() / 3 {
                    return None;
                }
                String::from_utf8(codes(bytes, percent).map(|code| code as u8).collect()).ok()?
            }
            Encoding::Reference => codes(bytes, reference).filter_map(char::from_u32).collect(),
            Encoding::Escape => codes(bytes, escape).filter_map(char::from_u32).collect(),
        };
        prose(said)
    }
}

fn codes<'a>(
    mut bytes: &'a [u8],
    unit: impl Fn(&[u8]) -> Option<(usize, u32)> + 'a,
) -> impl Iterator<Item = u32> + 'a {
    std::iter::from_fn(move || {
        let (length, code) = unit(bytes)?;
        bytes = &bytes[length..];
        Some(code)
    })
}

fn block(part: &str) -> Option<String> {
    if part.len() < SHORTEST {
        return None;
    }
    let bytes = part.as_bytes();
    if bytes.len().is_multiple_of(2) && bytes.iter().all(u8::is_ascii_hexdigit) {
        let pairs = bytes.chunks(2).filter_map(hex).map(|byte| byte as u8).collect();
        if let Some(prose) = String::from_utf8(pairs).ok().and_then(prose) {
            return Some(prose);
        }
    }
    let engine = if part.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    prose(String::from_utf8(engine.decode(part.trim_end_matches('=')).ok()?).ok()?)
}

/// `text` if it reads like words, or like another encoding of some.
fn prose(text: String) -> Option<String> {
    let letters = text.chars().count();
    let count = |what: fn(char) -> bool| text.chars().filter(|letter| what(*letter)).count();
    let wordlike = count(|letter| letter.is_alphabetic() || letter == ' ');
    let odd = count(|letter| letter.is_control() && !letter.is_whitespace());
    let nested = text.len() >= SHORTEST && text.bytes().all(is_block);
    let readable = letters >= 8 && odd == 0 && wordlike * 10 >= letters * 7;
    (readable && (nested || text.contains(' '))).then_some(text)
}
