//! Protobuf to the JSON form of protobuf, as text and without a tree of values
//! between: 64-bit numbers are strings, bytes base64, fields have the names of
//! the proto files, enums are the words of the CLI, and fields that hold their
//! zero value are written out.
//! Mapping: <https://protobuf.dev/programming-guides/json/>.

use ::base64::{Engine as _, engine::general_purpose::STANDARD};
use serde_json::Value;

use super::{
    TYPE_PREFIX, WireError,
    read::{FieldReader, WireValue, text, varint},
};
use crate::{Field, FieldType, MessageType};

/// Writes the members of `message`, whose encoded form is `bytes`, to `out`:
/// `"name":value`, with commas between them and without braces. Fields that the
/// tables do not know are skipped.
///
/// # Errors
/// [`WireError::Malformed`] when the bytes are not such a message.
pub fn write_members(
    out: &mut String,
    message: &MessageType,
    bytes: &[u8],
) -> Result<(), WireError> {
    let entries = FieldReader::new(bytes).collect::<Result<Vec<_>, _>>()?;
    let mut is_first = true;
    for field in message.fields {
        let of_field = entries.iter().filter(|(number, _)| *number == field.number);
        let values = of_field.map(|(_, raw)| *raw).collect::<Vec<_>>();
        if values.is_empty() && !is_written_when_absent(field) {
            continue;
        }
        if !is_first {
            out.push(',');
        }
        is_first = false;
        write_text(out, field.name);
        out.push(':');
        write_field(out, field, &values)?;
    }
    Ok(())
}

/// Whether an encoded `message` holds anything that a page wrote.
///
/// # Errors
/// [`WireError::Malformed`] when the bytes are not such a message.
pub fn holds_page_content(message: &MessageType, bytes: &[u8]) -> Result<bool, WireError> {
    for entry in FieldReader::new(bytes) {
        let (number, raw) = entry?;
        let Some(field) = message.fields.iter().find(|field| field.number == number) else {
            continue;
        };
        let is_page = match (&field.kind, raw) {
            (FieldType::Message(of), WireValue::Bytes(inner)) => holds_page_content(of, inner)?,
            (FieldType::Any, WireValue::Bytes(inner)) => match read_any(inner)? {
                (_, Some(of), body) => holds_page_content(of, body)?,
                _ => false,
            },
            (_, WireValue::Bytes(inner)) => field.page && !inner.is_empty(),
            (_, WireValue::Number(_)) => false,
        };
        if is_page {
            return Ok(true);
        }
    }
    Ok(false)
}

fn is_written_when_absent(field: &Field) -> bool {
    field.repeated
        || (!field.optional && !matches!(field.kind, FieldType::Message(_) | FieldType::Any))
}

fn write_field(out: &mut String, field: &Field, values: &[WireValue<'_>]) -> Result<(), WireError> {
    if matches!(field.kind, FieldType::StringMap) {
        return write_map(out, values);
    }
    if !field.repeated {
        return match values.last() {
            Some(value) => write_value(out, field, *value),
            None => {
                out.push_str(zero_value(field));
                Ok(())
            }
        };
    }
    out.push('[');
    let begin = out.len();
    for value in values {
        match value {
            WireValue::Bytes(packed) if is_packable(field) => {
                let mut packed = *packed;
                while !packed.is_empty() {
                    separate(out, begin);
                    write_value(out, field, WireValue::Number(varint(&mut packed)?))?;
                }
            }
            value => {
                separate(out, begin);
                write_value(out, field, *value)?;
            }
        }
    }
    out.push(']');
    Ok(())
}

fn separate(out: &mut String, begin: usize) {
    if out.len() > begin {
        out.push(',');
    }
}

fn is_packable(field: &Field) -> bool {
    matches!(
        field.kind,
        FieldType::U32 | FieldType::U64 | FieldType::I32 | FieldType::Bool | FieldType::Enum(_)
    )
}

fn zero_value(field: &Field) -> &'static str {
    match field.kind {
        FieldType::Bool => "false",
        FieldType::U32 | FieldType::I32 => "0",
        FieldType::U64 => "\"0\"",
        FieldType::F64 => "0.0",
        FieldType::String | FieldType::Bytes | FieldType::Enum(_) => "\"\"",
        FieldType::Message(_) | FieldType::StringMap | FieldType::Any => "{}",
    }
}

