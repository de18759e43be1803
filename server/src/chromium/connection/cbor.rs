//! The binary form of the protocol, which saves the browser to write all that a
//! page says as JSON: a third of the time of a large answer.
//!
//! It is CBOR (RFC 8949) as the inspector protocol has it
//! (<https://chromium.googlesource.com/deps/inspector_protocol/>, `crdtp/cbor.h`):
//! maps and arrays of indefinite length, each in an envelope that says how many
//! bytes it has; text as UTF-8, or as UTF-16 in a byte string; binary data as a byte
//! string with the tag of base64. Whoever reads answers finds them as JSON.

use std::fmt;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

/// Begins an envelope: the tag of embedded CBOR, and the length in four bytes.
const ENVELOPE: [u8; 3] = [0xd8, 0x18, 0x5a];
/// As old browsers write it.
const OLD_ENVELOPE: [u8; 2] = [0xd8, 0x5a];
const LENGTH: usize = 4;
const MAP: u8 = 0xbf;
const ARRAY: u8 = 0x9f;
const END: u8 = 0xff;
const FALSE: u8 = 0xf4;
const TRUE: u8 = 0xf5;
const NULL: u8 = 0xf6;
const DOUBLE: u8 = 0xfb;
/// The tag of what is base64 in JSON.
const BINARY: u8 = 0xd6;

// The major types, in the upper three bits.
const UNSIGNED: u8 = 0;
const NEGATIVE: u8 = 1;
const BYTES: u8 = 2;
const TEXT: u8 = 3;

/// Values within each other that are read. The browser itself reads 300.
const DEEPEST: usize = 500;

/// What is no message of the protocol, and where.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Fault {
    what: &'static str,
    at: usize,
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} at byte {}", self.what, self.at)
    }
}

/// How long the message is that begins with these bytes, its head included; `None`
/// while too few are there.
pub(crate) fn length(bytes: &[u8]) -> Result<Option<usize>, Fault> {
    let Some(head) = envelope(bytes) else {
        return match ENVELOPE.starts_with(bytes) {
            true => Ok(None),
            false => Err(Fault { what: "no envelope", at: 0 }),
        };
    };
    Ok(bytes.get(head - LENGTH..head).map(|length| head + number(length)))
}

/// How long the head of an envelope is, if there is one.
fn envelope(bytes: &[u8]) -> Option<usize> {
    let tag = [&ENVELOPE[..], &OLD_ENVELOPE[..]].into_iter().find(|tag| bytes.starts_with(tag))?;
    Some(tag.len() + LENGTH)
}

/// A number in as many bytes as there are, four at most.
fn number(bytes: &[u8]) -> usize {
    bytes.iter().fold(0, |sum, byte| sum << 8 | usize::from(*byte))
}

/// Writes a value, each map and array in its envelope.
pub(crate) fn write(value: &Value, into: &mut Vec<u8>) {
    match value {
        Value::Null => into.push(NULL),
        Value::Bool(true) => into.push(TRUE),
        Value::Bool(false) => into.push(FALSE),
        Value::Number(number) => match number.as_i64().map(i32::try_from) {
            Some(Ok(whole)) => match u32::try_from(whole) {
                Ok(whole) => start(UNSIGNED, whole, into),
                // Minus one is none.
                Err(_) => start(NEGATIVE, (-1 - whole).unsigned_abs(), into),
            },
            _ => {
                into.push(DOUBLE);
                into.extend(number.as_f64().unwrap_or_default().to_be_bytes());
            }
        },
        Value::String(text) => write_text(text, into),
        Value::Array(items) => within(ARRAY, into, |into| {
            for item in items {
                write(item, into);
            }
        }),
        Value::Object(fields) => within(MAP, into, |into| {
            for (name, value) in fields {
                write_text(name, into);
                write(value, into);
            }
        }),
    }
}

fn write_text(text: &str, into: &mut Vec<u8>) {
    // Who sends more than 4 GiB is refused for less.
    start(TEXT, u32::try_from(text.len()).unwrap_or(u32::MAX), into);
    into.extend_from_slice(text.as_bytes());
}

/// Writes the first byte of a value, and the argument behind it.
fn start(major: u8, argument: u32, into: &mut Vec<u8>) {
    let major = major << 5;
    match argument {
        0..24 => into.push(major | argument.to_be_bytes()[3]),
        24..0x100 => into.extend([major | 24, argument.to_be_bytes()[3]]),
        0x100..0x1_0000 => {
            into.push(major | 25);
            into.extend(&argument.to_be_bytes()[2..]);
        }
        _ => {
            into.push(major | 26);
            into.extend(argument.to_be_bytes());
        }
    }
}

