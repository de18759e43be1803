//! The arguments that a manifest lists.

use serde_norway::Value;

use super::values::{check_keys, get, one_line, scalar};

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

impl ArgumentSpec {
    pub(crate) fn read_all(values: &[Value]) -> Result<Vec<Self>, String> {
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
        let name: String = get(mapping, "name")?;
        let is_word = |letter: char| letter.is_ascii_alphanumeric() || "-_".contains(letter);
        let begins = name.starts_with(|letter: char| letter.is_ascii_alphabetic());
        if !begins || !name.chars().all(is_word) {
            return Err(format!("`{}` is not a name: use letters, digits, `-` and `_`", name));
        }
        let default = match get(mapping, "default")? {
            Value::Null => None,
            value => Some(scalar(&value).ok_or("has a bad `default`: give one value")?),
        };
        let required = get::<Option<bool>>(mapping, "required")?.unwrap_or_default();
        let description: Option<String> = get(mapping, "description")?;
        let description = one_line(&description.unwrap_or_default());
        if required && default.is_some() {
            return Err(format!("`{}` is required and has a default", name));
        }
        Ok(Self { name, description, required, default })
    }
}