fn write_value(out: &mut String, field: &Field, raw: WireValue<'_>) -> Result<(), WireError> {
    match (&field.kind, raw) {
        (FieldType::Bool, WireValue::Number(number)) => {
            out.push_str(if number == 0 { "false" } else { "true" });
        }
        (FieldType::U32, WireValue::Number(number)) => out.push_str(&number.to_string()),
        (FieldType::U64, WireValue::Number(number)) => {
            out.push('"');
            out.push_str(&number.to_string());
            out.push('"');
        }
        (FieldType::I32, WireValue::Number(number)) => out.push_str(&(number as i32).to_string()),
        (FieldType::Enum(of), WireValue::Number(number)) => {
            match of.values.iter().find(|value| value.number == number as i32) {
                Some(value) => write_text(out, value.name),
                None => out.push_str(&(number as i32).to_string()),
            }
        }
        (FieldType::F64, WireValue::Bytes(bytes)) => {
            let bytes = bytes.try_into().map_err(|_| WireError::Malformed)?;
            write_double(out, f64::from_le_bytes(bytes));
        }
        (FieldType::String, WireValue::Bytes(bytes)) => write_text(out, text(bytes)?),
        (FieldType::Bytes, WireValue::Bytes(bytes)) => {
            out.push('"');
            STANDARD.encode_string(bytes, out);
            out.push('"');
        }
        (FieldType::Message(of), WireValue::Bytes(bytes)) => {
            out.push('{');
            write_members(out, of, bytes)?;
            out.push('}');
        }
        (FieldType::Any, WireValue::Bytes(bytes)) => write_any(out, bytes)?,
        _ => return Err(WireError::Malformed),
    }
    Ok(())
}

/// JSON has no number for these.
fn write_double(out: &mut String, value: f64) {
    match value {
        value if value.is_finite() => out.push_str(&Value::from(value).to_string()),
        value if value.is_nan() => out.push_str("\"NaN\""),
        value if value > 0.0 => out.push_str("\"Infinity\""),
        _ => out.push_str("\"-Infinity\""),
    }
}

/// Of entries with the same key the last one counts.
fn write_map(out: &mut String, values: &[WireValue<'_>]) -> Result<(), WireError> {
    let mut pairs = Vec::<(&str, &str)>::new();
    for value in values {
        let WireValue::Bytes(entry) = value else { return Err(WireError::Malformed) };
        let (mut key, mut content) = ("", "");
        for part in FieldReader::new(entry) {
            match part? {
                (1, WireValue::Bytes(bytes)) => key = text(bytes)?,
                (2, WireValue::Bytes(bytes)) => content = text(bytes)?,
                _ => {}
            }
        }
        pairs.retain(|(known, _)| *known != key);
        pairs.push((key, content));
    }
    out.push('{');
    let begin = out.len();
    for (key, content) in pairs {
        separate(out, begin);
        write_text(out, key);
        out.push(':');
        write_text(out, content);
    }
    out.push('}');
    Ok(())
}

type AnyParts<'a> = (&'a str, Option<&'static MessageType>, &'a [u8]);

fn read_any(encoded: &[u8]) -> Result<AnyParts<'_>, WireError> {
    let (mut name, mut body) = ("", &[][..]);
    for entry in FieldReader::new(encoded) {
        match entry? {
            (1, WireValue::Bytes(bytes)) => name = text(bytes)?.trim_start_matches(TYPE_PREFIX),
            (2, WireValue::Bytes(bytes)) => body = bytes,
            _ => {}
        }
    }
    Ok((name, MessageType::by_name(name), body))
}

fn write_any(out: &mut String, encoded: &[u8]) -> Result<(), WireError> {
    let (name, message, body) = read_any(encoded)?;
    out.push_str("{\"@type\":");
    write_text(out, &format!("{TYPE_PREFIX}{name}"));
    if let Some(message) = message {
        let begin = out.len();
        out.push(',');
        write_members(out, message, body)?;
        if out.len() == begin + 1 {
            out.pop();
        }
    }
    out.push('}');
    Ok(())
}

fn write_text(out: &mut String, text: &str) {
    out.push_str(&Value::from(text).to_string());
}
