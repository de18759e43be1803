//! Turns a word of argv into the value of a field.

use browse_proto::{Command, Field, FieldType, Reason};
use serde_json::{Map, Value, json};

use crate::{
    failure::{Failure, Result},
    suggest,
};

/// Reads `word` for `field` of `command`; `label` is what argv calls it:
/// `--depth`, `<target>`.
pub fn parse_value(command: &Command, field: &Field, label: &str, word: &str) -> Result<Value> {
    let wrong = |wanted: &str| {
        let message = format!("`{label}` wants {wanted}, and `{word}` is none");
        let values = [("command", command.name.to_owned())];
        Failure::with_values(Reason::ArgumentInvalid, message, values)
    };
    Ok(match &field.kind {
        FieldType::Bool => match word {
            "true" => json!(true),
            "false" => json!(false),
            _ => return Err(wrong("true or false, or no value")),
        },
        FieldType::U32 => json!(word.parse::<u32>().map_err(|_| wrong("a whole number from 0"))?),
        FieldType::U64 => json!(word.parse::<u64>().map_err(|_| wrong("a whole number from 0"))?),
        FieldType::I32 => json!(word.parse::<i32>().map_err(|_| wrong("a whole number"))?),
        FieldType::F64 => {
            let number = word.parse::<f64>().ok().filter(|number| number.is_finite());
            json!(number.ok_or_else(|| wrong("a number"))?)
        }
        FieldType::Enum(_) => json!(parse_choice(field, label, word)?),
        FieldType::StringMap => {
            let (key, value) = word.split_once('=').ok_or_else(|| wrong("name=value"))?;
            Value::Object(Map::from_iter([(key.to_owned(), json!(value))]))
        }
        FieldType::String | FieldType::Bytes | FieldType::Message(_) | FieldType::Any => {
            json!(word)
        }
    })
}

fn parse_choice(field: &Field, label: &str, word: &str) -> Result<&'static str> {
    let choices = field.choices();
    if let Some(choice) = choices.iter().find(|choice| choice.eq_ignore_ascii_case(word)) {
        return Ok(choice);
    }
    let list = choices.join(", ");
    let message = format!("`{label}` is one of {list}, not `{word}`");
    let failure = Failure::new(Reason::ArgumentInvalid, message);
    Err(match suggest::nearest(word, choices) {
        Some(near) => failure.with_hint(format!("Did you mean `{near}`?")),
        None => failure.with_hint(format!("Use one of {list}")),
    })
}
