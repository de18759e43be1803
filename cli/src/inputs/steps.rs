//! The steps of `chain` and `batch`: one JSON document a line, or one array of
//! all. `["click", "@e3"]` is a command as argv has it;
//! `{"tab": 1, "command": ["text"]}` names its tab.

use std::time::Duration;

use browse_proto::{Command, Reason};
use serde_json::Value;

use super::input;
use crate::{
    failure::{Failure, Result},
    limits::MAX_MESSAGE_BYTES,
    parse::{self, Invocation},
};

/// Reads the steps of `command` from standard input.
pub fn steps(command: &Command, max_wait: Duration) -> Result<Vec<(Option<u64>, Invocation)>> {
    parse_steps(&input::read_stdin(command.name, MAX_MESSAGE_BYTES, max_wait)?)
}

/// Reads steps, each with its tab.
pub fn parse_steps(text: &str) -> Result<Vec<(Option<u64>, Invocation)>> {
    let documents = match serde_json::from_str::<Value>(text) {
        Ok(Value::Array(items)) if items.iter().all(|item| !item.is_string()) => {
            items.into_iter().map(|item| (1, item)).collect()
        }
        _ => parse_lines(text)?,
    };
    if documents.is_empty() {
        let failure = Failure::new(Reason::BatchInvalid, "standard input holds no step");
        return Err(
            failure.with_hint("Write one JSON array a line: [\"goto\", \"https://example.com\"]")
        );
    }
    documents
        .into_iter()
        .enumerate()
        .map(|(index, (line, value))| {
            parse_step(line, value).map_err(|failure| with_step_number(failure, index + 1))
        })
        .collect()
}

fn parse_lines(text: &str) -> Result<Vec<(usize, Value)>> {
    let filled = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    let parsed = filled.map(|(index, line)| match serde_json::from_str(line) {
        Ok(value) => Ok((index + 1, value)),
        Err(error) => {
            let what = error.to_string();
            let what = what.split(" at line").next().unwrap_or_default();
            Err(invalid(index + 1, &format!("{what} at column {}", error.column())))
        }
    });
    parsed.collect()
}

fn parse_step(line: usize, value: Value) -> Result<(Option<u64>, Invocation)> {
    let (tab, words) = match value {
        Value::Array(words) => (None, words),
        Value::Object(mut fields) => {
            let tab = match fields.remove("tab") {
                None | Some(Value::Null) => None,
                Some(tab) => Some(
                    tab.as_u64().ok_or_else(|| invalid(line, "`tab` is the number of a tab"))?,
                ),
            };
            let Some(Value::Array(words)) = fields.remove("command") else {
                return Err(invalid(line, "`command` is an array of words"));
            };
            if let Some(key) = fields.keys().next() {
                return Err(invalid(line, &format!("a step has no `{key}`")));
            }
            (tab, words)
        }
        _ => return Err(invalid(line, "a step is an array of words, or an object")),
    };
    let words = words.iter().map(|value| step_word(line, value)).collect::<Result<Vec<_>>>()?;
    if words.is_empty() {
        return Err(invalid(line, "a step has at least one word"));
    }
    let (named, invocation) = parse::step(&words)?;
    Ok((named.or(tab), invocation))
}

/// Numbers and switches are words too: `["wait", 500]`.
fn step_word(line: usize, value: &Value) -> Result<String> {
    match value {
        Value::String(word) => Ok(word.clone()),
        Value::Number(_) | Value::Bool(_) => Ok(value.to_string()),
        _ => Err(invalid(line, "a word is a string or a number")),
    }
}

fn invalid(line: usize, what: &str) -> Failure {
    let values = [("line", line.to_string())];
    Failure::with_values(Reason::JsonInvalid, format!("line {line}: {what}"), values)
}

fn with_step_number(mut failure: Failure, step: usize) -> Failure {
    // What is not a step at all names its line already.
    if !failure.has_reason(Reason::JsonInvalid) {
        failure.message = format!("step {step}: {}", failure.message);
    }
    failure.with_value("step", step)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<(Option<u64>, &'static str)> {
        let steps = parse_steps(text).expect("they are steps");
        steps.into_iter().map(|(tab, step)| (tab, step.command.name)).collect()
    }

    #[test]
    fn a_step_a_line_or_all_in_one_array() {
        let lines = "[\"goto\", \"https://example.com\"]\n\n{\"tab\": 2, \"command\": [\"console\", \"--clear\"]}\n";
        assert_eq!(names(lines), [(None, "goto"), (Some(2), "console --clear")]);
        assert_eq!(
            names("[[\"wait\", 500],\n [\"text\", \"--tab\", 3]]"),
            [(None, "wait"), (Some(3), "text")]
        );
        assert_eq!(names("[\"url\"]"), [(None, "url")]);
    }

    #[test]
    fn faults_name_their_line_and_step() {
        let failure = |text| {
            let failure = parse_steps(text).expect_err("it is wrong");
            format!("{}: {}", failure.reason, failure.message)
        };
        insta::assert_snapshot!(
            [
                "",
                "{",
                "[\"url\"]\n[\"url\"",
                "3",
                "[[]]",
                "[\"url\"]\n[\"clik\", \"@e3\"]",
                "{\"tab\": \"x\", \"command\": [\"url\"]}",
                "{\"command\": [\"url\"], \"wait\": 1}",
                "[\"chain\"]",
                "[\"url\", \"--json\"]",
                "[\"help\"]",
                "[\"activity\"]",
                "[\"type\", null]",
            ]
            .map(failure)
            .join("\n")
        );
    }
}
