//! Writing what the browser is asked.

use serde_json::Value;

use super::{
    ARRAY, DOUBLE, END, ENVELOPE, FALSE, LENGTH_BYTES, MAP, NEGATIVE, NULL, TEXT, TRUE, UNSIGNED,
};

/// Writes a value, each map and array in its envelope.
pub(crate) fn write(value: &Value, into: &mut Vec<u8>) {
    match value {
        Value::Null => into.push(NULL),
        Value::Bool(true) => into.push(TRUE),
        Value::Bool(false) => into.push(FALSE),
        Value::Number(number) => match number.as_i64().map(i32::try_from) {
            Some(Ok(whole)) => match u32::try_from(whole) {
                Ok(whole) => write_head(UNSIGNED, whole, into),
                // Minus one is none.
                Err(_) => write_head(NEGATIVE, (-1 - whole).unsigned_abs(), into),
            },
            _ => {
                into.push(DOUBLE);
                into.extend(number.as_f64().unwrap_or_default().to_be_bytes());
            }
        },
        Value::String(text) => write_text(text, into),
        Value::Array(items) => write_envelope(ARRAY, into, |into| {
            for item in items {
                write(item, into);
            }
        }),
        Value::Object(fields) => write_envelope(MAP, into, |into| {
            for (name, value) in fields {
                write_text(name, into);
                write(value, into);
            }
        }),
    }
}

fn write_text(text: &str, into: &mut Vec<u8>) {
    // Who sends more than 4 GiB is refused for less.
    write_head(TEXT, u32::try_from(text.len()).unwrap_or(u32::MAX), into);
    into.extend_from_slice(text.as_bytes());
}

/// Writes the first byte of a value, and the argument behind it.
fn write_head(major: u8, argument: u32, into: &mut Vec<u8>) {
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
fn write_envelope(kind: u8, into: &mut Vec<u8>, items: impl FnOnce(&mut Vec<u8>)) {
    into.extend(ENVELOPE);
    let at = into.len();
    into.extend([0; LENGTH_BYTES]);
    into.push(kind);
    items(into);
    into.push(END);
    let length = u32::try_from(into.len() - at - LENGTH_BYTES).unwrap_or(u32::MAX);
    into[at..at + LENGTH_BYTES].copy_from_slice(&length.to_be_bytes());
}
