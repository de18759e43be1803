//! JSON Schema of arguments, made from the fields of the contract.

use browse_proto::{Command, Field, FieldType};
use serde_json::{Map, Value, json};

/// Letters of a description: the whole help of a command is one call of `help` away.
const MAX_DESCRIPTION_CHARS: usize = 120;

/// The command with this name; the contract has it, which a test of all tools shows.
pub fn command(name: &str) -> &'static Command {
    Command::by_name(name).unwrap_or_else(|| unreachable!("the contract has `{name}`"))
}

/// The schema of a field of the request of `command`.
pub fn property(command: &Command, field: &str) -> Value {
    let found = command.request.fields.iter().find(|known| known.name == field);
    let found = found.unwrap_or_else(|| unreachable!("`{}` has `{field}`", command.name));
    let mut schema = kind(found);
    let about = first_sentence(found.help);
    if !about.is_empty()
        && let Some(schema) = schema.as_object_mut()
    {
        schema.insert("description".to_owned(), about.into());
    }
    schema
}

/// The first sentence of a comment, without its full stop.
pub fn first_sentence(text: &str) -> String {
    let text = text.split("\n\n").next().unwrap_or_default().replace('\n', " ");
    let end = text.find(". ").unwrap_or(text.len());
    let sentence = text[..end].trim_end_matches('.');
    match sentence.char_indices().nth(MAX_DESCRIPTION_CHARS) {
        Some((cut, _)) => {
            let cut = sentence[..cut].rfind([';', ':', ',', ' ']).unwrap_or(cut);
            sentence[..cut].to_owned()
        }
        None => sentence.to_owned(),
    }
}

fn kind(field: &Field) -> Value {
    let one = match &field.kind {
        FieldType::Bool => json!({"type": "boolean"}),
        FieldType::U32 | FieldType::U64 | FieldType::I32 => json!({"type": "integer"}),
        FieldType::F64 => json!({"type": "number"}),
        FieldType::Enum(of) => {
            let names: Vec<_> =
                of.values.iter().map(|value| value.name).filter(|name| !name.is_empty()).collect();
            json!({"type": "string", "enum": names})
        }
        _ => json!({"type": "string"}),
    };
    if field.repeated { json!({"type": "array", "items": one}) } else { one }
}

/// The schema of an object with these properties.
pub fn object(properties: Vec<(&str, Value)>, required: &[&str]) -> Map<String, Value> {
    let mut schema = Map::new();
    schema.insert("type".to_owned(), "object".into());
    let properties: Map<String, Value> =
        properties.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    schema.insert("properties".to_owned(), Value::Object(properties));
    if !required.is_empty() {
        schema.insert("required".to_owned(), json!(required));
    }
    schema.insert("additionalProperties".to_owned(), false.into());
    schema
}
