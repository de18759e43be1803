//! `role=button[name="Go"][disabled][level=2]`.

use super::query::{Query, parse_text_pattern};

/// States that may stand in brackets, as a snapshot writes them.
const STATES: [&str; 11] = [
    "checked",
    "disabled",
    "expanded",
    "collapsed",
    "selected",
    "pressed",
    "required",
    "invalid",
    "readonly",
    "focused",
    "current",
];

/// Parses what follows `role=`.
pub(super) fn parse(text: &str) -> Result<Query, String> {
    let end = text.find('[').unwrap_or(text.len());
    let role = text[..end].trim().to_ascii_lowercase();
    if role.is_empty() || !role.bytes().all(|byte| byte.is_ascii_alphabetic()) {
        return Err("a role is written `role=button` or `role=button[name=\"Go\"]`".to_owned());
    }
    let mut name = None;
    let mut states = Vec::new();
    let mut rest = text[end..].trim();
    while !rest.is_empty() {
        let (inside, after) = split_bracket(rest)?;
        rest = after.trim();
        let (key, value) =
            inside.split_once('=').map_or((inside, None), |(key, value)| (key, Some(value)));
        match (key.trim(), value) {
            ("name", Some(value)) => name = Some(parse_text_pattern(value)?),
            ("level", Some(level)) => states.push(format!("level={}", level.trim())),
            (state, value) if STATES.contains(&state) => match value.map(str::trim) {
                None => states.push(state.to_owned()),
                Some(value) => states.push(format!("{state}={value}")),
            },
            (other, _) => {
                return Err(format!(
                    "`{other}` is not a state of a role; there are name, level, {}",
                    STATES.join(", ")
                ));
            }
        }
    }
    let role = if role == "image" { "img".to_owned() } else { role };
    Ok(Query::Role { role, name, states })
}

/// What stands in the first pair of brackets, and what follows it. Quotes and
/// regular expressions may hold brackets of their own.
fn split_bracket(text: &str) -> Result<(&str, &str), String> {
    let inner =
        text.strip_prefix('[').ok_or("brackets follow a role: `role=button[name=\"Go\"]`")?;
    let mut quote = None;
    let mut escaped = false;
    let mut previous = ' ';
    for (index, letter) in inner.char_indices() {
        if escaped {
            escaped = false;
            continue;
        }
        match (quote, letter) {
            (Some(_), '\\') => escaped = true,
            (Some(open), _) if letter == open => quote = None,
            (None, '"' | '\'') => quote = Some(letter),
            (None, '/') if previous == '=' => quote = Some('/'),
            (None, ']') => return Ok((&inner[..index], &inner[index + 1..])),
            _ => {}
        }
        previous = letter;
    }
    Err("a bracket is not closed".to_owned())
}
