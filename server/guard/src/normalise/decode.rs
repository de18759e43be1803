//! Encoded parts: base64, hex, percent signs, character references, escapes.
//!
//! A part is replaced by what it says if that reads like prose; nothing else is
//! touched, so hashes, keys and addresses stay.

use base64::{
    Engine, alphabet,
    engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig},
};

/// Bytes of a part that are looked at.
const MAX_PART_BYTES: usize = 64 << 10;
/// Letters from which on a part is worth decoding.
const MIN_PART_CHARS: usize = 16;
/// Encodings around each other that are undone.
const MAX_DECODE_DEPTH: usize = 3;

const LENIENT_CONFIG: GeneralPurposeConfig = GeneralPurposeConfig::new()
    .with_decode_padding_mode(DecodePaddingMode::Indifferent)
    .with_decode_allow_trailing_bits(true);
const STANDARD: GeneralPurpose = GeneralPurpose::new(&alphabet::STANDARD, LENIENT_CONFIG);
const URL_SAFE: GeneralPurpose = GeneralPurpose::new(&alphabet::URL_SAFE, LENIENT_CONFIG);

/// `text` with its encoded parts read; none when it has none.
pub fn decode_parts(text: &str) -> Option<String> {
    decode_at_depth(text, MAX_DECODE_DEPTH)
}

fn decode_at_depth(text: &str, depth: usize) -> Option<String> {
    if depth == 0 {
        return None;
    }
    let mut out = String::new();
    let mut kept = 0;
    let mut at = 0;
    let bytes = text.as_bytes();
    while at < bytes.len() {
        let Some(part) = encoded_part_at(bytes, at) else {
            at += 1;
            continue;
        };
        let end = part.end;
        if let Some(prose) = part.decode_prose(text, at) {
            let inner = decode_at_depth(&prose, depth - 1).unwrap_or(prose);
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

struct EncodedPart {
    end: usize,
    encoding: Encoding,
}

/// The part that begins at `at`.
fn encoded_part_at(bytes: &[u8], at: usize) -> Option<EncodedPart> {
    let (encoding, end) = match bytes[at] {
        b'%' => (Encoding::Percent, run_end(bytes, at, parse_percent)),
        b'&' => (Encoding::Reference, run_end(bytes, at, parse_reference)),
        b'\\' => (Encoding::Escape, run_end(bytes, at, parse_escape)),
        byte if is_block_byte(byte) && (at == 0 || !is_block_byte(bytes[at - 1])) => {
            let end = at + bytes[at..].iter().take_while(|byte| is_block_byte(**byte)).count();
            (Encoding::Block, end)
        }
        _ => return None,
    };
    (end > at).then_some(EncodedPart { end, encoding })
}

fn is_block_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=' | b'-' | b'_')
}

/// The end of a row of units, with what may stand between them.
fn run_end(bytes: &[u8], at: usize, unit: impl Fn(&[u8]) -> Option<(usize, u32)>) -> usize {
    let (mut end, mut here, mut units) = (at, at, 0);
    while let Some((length, _)) = bytes.get(here..).and_then(&unit) {
        here += length;
        end = here;
        units += 1;
    }
    if units * 3 >= MIN_PART_CHARS { end } else { at }
}

fn parse_percent(bytes: &[u8]) -> Option<(usize, u32)> {
    match bytes {
        [b'%', high, low, ..] => Some((3, parse_hex(&[*high, *low])?)),
        // Letters need no encoding, so they may stand between.
        [byte, ..] if byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'-' | b'_') => {
            Some((1, u32::from(*byte)))
        }
        [b'+', ..] => Some((1, 32)),
        _ => None,
    }
}

fn parse_reference(bytes: &[u8]) -> Option<(usize, u32)> {
    let rest = bytes.strip_prefix(b"&#")?;
    let end = rest.iter().take(9).position(|byte| *byte == b';')?;
    let digits = std::str::from_utf8(&rest[..end]).ok()?;
    let code = match digits.strip_prefix(['x', 'X']) {
        Some(hex) => u32::from_str_radix(hex, 16).ok()?,
        None => digits.parse().ok()?,
    };
    Some((end + 3, code))
}

fn parse_escape(bytes: &[u8]) -> Option<(usize, u32)> {
    match bytes {
        [b'\\', b'u', a, b, c, d, ..] => Some((6, parse_hex(&[*a, *b, *c, *d])?)),
        [b'\\', b'x', a, b, ..] => Some((4, parse_hex(&[*a, *b])?)),
        _ => None,
    }
}

fn parse_hex(digits: &[u8]) -> Option<u32> {
    digits.iter().try_fold(0, |sum, digit| Some(sum * 16 + char::from(*digit).to_digit(16)?))
}

impl EncodedPart {
    /// What the part says, if that is prose.
    fn decode_prose(&self, text: &str, at: usize) -> Option<String> {
        let part = text.get(at..self.end)?;
        let part = &part[..part.floor_char_boundary(MAX_PART_BYTES)];
        let bytes = part.as_bytes();
        let output = match self.encoding {
            Encoding::Block => return decode_block(part),
            Encoding::Percent => {
                // Of an address, more than a few marks are needed.
                if part.matches('%').count() * 4 < part.len() / 3 {
                    return None;
                }
                String::from_utf8(
                    decode_codes(bytes, parse_percent).map(|code| code as u8).collect(),
                )
                .ok()?
            }
            Encoding::Reference => {
                decode_codes(bytes, parse_reference).filter_map(char::from_u32).collect()
            }
            Encoding::Escape => {
                decode_codes(bytes, parse_escape).filter_map(char::from_u32).collect()
            }
        };
        keep_if_prose(output)
    }
}

fn decode_codes<'a>(
    mut bytes: &'a [u8],
    unit: impl Fn(&[u8]) -> Option<(usize, u32)> + 'a,
) -> impl Iterator<Item = u32> + 'a {
    std::iter::from_fn(move || {
        let (length, code) = unit(bytes)?;
        bytes = &bytes[length..];
        Some(code)
    })
}

fn decode_block(part: &str) -> Option<String> {
    if part.len() < MIN_PART_CHARS {
        return None;
    }
    let bytes = part.as_bytes();
    if bytes.len().is_multiple_of(2) && bytes.iter().all(u8::is_ascii_hexdigit) {
        let pairs = bytes.chunks(2).filter_map(parse_hex).map(|byte| byte as u8).collect();
        if let Some(prose) = String::from_utf8(pairs).ok().and_then(keep_if_prose) {
            return Some(prose);
        }
    }
    let engine = if part.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    keep_if_prose(String::from_utf8(engine.decode(part.trim_end_matches('=')).ok()?).ok()?)
}

/// `text` if it reads like words, or like another encoding of some.
fn keep_if_prose(text: String) -> Option<String> {
    let letters = text.chars().count();
    let count = |what: fn(char) -> bool| text.chars().filter(|letter| what(*letter)).count();
    let wordlike = count(|letter| letter.is_alphabetic() || letter == ' ');
    let odd = count(|letter| letter.is_control() && !letter.is_whitespace());
    let nested = text.len() >= MIN_PART_CHARS && text.bytes().all(is_block_byte);
    let readable = letters >= 8 && odd == 0 && wordlike * 10 >= letters * 7;
    (readable && (nested || text.contains(' '))).then_some(text)
}
