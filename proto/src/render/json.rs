//! A decoded response as JSON text. Strings that hold JSON documents stand as
//! those documents, letter by letter: a large number stays as it was.

use serde_json::{Map, Value, value::RawValue};

use super::Untrusted;
use crate::{Command, Field, FieldType, MessageType};

/// The result of `command` within its decoded `response`, as JSON.
pub fn result_json(command: &Command, response: &Map<String, Value>) -> String {
    let mut out = String::new();
    match command.result.map(|index| &command.response.fields[index]) {
        Some(field) => match response.get(field.name) {
            Some(value) => write_field(&mut out, field, value),
            None => out.push_str("null"),
        },
        None => write_message(&mut out, command.response, response),
    }
    out
}

/// One JSON document around `result`, which is JSON: `{"result": …}`, with
/// `untrusted` before it when the result is page-derived: nonce, source, and
/// what its reader is to know.
pub fn document_json(result: &str, untrusted: Option<&Untrusted>) -> String {
    match untrusted {
        Some(untrusted) => {
            format!(r#"{{"untrusted":{},"result":{result}}}"#, untrusted.json())
        }
        None => format!(r#"{{"result":{result}}}"#),
    }
}

fn write_message(out: &mut String, message: &MessageType, fields: &Map<String, Value>) {
    out.push('{');
    let mut first = true;
    for (name, value) in fields {
        if name == "@type" {
            continue;
        }
        if !first {
            out.push(',');
        }
        first = false;
        out.push_str(&quoted(name));
        out.push(':');
        match message.field(name) {
            Some(field) => write_field(out, field, value),
            None => out.push_str(&value.to_string()),
        }
    }
    out.push('}');
}

fn write_field(out: &mut String, field: &Field, value: &Value) {
    match (value, &field.kind) {
        (Value::Array(items), _) if field.repeated => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(',');
                }
                write_field(out, field, item);
            }
            out.push(']');
        }
        (Value::Object(fields), FieldType::Message(of)) => write_message(out, of, fields),
        (Value::Object(fields), FieldType::Any) => {
            let name = fields.get("@type").and_then(Value::as_str).unwrap_or_default();
            match MessageType::by_name(name) {
                Some(of) => write_message(out, of, fields),
                None => out.push_str(&value.to_string()),
            }
        }
        (Value::String(text), _) if field.json && is_json(text) => out.push_str(text.trim()),
        _ => out.push_str(&value.to_string()),
    }
}

/// Whether `text` is one JSON document on its own.
fn is_json(text: &str) -> bool {
    serde_json::from_str::<&RawValue>(text.trim()).is_ok()
}

fn quoted(text: &str) -> String {
    Value::from(text).to_string()
}
