//! Takes protobuf bytes apart, without knowing what they mean.

use super::{FIXED32, FIXED64, LENGTH_DELIMITED, VARINT, WireError};

/// Walks over the fields of one encoded message.
pub struct FieldReader<'a> {
    rest: &'a [u8],
}

/// The value of a field as it lies on the wire.
#[derive(Clone, Copy, Debug)]
pub enum WireValue<'a> {
    /// A varint.
    Number(u64),
    /// Anything else.
    Bytes(&'a [u8]),
}

impl<'a> FieldReader<'a> {
    /// Starts at the first field.
    pub fn new(encoded: &'a [u8]) -> Self {
        Self { rest: encoded }
    }

    fn field(&mut self) -> Result<(u32, WireValue<'a>), WireError> {
        let key = varint(&mut self.rest)?;
        let number = u32::try_from(key >> 3).map_err(|_| WireError::Malformed)?;
        Ok((number, WireValue::read(&mut self.rest, (key & 7) as u32)?))
    }
}

impl<'a> Iterator for FieldReader<'a> {
    type Item = Result<(u32, WireValue<'a>), WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.rest.is_empty() {
            return None;
        }
        let field = self.field();
        if field.is_err() {
            self.rest = &[];
        }
        Some(field)
    }
}

impl<'a> WireValue<'a> {
    fn read(input: &mut &'a [u8], kind: u32) -> Result<Self, WireError> {
        Ok(match kind {
            VARINT => Self::Number(varint(input)?),
            FIXED64 => Self::Bytes(take(input, 8)?),
            FIXED32 => Self::Bytes(take(input, 4)?),
            LENGTH_DELIMITED => {
                let length = usize::try_from(varint(input)?).map_err(|_| WireError::Malformed)?;
                Self::Bytes(take(input, length)?)
            }
            _ => return Err(WireError::Malformed),
        })
    }
}

/// Reads a varint from the front of `input`.
pub fn varint(input: &mut &[u8]) -> Result<u64, WireError> {
    let mut value = 0;
    for (index, byte) in input.iter().enumerate().take(10) {
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte & 0x80 == 0 {
            *input = &input[index + 1..];
            return Ok(value);
        }
    }
    Err(WireError::Malformed)
}

/// `bytes` as text; protobuf strings are UTF-8.
pub fn text(bytes: &[u8]) -> Result<&str, WireError> {
    std::str::from_utf8(bytes).map_err(|_| WireError::Malformed)
}

fn take<'a>(input: &mut &'a [u8], length: usize) -> Result<&'a [u8], WireError> {
    let (head, tail) = input.split_at_checked(length).ok_or(WireError::Malformed)?;
    *input = tail;
    Ok(head)
}