/// Writes an envelope with what `items` writes into a map or array.
fn within(kind: u8, into: &mut Vec<u8>, items: impl FnOnce(&mut Vec<u8>)) {
    into.extend(ENVELOPE);
    let at = into.len();
    into.extend([0; LENGTH]);
    into.push(kind);
    items(into);
    into.push(END);
    let length = u32::try_from(into.len() - at - LENGTH).unwrap_or(u32::MAX);
    into[at..at + LENGTH].copy_from_slice(&length.to_be_bytes());
}

/// A message as JSON.
pub(crate) fn to_json(message: &[u8]) -> Result<Vec<u8>, Fault> {
    // Escapes make it longer, names of maps and numbers hardly.
    let mut reader =
        Reading { bytes: message, at: 0, json: Vec::with_capacity(message.len() * 9 / 8 + 64) };
    reader.value(0)?;
    match reader.at == message.len() {
        true => Ok(reader.json),
        false => Err(reader.fault("more than one value")),
    }
}

struct Reading<'a> {
    bytes: &'a [u8],
    at: usize,
    json: Vec<u8>,
}

impl<'a> Reading<'a> {
    fn fault(&self, what: &'static str) -> Fault {
        Fault { what, at: self.at }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], Fault> {
        let end = self.at.checked_add(count).filter(|end| *end <= self.bytes.len());
        let Some(end) = end else { return Err(self.fault("cut off")) };
        let taken = &self.bytes[self.at..end];
        self.at = end;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, Fault> {
        Ok(self.take(1)?[0])
    }

    /// Whether the map or array ends here.
    fn ends(&mut self) -> bool {
        let ends = self.bytes.get(self.at) == Some(&END);
        self.at += usize::from(ends);
        ends
    }

    /// The argument of a value that began with `first`.
    fn argument(&mut self, first: u8) -> Result<usize, Fault> {
        let more = match first & 0x1f {
            small @ 0..24 => return Ok(usize::from(small)),
            24 => 1,
            25 => 2,
            26 => 4,
            _ => return Err(self.fault("a number that is too large")),
        };
        Ok(number(self.take(more)?))
    }

    fn value(&mut self, depth: usize) -> Result<(), Fault> {
        if depth > DEEPEST {
            return Err(self.fault("too many values within each other"));
        }
        if let Some(skipped) = envelope(&self.bytes[self.at..]) {
            self.take(skipped)?;
        }
        match self.byte()? {
            MAP => {
                self.json.push(b'{');
                let mut is_first = true;
                while !self.ends() {
                    if !std::mem::take(&mut is_first) {
                        self.json.push(b',');
                    }
                    let first = self.byte()?;
                    self.text(first)?;
                    self.json.push(b':');
                    self.value(depth + 1)?;
                }
                self.json.push(b'}');
            }
            ARRAY => {
                self.json.push(b'[');
                let mut is_first = true;
                while !self.ends() {
                    if !std::mem::take(&mut is_first) {
                        self.json.push(b',');
                    }
                    self.value(depth + 1)?;
                }
                self.json.push(b']');
            }
            NULL => self.json.extend(b"null"),
            TRUE => self.json.extend(b"true"),
            FALSE => self.json.extend(b"false"),
            DOUBLE => {
                let mut bytes = [0; 8];
                bytes.copy_from_slice(self.take(8)?);
                self.double(f64::from_be_bytes(bytes));
            }
            BINARY => {
                let first = self.byte()?;
                if first >> 5 != BYTES {
                    return Err(self.fault("a tag on something else"));
                }
                let length = self.argument(first)?;
                let text = STANDARD.encode(self.take(length)?);
                self.string(&text);
            }
            first if first >> 5 == UNSIGNED => {
                let number = self.argument(first)?;
                self.json.extend(number.to_string().bytes());
            }
            first if first >> 5 == NEGATIVE => {
                let number = self.argument(first)?;
                self.json.extend(format!("-{}", number + 1).bytes());
            }
            first => self.text(first)?,
        }
        Ok(())
    }

    /// As JavaScript writes it: one without a fraction may be meant as a whole number.
    fn double(&mut self, number: f64) {
        /// From here on not all whole numbers are doubles.
        const LARGEST: f64 = 9_007_199_254_740_992.0;
        match number.fract() == 0.0 && number.abs() <= LARGEST {
            true => self.json.extend(format!("{number:.0}").bytes()),
            // What is no number is null, as in JSON.
            false => self.json.extend(Value::from(number).to_string().bytes()),
        }
    }

    /// A text that began with `first`.
    fn text(&mut self, first: u8) -> Result<(), Fault> {
        let kind = first >> 5;
        if kind != TEXT && kind != BYTES {
            return Err(self.fault("a value of no kind that is known"));
        }
        let length = self.argument(first)?;
        let (at, bytes) = (self.at, self.take(length)?);
        if kind == TEXT {
            let Ok(text) = std::str::from_utf8(bytes) else {
                return Err(Fault { what: "text that is not UTF-8", at });
            };
            write_string(text, &mut self.json);
            return Ok(());
        }
        let (units, []) = bytes.as_chunks::<2>() else {
            return Err(Fault { what: "half a letter", at });
        };
        // Half a pair may be in any string of a page.
        let text: String = char::decode_utf16(units.iter().map(|unit| u16::from_le_bytes(*unit)))
            .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        self.string(&text);
        Ok(())
    }

    fn string(&mut self, text: &str) {
        write_string(text, &mut self.json);
    }
}

fn write_string(text: &str, json: &mut Vec<u8>) {
    // Writing into memory does not fail.
    let _ = serde_json::to_writer(json, text);
}

#[cfg(test)]
mod tests {
    use super::{Fault, length, to_json, write};
    use proptest::collection::vec;
    use proptest::prelude::*;
    use serde_json::{Value, json};

