//! Turns a response into what a person or a model reads.
//!
//! Text follows the `line` template of the command. Page-derived content is
//! printed inside an envelope with a nonce that the page cannot know; a short
//! receipt is one line with such a nonce.

mod envelope;
mod json;
mod quotes;
mod receipt;
mod steps;
mod template;

use serde_json::{Map, Value};

pub use envelope::{Untrusted, quote_envelope_lines};
pub use json::{document_json, result_json};
pub use quotes::{quotes_json, quotes_of, quotes_text};
pub use receipt::receipt_line;
pub use steps::step_text;
pub use template::{MAX_SHOWN_ADDRESS_CHARS, truncate_address};

use crate::{Command, Field, FieldType, MessageType};

/// The result of `command` within its decoded `response`.
pub fn result(command: &Command, response: &Map<String, Value>) -> Value {
    match command.result {
        Some(index) => {
            response.get(command.response.fields[index].name).cloned().unwrap_or(Value::Null)
        }
        None => Value::Object(response.clone()),
    }
}

/// The text of `command` for its decoded `response`, without an envelope and
/// without a final newline.
pub fn text(command: &Command, response: &Map<String, Value>) -> String {
    let field = command.result.map(|index| &command.response.fields[index]);
    match result(command, response) {
        Value::String(text) if field.is_some_and(|field| field.json) => unquote_string(text),
        Value::Object(row) if !command.text_template.is_empty() => {
            template::fill_template(command.text_template, &row, row_of(command))
        }
        Value::Array(rows) if !command.text_template.is_empty() => {
            let rows = rows.iter().filter_map(Value::as_object);
            let line = |row| template::fill_template(command.text_template, row, row_of(command));
            rows.map(line).collect::<Vec<_>>().join("\n")
        }
        value => plain_text(&value, 0),
    }
}

/// The message that a line of `command` reads.
fn row_of(command: &Command) -> &'static MessageType {
    match command.result.map(|index| &command.response.fields[index].kind) {
        Some(FieldType::Message(of)) => of,
        _ => command.response,
    }
}

/// What the command line prints of `response`, standard error included: what
/// failed in a batch stands below the envelope. It ends its last line.
pub fn answer_text(
    command: &Command,
    response: &Map<String, Value>,
    untrusted: Option<&Untrusted>,
) -> String {
    let (text, failures) = match steps::step_results(command, response) {
        Some(results) => steps::step_texts(results, untrusted),
        None => (self::text(command, response), String::new()),
    };
    let text = match untrusted {
        Some(untrusted) if !text.is_empty() => {
            receipt_line(command, response, untrusted).unwrap_or_else(|| untrusted.wrap(&text))
        }
        _ => text,
    };
    let end = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
    format!("{text}{end}{failures}")
}

/// Whether `response` holds any page-derived value that is not empty.
pub fn is_page_derived(message: &MessageType, response: &Map<String, Value>) -> bool {
    message
        .fields
        .iter()
        .any(|field| response.get(field.name).is_some_and(|value| is_page_field(field, value)))
}

fn is_page_field(field: &Field, value: &Value) -> bool {
    match (value, &field.kind) {
        (Value::Array(items), _) => items.iter().any(|item| is_page_field(field, item)),
        (Value::Object(fields), FieldType::Message(of)) => is_page_derived(of, fields),
        (Value::Object(fields), FieldType::Any) => {
            let name = fields.get("@type").and_then(Value::as_str).unwrap_or_default();
            MessageType::by_name(name).is_some_and(|of| is_page_derived(of, fields))
        }
        (Value::String(text), _) => field.page && !text.is_empty(),
        _ => false,
    }
}

/// A JSON string without its quotes, which a person would have to strip; any
/// other JSON document as it is.
fn unquote_string(json: String) -> String {
    if !json.starts_with('"') {
        return json;
    }
    serde_json::from_str(&json).unwrap_or(json)
}

/// `key: value` lines, for results without a template.
fn plain_text(value: &Value, level: usize) -> String {
    let indent = "  ".repeat(level);
    match value {
        Value::Null => String::new(),
        Value::String(text) => text.clone(),
        Value::Array(items) => {
            let scalar = items.iter().all(|item| !item.is_object());
            let items = items.iter().map(|item| plain_text(item, level));
            items.collect::<Vec<_>>().join(if scalar { ", " } else { "\n" })
        }
        Value::Object(fields) => {
            let filled = fields.iter().filter(|(_, value)| !is_empty(value));
            let line = |(name, value): (&String, &Value)| match value {
                Value::Object(_) => format!("{indent}{name}:\n{}", plain_text(value, level + 1)),
                Value::Array(items) if items.iter().any(Value::is_object) => {
                    format!("{indent}{name}:\n{}", plain_text(value, level + 1))
                }
                value => format!("{indent}{name}: {}", plain_text(value, level)),
            };
            filled.map(line).collect::<Vec<_>>().join("\n")
        }
        other => other.to_string(),
    }
}

fn is_empty(value: &Value) -> bool {
    match value {
        Value::Null => true,
        Value::String(text) => text.is_empty(),
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    }
}
