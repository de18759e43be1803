//! The `line` template of a command: `{field}`, or `{field?}` that vanishes
//! with the blank before it when the field is empty or false.

use serde_json::{Map, Value};

use crate::MessageType;

/// Characters of an address that a line shows; JSON has all of it.
pub const MAX_SHOWN_ADDRESS_CHARS: usize = 200;

/// Fills `template` from `row`, which is a `message`.
pub fn fill_template(template: &str, row: &Map<String, Value>, message: &MessageType) -> String {
    let mut out = String::new();
    let mut rest = template;
    while let Some((before, after)) = rest.split_once('{') {
        let (key, tail) = after.split_once('}').unwrap_or((after, ""));
        out.push_str(before);
        let name = key.trim_end_matches('?');
        let mut value = value_text(name, row.get(name));
        if message.field(name).is_some_and(|field| field.address) {
            value = truncate_address(value, MAX_SHOWN_ADDRESS_CHARS);
        }
        if value.is_empty() && key.ends_with('?') && out.ends_with([' ', '\n']) {
            out.pop();
        }
        out.push_str(&value);
        rest = tail;
    }
    out.push_str(rest);
    out.trim_start_matches(' ').to_owned()
}

/// The first `max` characters of an address, and dots where it is longer.
pub fn truncate_address(address: String, max: usize) -> String {
    match address.char_indices().nth(max) {
        Some((end, _)) => format!("{}...", &address[..end]),
        None => address,
    }
}

fn value_text(name: &str, value: Option<&Value>) -> String {
    match value {
        None | Some(Value::Null | Value::Bool(false)) => String::new(),
        Some(Value::Bool(true)) => name.to_owned(),
        Some(Value::String(text)) => text.clone(),
        Some(Value::Array(items)) => {
            let items = items.iter().map(|item| value_text("", Some(item)));
            items.collect::<Vec<_>>().join(",")
        }
        Some(Value::Number(number)) => match number.as_f64() {
            Some(float) if number.is_f64() => format!("{}", (float * 10.0).round() / 10.0),
            _ => number.to_string(),
        },
        Some(other) => other.to_string(),
    }
}
