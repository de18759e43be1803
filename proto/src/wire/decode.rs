//! Protobuf to JSON.

use serde_json::{Map, Value, json};

use super::{FIXED32, FIXED64, LENGTH, TYPE_PREFIX, VARINT, WireError};
use crate::{Field, Kind, Message};

/// Decodes `bytes` as `message`. Fields that the tables do not know, from a
/// newer daemon, are skipped.
///
/// # Errors
/// [`WireError::Malformed`] when the bytes are no message.
pub fn decode(message: &Message, bytes: &[u8]) -> Result<Map<String, Value>, WireError> {
    let mut out = Map::new();
    for field in message.fields {
        if let Some(zero) = zero(field) {
            out.insert(field.name.to_owned(), zero);
        }
    }
    let mut input = bytes;
    while !input.is_empty() {
        let key = varint(&mut input)?;
        let number = u32::try_from(key >> 3).map_err(|_| WireError::Malformed)?;
        let raw = Raw::read(&mut input, (key & 7) as u32)?;
        let Some(field) = message.fields.iter().find(|field| field.number == number) else {
            continue;
        };
        put(&mut out, field, raw)?;
    }
    Ok(out)
}

fn zero(field: &Field) -> Option<Value> {
    if field.repeated {
        return Some(json!([]));
    }
    match field.kind {
        _ if field.optional => None,
        Kind::Bool => Some(json!(false)),
        Kind::U32 | Kind::U64 | Kind::I32 => Some(json!(0)),
        Kind::F64 => Some(json!(0.0)),
        Kind::String | Kind::Bytes | Kind::Enum(_) => Some(json!("")),
        Kind::StringMap => Some(json!({})),
        Kind::Message(_) | Kind::Any => None,
    }
}

fn is_packable(field: &Field) -> bool {
    matches!(field.kind, Kind::U32 | Kind::U64 | Kind::I32 | Kind::Bool | Kind::Enum(_))
}

#[derive(Clone, Copy)]
enum Raw<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Raw<'a> {
    fn read(input: &mut &'a [u8], kind: u32) -> Result<Self, WireError> {
        Ok(match kind {
            VARINT => Self::Number(varint(input)?),
            FIXED64 => Self::Bytes(take(input, 8)?),
            FIXED32 => Self::Bytes(take(input, 4)?),
            LENGTH => {
                let length = usize::try_from(varint(input)?).map_err(|_| WireError::Malformed)?;
                Self::Bytes(take(input, length)?)
            }
            _ => return Err(WireError::Malformed),
        })
    }
}

fn put(out: &mut Map<String, Value>, field: &Field, raw: Raw<'_>) -> Result<(), WireError> {
    if let Raw::Bytes(mut packed) = raw
        && field.repeated
        && is_packable(field)
    {
        while !packed.is_empty() {
            let number = varint(&mut packed)?;
            append(out, field, value(field, Raw::Number(number))?);
        }
        return Ok(());
    }
    let value = value(field, raw)?;
    match (&field.kind, value) {
        (Kind::StringMap, Value::Object(entry)) => {
            if let Some(Value::Object(map)) = out.get_mut(field.name) {
                map.extend(entry);
            }
        }
        (_, value) if field.repeated => append(out, field, value),
        (_, value) => {
            out.insert(field.name.to_owned(), value);
        }
    }
    Ok(())
}

fn append(out: &mut Map<String, Value>, field: &Field, value: Value) {
    if let Some(Value::Array(items)) = out.get_mut(field.name) {
        items.push(value);
    }
}

fn value(field: &Field, raw: Raw<'_>) -> Result<Value, WireError> {
    Ok(match (&field.kind, raw) {
        (Kind::Bool, Raw::Number(number)) => json!(number != 0),
        (Kind::U32 | Kind::U64, Raw::Number(number)) => json!(number),
        (Kind::I32, Raw::Number(number)) => json!(number as i32),
        (Kind::Enum(of), Raw::Number(number)) => {
            let known = of.values.iter().find(|value| value.number == number as i32);
            json!(known.map_or(number.to_string(), |value| value.name.to_owned()))
        }
        (Kind::F64, Raw::Bytes(bytes)) => {
            let bytes = bytes.try_into().map_err(|_| WireError::Malformed)?;
            json!(f64::from_le_bytes(bytes))
        }
        (Kind::String, Raw::Bytes(bytes)) => json!(text(bytes)?),
        (Kind::Bytes, Raw::Bytes(bytes)) => json!(base64::encode(bytes)),
        (Kind::Message(of), Raw::Bytes(bytes)) => Value::Object(decode(of, bytes)?),
        (Kind::StringMap, Raw::Bytes(bytes)) => Value::Object(map_entry(bytes)?),
        (Kind::Any, Raw::Bytes(bytes)) => any(bytes)?,
        _ => return Err(WireError::Malformed),
    })
}

fn map_entry(mut input: &[u8]) -> Result<Map<String, Value>, WireError> {
    let (mut key, mut value) = ("", "");
    while !input.is_empty() {
        let tag = varint(&mut input)?;
        match (tag >> 3, Raw::read(&mut input, (tag & 7) as u32)?) {
            (1, Raw::Bytes(bytes)) => key = text(bytes)?,
            (2, Raw::Bytes(bytes)) => value = text(bytes)?,
            _ => {}
        }
    }
    Ok(Map::from_iter([(key.to_owned(), json!(value))]))
}

fn any(mut input: &[u8]) -> Result<Value, WireError> {
    let (mut name, mut body) = ("", &[][..]);
    while !input.is_empty() {
        let tag = varint(&mut input)?;
        match (tag >> 3, Raw::read(&mut input, (tag & 7) as u32)?) {
            (1, Raw::Bytes(bytes)) => name = text(bytes)?.trim_start_matches(TYPE_PREFIX),
            (2, Raw::Bytes(bytes)) => body = bytes,
            _ => {}
        }
    }
    let mut out = Map::from_iter([("@type".to_owned(), json!(name))]);
    if let Some(message) = Message::by_name(name) {
        out.extend(decode(message, body)?);
    }
    Ok(Value::Object(out))
}

fn text(bytes: &[u8]) -> Result<&str, WireError> {
    std::str::from_utf8(bytes).map_err(|_| WireError::Malformed)
}

fn take<'a>(input: &mut &'a [u8], length: usize) -> Result<&'a [u8], WireError> {
    let (head, tail) = input.split_at_checked(length).ok_or(WireError::Malformed)?;
    *input = tail;
    Ok(head)
}

fn varint(input: &mut &[u8]) -> Result<u64, WireError> {
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

pub(super) mod base64 {
    //! Base64 with padding (RFC 4648, section 4).

    use ::base64::{Engine as _, engine::general_purpose::STANDARD};

    pub fn encode(bytes: &[u8]) -> String {
        STANDARD.encode(bytes)
    }

    pub fn decode(text: &str) -> Option<Vec<u8>> {
        STANDARD.decode(text).ok()
    }
}