    fn written(value: &Value) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(value, &mut bytes);
        bytes
    }

    fn read(bytes: &[u8]) -> String {
        String::from_utf8(to_json(bytes).expect("is read")).expect("is UTF-8")
    }

    #[test]
    fn what_is_written_is_read_the_same() {
        let message = json!({
            "id": 7, "method": "Runtime.evaluate", "sessionId": "A1",
            "params": {
                "expression": "'é' + \"\\n\" + '\u{1f600}'", "none": null, "yes": true, "no": false,
                "numbers": [0, 23, 24, 255, 256, 65_535, 65_536, i32::MAX, -1, -24, -25, i32::MIN],
                "large": [4_294_967_296_i64, -2_147_483_649_i64, 1.5, -0.25, 1e300],
                "empty": [{}, [], ""], "long": "x".repeat(70_000),
            },
        });
        let bytes = written(&message);
        assert_eq!(length(&bytes), Ok(Some(bytes.len())));
        assert_eq!(serde_json::from_str::<Value>(&read(&bytes)).expect("is JSON"), message);
    }

    #[test]
    fn texts_are_utf_8_or_utf_16() {
        assert_eq!(read(b"\x63a\"\n"), r#""a\"\n""#);
        assert_eq!(read(b"\x63\xc3\xa9!"), "\"é!\"");
        assert_eq!(read(b"\x46\xe9\0!\0\0\x20"), "\"é!\u{2000}\"");
        // A pair, and half of one.
        assert_eq!(read(b"\x46\x3d\xd8\0\xde\x3d\xd8"), "\"\u{1f600}\u{fffd}\"");
    }

    #[test]
    fn binary_data_is_base64() {
        assert_eq!(read(b"\xd6\x43\x00\xff\x10"), r#""AP8Q""#);
        assert!(to_json(b"\xd6\x63abc").is_err());
    }

    #[test]
    fn whole_doubles_are_whole_numbers() {
        let double = |number: f64| read(&[&[0xfb], &number.to_be_bytes()[..]].concat());
        assert_eq!(double(1234.0), "1234");
        assert_eq!(double(-3.0), "-3");
        assert_eq!(double(0.1), "0.1");
        assert_eq!(double(1e21).parse(), Ok(1e21));
        assert_eq!(double(f64::NAN), "null");
    }

    #[test]
    fn the_length_is_known_from_the_head() {
        for bytes in [&b""[..], b"\xd8", b"\xd8\x18", b"\xd8\x18\x5a\0\0\0", b"\xd8\x5a\0\0\0"] {
            assert_eq!(length(bytes), Ok(None), "{bytes:x?}");
        }
        assert_eq!(length(b"\xd8\x18\x5a\0\0\x01\x02"), Ok(Some(7 + 258)));
        assert_eq!(length(b"\xd8\x5a\0\0\0\x02\xbf\xff"), Ok(Some(8)));
        assert!(length(b"{\"id\"").is_err() && length(b"\xd8\x19").is_err());
    }

    #[test]
    fn what_is_cut_off_or_unknown_is_a_fault() {
        let message = written(&json!({ "a": [1, "two", { "three": 3.5 }] }));
        for end in 0..message.len() {
            assert!(to_json(&message[..end]).is_err(), "{end}");
        }
        let twice = [&message[..], &message[..]].concat();
        let fault = Fault { what: "more than one value", at: message.len() };
        assert_eq!(to_json(&twice), Err(fault));
        for bytes in [
            &b"\xf7"[..],
            b"\x5f",
            b"\x1b\0\0\0\0\0\0\0\0",
            b"\x41a",
            b"\x61\xff",
            b"\xbf\x01\x01\xff",
        ] {
            assert!(to_json(bytes).is_err(), "{bytes:x?}");
        }
        assert!(to_json(&[0x9f].repeat(100_000)).is_err());
    }

    proptest! {
        #[test]
        fn nonsense_is_json_or_a_fault(bytes in vec(any::<u8>(), 0..80)) {
            if let Ok(json) = to_json(&bytes) {
                prop_assert!(serde_json::from_slice::<Value>(&json).is_ok());
            }
            let _ = length(&bytes);
        }
    }
}
