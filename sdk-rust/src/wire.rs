//! The bytes of protobuf: <https://protobuf.dev/programming-guides/encoding/>.

const VARINT: u64 = 0;
const FIXED64: u64 = 1;
const LENGTH_DELIMITED: u64 = 2;
const FIXED32: u64 = 5;

/// A value as it stands on the wire.
#[derive(Clone, Copy, Debug)]
pub enum Raw<'a> {
    /// A varint.
    Number(u64),
    /// What has a length: text, bytes, a message, or four or eight plain bytes.
    Bytes(&'a [u8]),
}

/// The bytes are no such message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Malformed;

impl std::fmt::Display for Malformed {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("the bytes are no such message")
    }
}

/// The fields of a message: number and value.
pub fn entries(message: &[u8]) -> Entries<'_> {
    Entries { rest: message }
}

/// Walks over the fields of a message; ends after the first that is torn.
pub struct Entries<'a> {
    rest: &'a [u8],
}

impl<'a> Iterator for Entries<'a> {
    type Item = Result<(u32, Raw<'a>), Malformed>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let entry = self.entry();
        if entry.is_none() {
            self.rest = &[];
        }
        Some(entry.ok_or(Malformed))
    }
}

impl<'a> Entries<'a> {
    fn entry(&mut self) -> Option<(u32, Raw<'a>)> {
        let key = varint(&mut self.rest)?;
        let number = u32::try_from(key >> 3).ok()?;
        let length = match key & 7 {
            VARINT => return Some((number, Raw::Number(varint(&mut self.rest)?))),
            LENGTH_DELIMITED => usize::try_from(varint(&mut self.rest)?).ok()?,
            FIXED64 => 8,
            FIXED32 => 4,
            _ => return None,
        };
        let bytes = self.rest.get(..length)?;
        self.rest = &self.rest[length..];
        Some((number, Raw::Bytes(bytes)))
    }
}

/// Takes a varint off the front.
pub fn varint(bytes: &mut &[u8]) -> Option<u64> {
    let mut value = 0;
    for index in 0..10 {
        let (byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 127) << (7 * index);
        if *byte < 128 {
            return Some(value);
        }
    }
    None
}

fn put_varint(mut value: u64, out: &mut Vec<u8>) {
    while value > 127 {
        out.push(value as u8 | 128);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Appends a number.
pub fn put_number(number: u32, value: u64, out: &mut Vec<u8>) {
    put_varint(u64::from(number) << 3 | VARINT, out);
    put_varint(value, out);
}

/// Appends a double.
pub fn put_double(number: u32, value: f64, out: &mut Vec<u8>) {
    put_varint(u64::from(number) << 3 | FIXED64, out);
    out.extend(value.to_le_bytes());
}

/// Appends what has a length.
pub fn put_bytes(number: u32, bytes: &[u8], out: &mut Vec<u8>) {
    put_varint(u64::from(number) << 3 | LENGTH_DELIMITED, out);
    put_varint(bytes.len() as u64, out);
    out.extend(bytes);
}
