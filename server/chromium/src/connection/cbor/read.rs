//! Reading what the browser says.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::{
    ARRAY, BINARY, BYTES, CborError, DOUBLE, END, FALSE, MAP, NEGATIVE, NULL, TEXT, TRUE, UNSIGNED,
    big_endian_number, envelope_head_length,
};

/// Values within each other that are read. The browser itself reads 300.
const MAX_DEPTH: usize = 500;

/// How an answer begins in its envelope: with the name of its number.
const ID_PREFIX: &[u8] = b"\xbf\x62id";

/// A message as JSON.
pub(crate) fn to_json(message: &[u8]) -> Result<Vec<u8>, CborError> {
    // Escapes make it longer, names of maps and numbers hardly.
    let mut reader = CborReader {
        bytes: message,
        position: 0,
        json: Vec::with_capacity(message.len() * 9 / 8 + 64),
    };
    reader.value(0)?;
    match reader.position == message.len() {
        true => Ok(reader.json),
        false => Err(reader.error("more than one value")),
    }
}

/// The number of the question that a message answers, although it cannot be read.
pub(crate) fn message_id(message: &[u8]) -> Option<usize> {
    let mut reading =
        CborReader { bytes: message, position: envelope_head_length(message)?, json: Vec::new() };
    // It stands before all else in an answer.
    if reading.take(ID_PREFIX.len()).ok()? != ID_PREFIX {
        return None;
    }
    let first = reading.byte().ok()?;
    if first >> 5 == UNSIGNED { reading.argument(first).ok() } else { None }
}

struct CborReader<'a> {
    bytes: &'a [u8],
    position: usize,
    json: Vec<u8>,
}

impl<'a> CborReader<'a> {
    fn error(&self, what: &'static str) -> CborError {
        CborError { problem: what, offset: self.position }
    }

    fn take(&mut self, count: usize) -> Result<&'a [u8], CborError> {
        let end = self.position.checked_add(count).filter(|end| *end <= self.bytes.len());
        let Some(end) = end else { return Err(self.error("cut off")) };
        let taken = &self.bytes[self.position..end];
        self.position = end;
        Ok(taken)
    }

    fn byte(&mut self) -> Result<u8, CborError> {
        Ok(self.take(1)?[0])
    }

    /// Whether the map or array ends here.
    fn take_end(&mut self) -> bool {
        let ends = self.bytes.get(self.position) == Some(&END);
        self.position += usize::from(ends);
        ends
    }

    /// The argument of a value that began with `first`.
    fn argument(&mut self, first: u8) -> Result<usize, CborError> {
        let more = match first & 0x1f {
            small @ 0..24 => return Ok(usize::from(small)),
            24 => 1,
            25 => 2,
            26 => 4,
            _ => return Err(self.error("a number that is too large")),
        };
        Ok(big_endian_number(self.take(more)?))
    }

    fn value(&mut self, depth: usize) -> Result<(), CborError> {
        if depth > MAX_DEPTH {
            return Err(self.error("too many values within each other"));
        }
        if let Some(skipped) = envelope_head_length(&self.bytes[self.position..]) {
            self.take(skipped)?;
        }
        match self.byte()? {
            MAP => self.items(b"{}", |reading| {
                let first = reading.byte()?;
                reading.text(first)?;
                reading.json.push(b':');
                reading.value(depth + 1)
            })?,
            ARRAY => self.items(b"[]", |reading| reading.value(depth + 1))?,
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
                    return Err(self.error("a tag on something else"));
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

    /// What stands in a map or array, up to its end, between its brackets.
    fn items(
        &mut self,
        [open, close]: &[u8; 2],
        read: impl Fn(&mut Self) -> Result<(), CborError>,
    ) -> Result<(), CborError> {
        self.json.push(*open);
        let begun = self.json.len();
        while !self.take_end() {
            if self.json.len() > begun {
                self.json.push(b',');
            }
            read(self)?;
        }
        self.json.push(*close);
        Ok(())
    }

    /// As JavaScript writes it: one without a fraction may be meant as a whole number.
    fn double(&mut self, number: f64) {
        /// From here on not all whole numbers are doubles.
        const MAX_SAFE_INTEGER: f64 = 9_007_199_254_740_992.0;
        match number.fract() == 0.0 && number.abs() <= MAX_SAFE_INTEGER {
            true => self.json.extend(format!("{number:.0}").bytes()),
            // What is not a number is null, as in JSON.
            false => self.json.extend(Value::from(number).to_string().bytes()),
        }
    }

    /// A text that began with `first`.
    fn text(&mut self, first: u8) -> Result<(), CborError> {
        let kind = first >> 5;
        if kind != TEXT && kind != BYTES {
            return Err(self.error("a value of no kind that is known"));
        }
        let length = self.argument(first)?;
        let (at, bytes) = (self.position, self.take(length)?);
        if kind == TEXT {
            let Ok(text) = std::str::from_utf8(bytes) else {
                return Err(CborError { problem: "text that is not UTF-8", offset: at });
            };
            self.string(text);
            return Ok(());
        }
        let (units, []) = bytes.as_chunks::<2>() else {
            return Err(CborError { problem: "half a letter", offset: at });
        };
        // Half a pair may be in any string of a page.
        let text: String = char::decode_utf16(units.iter().map(|unit| u16::from_le_bytes(*unit)))
            .map(|letter| letter.unwrap_or(char::REPLACEMENT_CHARACTER))
            .collect();
        self.string(&text);
        Ok(())
    }

    fn string(&mut self, text: &str) {
        // Writing into memory does not fail.
        let _ = serde_json::to_writer(&mut self.json, text);
    }
}
