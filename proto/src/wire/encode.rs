//! JSON to protobuf. Besides what the CLI writes it takes what the JSON form of
//! protobuf allows: names in camel case, numbers as strings, enums as numbers,
//! and base64 of either alphabet, with padding or without.

use serde_json::{Map, Value};

use super::{FIXED64, LENGTH_DELIMITED, TYPE_PREFIX, VARINT, WireError, base64};
use crate::{Enum, Field, FieldType, MessageType};

/// Encodes `value` as `message`.
///
/// # Errors
/// A field that the message lacks, or a value of another type.
pub fn encode(message: &MessageType, value: &Map<String, Value>) -> Result<Vec<u8>, WireError> {
    let mut out = Vec::new();
    for (name, value) in value {
        let field = message.field(name).or_else(|| message.field(&snake_case(name)));
        let field = field.ok_or_else(|| WireError::UnknownField(name.clone()))?;
        match value {
            Value::Null => {}
            Value::Array(items) if field.repeated => {
                for item in items {
                    encode_value(&mut out, field, item)?;
                }
            }
            Value::Object(entries) if matches!(field.kind, FieldType::StringMap) => {
                for (key, value) in entries {
                    encode_map_entry(&mut out, field, key, value)?;
                }
            }
            value => encode_value(&mut out, field, value)?,
        }
    }
    Ok(out)
}

fn encode_value(out: &mut Vec<u8>, field: &Field, value: &Value) -> Result<(), WireError> {
    let wrong = |wanted: &str| WireError::WrongType(field.name.to_owned(), wanted.to_owned());
    match &field.kind {
        FieldType::Bool => {
            let value = value.as_bool().ok_or_else(|| wrong("true or false"))?;
            put_number(out, field, u64::from(value));
        }
        FieldType::U32 => {
            let value = whole_number(value).and_then(|v| u32::try_from(v).ok());
            put_number(out, field, u64::from(value.ok_or_else(|| wrong("a whole number"))?));
        }
        FieldType::U64 => {
            put_number(out, field, whole_number(value).ok_or_else(|| wrong("a whole number"))?);
        }
        FieldType::I32 => {
            let text = value.as_str().and_then(|text| text.parse().ok());
            let value = value.as_i64().or(text).and_then(|v| i32::try_from(v).ok());
            put_number(out, field, i64::from(value.ok_or_else(|| wrong("a number"))?) as u64);
        }
        FieldType::F64 => {
            put_tag(out, field.number, FIXED64);
            let text = value.as_str().and_then(|text| text.parse().ok());
            let value = value.as_f64().or(text).ok_or_else(|| wrong("a number"))?;
            out.extend(value.to_le_bytes());
        }
        FieldType::String => {
            put_bytes(out, field.number, value.as_str().ok_or_else(|| wrong("text"))?.as_bytes());
        }
        FieldType::Bytes => {
            let value = value.as_str().and_then(base64::decode_lenient);
            put_bytes(out, field.number, &value.ok_or_else(|| wrong("base64"))?);
        }
        FieldType::Enum(of) => {
            let value = enum_number(of, value).ok_or_else(|| wrong(&enum_words(of)))?;
            put_number(out, field, value as u64);
        }
        FieldType::Message(of) => {
            let value = value.as_object().ok_or_else(|| wrong("an object"))?;
            put_bytes(out, field.number, &encode(of, value)?);
        }
        FieldType::StringMap => return Err(wrong("an object of texts")),
        FieldType::Any => put_bytes(out, field.number, &encode_any(field, value)?),
    }
    Ok(())
}

/// Encodes `{"@type": "browse.v1.ClickRequest", …}` as `google.protobuf.Any`.
fn encode_any(field: &Field, value: &Value) -> Result<Vec<u8>, WireError> {
    let wrong = || WireError::WrongType(field.name.to_owned(), "an object with `@type`".to_owned());
    let mut value = value.as_object().ok_or_else(wrong)?.clone();
    let name = value.remove("@type").ok_or_else(wrong)?;
    let name = name.as_str().ok_or_else(wrong)?.trim_start_matches(TYPE_PREFIX).to_owned();
    let message = MessageType::by_name(&name).ok_or_else(wrong)?;
    let mut out = Vec::new();
    put_bytes(&mut out, 1, format!("{TYPE_PREFIX}{name}").as_bytes());
    put_bytes(&mut out, 2, &encode(message, &value)?);
    Ok(out)
}

fn encode_map_entry(
    out: &mut Vec<u8>,
    field: &Field,
    key: &str,
    value: &Value,
) -> Result<(), WireError> {
    let wrong = || WireError::WrongType(field.name.to_owned(), "an object of texts".to_owned());
    let mut entry = Vec::new();
    put_bytes(&mut entry, 1, key.as_bytes());
    put_bytes(&mut entry, 2, value.as_str().ok_or_else(wrong)?.as_bytes());
    put_bytes(out, field.number, &entry);
    Ok(())
}

fn enum_number(of: &Enum, value: &Value) -> Option<i32> {
    let (word, number) = (value.as_str().unwrap_or_default(), value.as_i64());
    let found = of.values.iter().find(|value| {
        (value.name == word && !word.is_empty()) || number == Some(i64::from(value.number))
    });
    found.map(|value| value.number)
}

fn whole_number(value: &Value) -> Option<u64> {
    value.as_u64().or_else(|| value.as_str()?.parse().ok())
}

/// `max_tokens` of `maxTokens`.
fn snake_case(name: &str) -> String {
    let mut out = String::with_capacity(name.len() + 4);
    for letter in name.chars() {
        if letter.is_ascii_uppercase() {
            out.push('_');
        }
        out.push(letter.to_ascii_lowercase());
    }
    out
}

fn enum_words(of: &Enum) -> String {
    let words: Vec<_> = of.values.iter().map(|v| v.name).filter(|name| !name.is_empty()).collect();
    format!("one of {}", words.join(", "))
}

fn put_number(out: &mut Vec<u8>, field: &Field, value: u64) {
    put_tag(out, field.number, VARINT);
    put_varint(out, value);
}

fn put_bytes(out: &mut Vec<u8>, number: u32, bytes: &[u8]) {
    put_tag(out, number, LENGTH_DELIMITED);
    put_varint(out, bytes.len() as u64);
    out.extend(bytes);
}

fn put_tag(out: &mut Vec<u8>, number: u32, kind: u32) {
    put_varint(out, u64::from(number << 3 | kind));
}

fn put_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}
