//! Keys and values of the frontmatter.

use serde::de::DeserializeOwned;
use serde_norway::Value;

use browse_content::clean_line;

/// Characters of one name of the file that a complaint quotes, and how many names.
pub const MAX_QUOTED_CHARS: usize = 80;
const MAX_QUOTED_NAMES: usize = 5;

/// The value of a key; a missing one reads as nothing.
pub fn get<T: DeserializeOwned>(mapping: &serde_norway::Mapping, key: &str) -> Result<T, String> {
    let value = mapping.get(key).cloned().unwrap_or(Value::Null);
    serde_norway::from_value(value).map_err(|error| format!("has a bad `{key}`: {error}"))
}

/// Says which keys are unknown and which are missing.
pub fn check_keys(
    mapping: &serde_norway::Mapping,
    required: &[&str],
    optional: &[&str],
) -> Result<(), String> {
    let known = |key: &str| required.contains(&key) || optional.contains(&key);
    let names: Vec<_> = mapping.keys().map(|key| scalar(key).unwrap_or_default()).collect();
    let unknown = names.iter().map(String::as_str).filter(|name| !known(name));
    let missing = required.iter().copied().filter(|name| !names.iter().any(|n| n == name));
    let complaints = [("unknown", quoted(unknown)), ("missing", quoted(missing))];
    let complaints = complaints.into_iter().filter(|(_, names)| !names.is_empty());
    let reported: Vec<_> = complaints.map(|(what, names)| format!("{what}: {names}")).collect();
    if reported.is_empty() {
        Ok(())
    } else {
        Err(format!("has wrong keys ({})", reported.join("; ")))
    }
}

fn quoted<'a>(names: impl Iterator<Item = &'a str>) -> String {
    let mut names = names.map(|name| format!("`{}`", clean_line(name, MAX_QUOTED_CHARS)));
    let mut shown: Vec<_> = names.by_ref().take(MAX_QUOTED_NAMES).collect();
    match names.count() {
        0 => {}
        more => shown.push(format!("and {more} more")),
    }
    shown.join(", ")
}

/// A scalar as text; nothing is the empty text.
pub fn scalar(value: &Value) -> Option<String> {
    match value {
        Value::Null => Some(String::new()),
        Value::Bool(value) => Some(value.to_string()),
        Value::Number(value) => Some(value.to_string()),
        Value::String(value) => Some(value.clone()),
        _ => None,
    }
}

/// The words of an anonymous caller on one line, without what cannot be seen: they are
/// printed beside ours.
pub fn one_line(text: &str) -> String {
    clean_line(text, usize::MAX)
}
