//! Reading what the browser says.

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde_json::Value;

use super::{
    ARRAY, BINARY, BYTES, DOUBLE, END, FALSE, Fault, MAP, NEGATIVE, NULL, TEXT, TRUE, UNSIGNED,
    envelope, number,
};

/// Values within each other that are read. The browser itself reads 300.
const DEEPEST: usize = 500;

/// How an answer begins in its envelope: with the name of its number.
const ID: &[u8] = b"\xbf\x62id";

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

/// The number of the question that a message answers, although it cannot be read.
pub(crate) fn id(message: &[u8]) -> Option<usize> {
    let mut reading = Reading { bytes: message, at: envelope(message)?, json: Vec::new() };
    // It stands before all else in an answer.
    if reading.take(ID.len()).ok()? != ID {
        return None;
    }
    let first = reading.byte().ok()?;
    if first >> 5 == UNSIGNED { reading.argument(first).ok() } else { None }
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

    /// What stands in a map or array, up to its end, between its brackets.
    fn items(
        &mut self,
        [open, close]: &[u8; 2],
        read: impl Fn(&mut Self) -> Result<(), Fault>,
    ) -> Result<(), Fault> {
        self.json.push(*open);
        let begun = self.json.len();
        while !self.ends() {
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
            self.string(text);
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
        // Writing into memory does not fail.
        let _ = serde_json::to_writer(&mut self.json, text);
    }
}
