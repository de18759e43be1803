//! What a result has to have, learned from the one that was recorded.

use serde_json::Value;

/// The shape of an answer. Keys are those of the contract, never of a page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ResultShape {
    /// Text, with something in it.
    Text,
    /// Records, at least one, each key filled in one of them at least.
    Records(Vec<String>),
    /// One record, with these keys filled.
    Record(Vec<String>),
    /// A number, true or false.
    Scalar,
}

impl ResultShape {
    /// The shape of `value`; none for an answer that says nothing.
    pub fn infer(value: &Value) -> Option<Self> {
        match value {
            Value::String(text) => (!text.trim().is_empty()).then_some(Self::Text),
            Value::Bool(_) | Value::Number(_) => Some(Self::Scalar),
            Value::Array(records) if records.is_empty() => None,
            Value::Array(records) => {
                let mut keys: Vec<String> = Vec::new();
                for (key, value) in records.iter().filter_map(Value::as_object).flatten() {
                    if is_filled(value) && !keys.contains(key) {
                        keys.push(key.clone());
                    }
                }
                keys.sort();
                Some(Self::Records(keys))
            }
            Value::Object(fields) => {
                let filled = fields.iter().filter(|(_, value)| is_filled(value));
                let mut keys: Vec<_> = filled.map(|(key, _)| key.clone()).collect();
                keys.sort();
                (!keys.is_empty()).then_some(Self::Record(keys))
            }
            Value::Null => None,
        }
    }

    /// What `value` lacks of it.
    pub fn missing_part(&self, value: &Value) -> Option<String> {
        let empty = |what: &str| Some(format!("{what} is empty"));
        match self {
            Self::Scalar => value.is_null().then(|| "there is no result".to_owned()),
            Self::Text => match value.as_str() {
                Some(text) if !text.trim().is_empty() => None,
                _ => empty("the text"),
            },
            Self::Records(keys) => {
                let records = value.as_array().map(Vec::as_slice).unwrap_or_default();
                if records.is_empty() {
                    return empty("the list");
                }
                let lacking =
                    |key: &&String| !records.iter().any(|r| r.get(key).is_some_and(is_filled));
                keys.iter().find(lacking).map(|key| format!("no record has `{key}`"))
            }
            Self::Record(keys) => {
                let lacking = |key: &&String| !value.get(key).is_some_and(is_filled);
                keys.iter().find(lacking).map(|key| format!("`{key}` is empty"))
            }
        }
    }
}

/// Whether a value says something.
fn is_filled(value: &Value) -> bool {
    match value {
        Value::Null => false,
        Value::String(text) => !text.trim().is_empty(),
        Value::Array(items) => !items.is_empty(),
        Value::Object(fields) => !fields.is_empty(),
        // Zero and false are the values of fields that were not set.
        Value::Number(number) => number.as_f64() != Some(0.0),
        Value::Bool(value) => *value,
    }
}
