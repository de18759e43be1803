//! Protobuf to JSON.

use serde_json::{Map, Value, json};

use super::{
    TYPE_PREFIX, WireError, base64,
    read::{FieldReader, WireValue, text, varint},
};
use crate::{Field, FieldType, MessageType};

/// Decodes `bytes` as `message`. Fields that the tables do not know, from a
/// newer daemon, are skipped.
///
/// # Errors
/// [`WireError::Malformed`] when the bytes are not a message.
pub fn decode(message: &MessageType, bytes: &[u8]) -> Result<Map<String, Value>, WireError> {
    let mut out = Map::new();
    for field in message.fields {
        if let Some(zero) = zero_value(field) {
            out.insert(field.name.to_owned(), zero);
        }
    }
    for entry in FieldReader::new(bytes) {
        let (number, raw) = entry?;
        if let Some(field) = message.fields.iter().find(|field| field.number == number) {
            decode_field(&mut out, field, raw)?;
        }
    }
    Ok(out)
}

/// The content of the bytes field `number` at the top level of an encoded
/// message, without the detour over base64.
///
/// # Errors
/// [`WireError::Malformed`] when the bytes are not a message.
pub fn bytes_field(encoded: &[u8], number: u32) -> Result<&[u8], WireError> {
    let mut found: &[u8] = &[];
    for entry in FieldReader::new(encoded) {
        if let (at, WireValue::Bytes(content)) = entry?
            && at == number
        {
            found = content;
        }
    }
    Ok(found)
}

/// The value of the number field `number` at the top level of an encoded
/// message; 0 when it is left out.
///
/// # Errors
/// [`WireError::Malformed`] when the bytes are not a message.
pub fn number_field(encoded: &[u8], number: u32) -> Result<u64, WireError> {
    let mut found = 0;
    for entry in FieldReader::new(encoded) {
        if let (at, WireValue::Number(value)) = entry?
            && at == number
        {
            found = value;
        }
    }
    Ok(found)
}

/// The numbers of the fields of an encoded message that hold more than zero;
/// nothing is reported of what follows malformed bytes.
pub fn set_fields(encoded: &[u8]) -> Vec<u32> {
    let set = FieldReader::new(encoded).map_while(Result::ok);
    set.filter(|(_, raw)| !matches!(raw, WireValue::Number(0))).map(|(number, _)| number).collect()
}

/// The text in the field `number` of an encoded message: the last that is there.
pub fn text_field(encoded: &[u8], number: u32) -> Option<String> {
    let set = FieldReader::new(encoded).map_while(Result::ok);
    let bytes = set.filter_map(|(found, raw)| match raw {
        WireValue::Bytes(bytes) if found == number => Some(bytes),
        _ => None,
    });
    text(bytes.last()?).ok().map(str::to_owned)
}

fn zero_value(field: &Field) -> Option<Value> {
    if field.repeated {
        return Some(json!([]));
    }
    match field.kind {
        _ if field.optional => None,
        FieldType::Bool => Some(json!(false)),
        FieldType::U32 | FieldType::U64 | FieldType::I32 => Some(json!(0)),
        FieldType::F64 => Some(json!(0.0)),
        FieldType::String | FieldType::Bytes | FieldType::Enum(_) => Some(json!("")),
        FieldType::StringMap => Some(json!({})),
        FieldType::Message(_) | FieldType::Any => None,
    }
}

fn is_packable(field: &Field) -> bool {
    matches!(
        field.kind,
        FieldType::U32 | FieldType::U64 | FieldType::I32 | FieldType::Bool | FieldType::Enum(_)
    )
}

fn decode_field(
    out: &mut Map<String, Value>,
    field: &Field,
    raw: WireValue<'_>,
) -> Result<(), WireError> {
    if let WireValue::Bytes(mut packed) = raw
        && field.repeated
        && is_packable(field)
    {
        while !packed.is_empty() {
            let number = varint(&mut packed)?;
            append_item(out, field, decode_value(field, WireValue::Number(number))?);
        }
        return Ok(());
    }
    let value = decode_value(field, raw)?;
    match (&field.kind, value) {
        (FieldType::StringMap, Value::Object(entry)) => {
            if let Some(Value::Object(map)) = out.get_mut(field.name) {
                map.extend(entry);
            }
        }
        (_, value) if field.repeated => append_item(out, field, value),
        (_, value) => {
            out.insert(field.name.to_owned(), value);
        }
    }
    Ok(())
}

fn append_item(out: &mut Map<String, Value>, field: &Field, value: Value) {
    if let Some(Value::Array(items)) = out.get_mut(field.name) {
        items.push(value);
    }
}

fn decode_value(field: &Field, raw: WireValue<'_>) -> Result<Value, WireError> {
    Ok(match (&field.kind, raw) {
        (FieldType::Bool, WireValue::Number(number)) => json!(number != 0),
        (FieldType::U32 | FieldType::U64, WireValue::Number(number)) => json!(number),
        (FieldType::I32, WireValue::Number(number)) => json!(number as i32),
        (FieldType::Enum(of), WireValue::Number(number)) => {
            let known = of.values.iter().find(|value| value.number == number as i32);
            json!(known.map_or(number.to_string(), |value| value.name.to_owned()))
        }
        (FieldType::F64, WireValue::Bytes(bytes)) => {
            let bytes = bytes.try_into().map_err(|_| WireError::Malformed)?;
            json!(f64::from_le_bytes(bytes))
        }
        (FieldType::String, WireValue::Bytes(bytes)) => json!(text(bytes)?),
        (FieldType::Bytes, WireValue::Bytes(bytes)) => json!(base64::encode(bytes)),
        (FieldType::Message(of), WireValue::Bytes(bytes)) => Value::Object(decode(of, bytes)?),
        (FieldType::StringMap, WireValue::Bytes(bytes)) => Value::Object(decode_map_entry(bytes)?),
        (FieldType::Any, WireValue::Bytes(bytes)) => decode_any(bytes)?,
        _ => return Err(WireError::Malformed),
    })
}

fn decode_map_entry(encoded: &[u8]) -> Result<Map<String, Value>, WireError> {
    let (mut key, mut value) = ("", "");
    for entry in FieldReader::new(encoded) {
        match entry? {
            (1, WireValue::Bytes(bytes)) => key = text(bytes)?,
            (2, WireValue::Bytes(bytes)) => value = text(bytes)?,
            _ => {}
        }
    }
    Ok(Map::from_iter([(key.to_owned(), json!(value))]))
}

fn decode_any(encoded: &[u8]) -> Result<Value, WireError> {
    let (mut name, mut body) = ("", &[][..]);
    for entry in FieldReader::new(encoded) {
        match entry? {
            (1, WireValue::Bytes(bytes)) => name = text(bytes)?.trim_start_matches(TYPE_PREFIX),
            (2, WireValue::Bytes(bytes)) => body = bytes,
            _ => {}
        }
    }
    let mut out = Map::from_iter([("@type".to_owned(), json!(name))]);
    if let Some(message) = MessageType::by_name(name) {
        out.extend(decode(message, body)?);
    }
    Ok(Value::Object(out))
}
