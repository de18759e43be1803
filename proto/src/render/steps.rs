//! The results of several commands in one call, as text.

use serde_json::{Map, Value};

use super::{Untrusted, quotes_of, quotes_text, text};
use crate::{Command, FieldType};

/// The results of the steps of `command`, when it is one that runs steps.
pub fn step_results<'a>(
    command: &Command,
    response: &'a Map<String, Value>,
) -> Option<&'a [Value]> {
    let field = &command.response.fields[command.result?];
    match field.kind {
        FieldType::Message(of) if field.repeated && of.name == "StepResult" => {
            Some(response.get(field.name)?.as_array()?)
        }
        _ => None,
    }
}

/// `2 url: https://example.com/`; more than one line begins on the next. A step
/// that prints nothing leaves no line.
pub fn step_text(label: &str, text: &str) -> Option<String> {
    let text = text.trim_end_matches('\n');
    match text.contains('\n') {
        true => Some(format!("{label}:\n{text}")),
        false if text.is_empty() => None,
        false => Some(format!("{label}: {text}")),
    }
}

/// What the steps say, and how those that failed did.
pub fn step_texts(results: &[Value], untrusted: Option<&Untrusted>) -> (String, String) {
    let (mut texts, mut failures) = (Vec::new(), String::new());
    for (index, result) in results.iter().enumerate() {
        let output = |value: &Value, name: &str| {
            value.get(name).and_then(Value::as_str).unwrap_or_default().to_owned()
        };
        let name = output(result, "command");
        let number = index + 1;
        if let Some(error) = result.get("error") {
            let (message, hint) = (output(error, "message"), output(error, "hint"));
            failures += &format!("error: step {number} (`{name}`): {message}\nhint: {hint}\n");
            failures += &quotes_text(&quotes_of(error), untrusted);
        } else if let Some(response) = result.get("response").and_then(Value::as_object) {
            let command = Command::by_name(&name);
            // Bytes are not text; they are in the document.
            let text = match command.filter(|command| command.save.is_none()) {
                Some(command) => text(command, response),
                None => String::new(),
            };
            texts.extend(step_text(&format!("{number} {name}"), &text));
        }
    }
    (texts.join("\n"), failures)
}
