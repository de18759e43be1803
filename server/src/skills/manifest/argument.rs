//! The arguments that a manifest lists.

use serde::Deserialize;
use serde_norway::Value;

use super::keys::{check_keys, scalar};

/// An argument of a skill.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ArgumentSpec {
    /// Name.
    pub name: String,
    /// What it is for.
    pub description: String,
    /// Whether a run must give it.
    pub required: bool,
    /// Its value when a run does not give it.
    pub default: Option<String>,
}

#[derive(Deserialize)]
struct Keys {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    required: bool,
    default: Option<Value>,
}

impl ArgumentSpec {
    pub(super) fn read_all(values: &[Value]) -> Result<Vec<Self>, String> {
        let mut all: Vec<Self> = Vec::new();
        for value in values {
            let argument = Self::read(value).map_err(|problem| format!("in `args`: {problem}"))?;
            if all.iter().any(|other| other.name == argument.name) {
                return Err(format!("lists the argument `{}` twice", argument.name));
            }
            all.push(argument);
        }
        Ok(all)
    }

    fn read(value: &Value) -> Result<Self, String> {
        let Value::Mapping(mapping) = value else {
            return Err("an argument has a `name`".to_owned());
        };
        check_keys(mapping, &["name"], &["description", "required", "default"])?;
        let keys = Keys::deserialize(value).map_err(|error| error.to_string())?;
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        let begins = keys.name.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if !begins || !keys.name.chars().all(is_word) {
            return Err(format!("`{}` is no name: use letters, digits, `-` and `_`", keys.name));
        }
        let default = match keys.default {
            None | Some(Value::Null) => None,
            Some(value) => Some(scalar(&value).ok_or("a `default` is one value")?),
        };
        if keys.required && default.is_some() {
            return Err(format!("`{}` is required and has a default", keys.name));
        }
        Ok(Self { name: keys.name, description: keys.description, required: keys.required, default })
    }
}
