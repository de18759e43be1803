//! Candidates for the commands that need no daemon: words and flags as their usage and help name
//! them, and names that lie on this machine.

use serde_json::Value;

use super::{Completion, sentence, unexplained};
use crate::{
    browsed,
    guide::{AGENTS, TOPICS},
    help::LocalCommand,
    remote,
};

/// What can follow `before`, the words after the name of `command`.
pub fn candidates(command: &LocalCommand, before: &[&str], current: &str) -> Vec<Completion> {
    if current.starts_with('-') {
        return flags(command);
    }
    let words: Vec<&str> = before.iter().copied().filter(|word| !word.starts_with('-')).collect();
    match (command.name, words.as_slice(), before.last().copied()) {
        ("guide", [_, ..], Some("--agent")) => unexplained(AGENTS.iter().map(|agent| agent.name)),
        ("guide", [], _) => {
            let topics = TOPICS.iter().map(|topic| topic.name).filter(|name| !name.is_empty());
            unexplained(topics.chain(first_words(command)))
        }
        ("config", ["get" | "set" | "unset"], _) => setting_names(),
        ("logout", [], _) | ("login", [], Some("--renew")) => unexplained(remote::names()),
        (_, [], _) => unexplained(first_words(command)),
        _ => Vec::new(),
    }
}

/// The words that the forms of its usage begin with: `list` and `get` of
/// "browse config list | get <name>".
fn first_words(command: &LocalCommand) -> Vec<&'static str> {
    let forms = command.usage.split(" | ");
    let first = forms.filter_map(|form| {
        let form = form.strip_prefix("browse ").unwrap_or(form);
        form.split(' ').find(|word| *word != command.name)
    });
    let plain =
        |word: &&str| word.chars().all(|letter| letter.is_ascii_lowercase() || letter == '-');
    let words = first.flat_map(|word| word.split('|'));
    words.filter(plain).filter(|word| !word.is_empty() && !word.starts_with('-')).collect()
}

/// The flags that its usage and its help name.
fn flags(command: &LocalCommand) -> Vec<Completion> {
    let letters = |letter: char| !(letter.is_ascii_lowercase() || letter == '-');
    let named = command.usage.split(letters).chain(command.help.split(letters));
    let mut flags: Vec<&str> = Vec::new();
    for word in named.filter(|word| word.len() > 3 && word.starts_with("--")) {
        if !flags.contains(&word) {
            flags.push(word);
        }
    }
    unexplained(flags)
}

/// Every setting, as `browsed` lists them; none while a setting is invalid.
fn setting_names() -> Vec<Completion> {
    let answer = browsed::call(&["config", "list"]).unwrap_or_default();
    let settings = answer.get("settings").and_then(Value::as_array).cloned().unwrap_or_default();
    let text = |setting: &Value, field: &str| {
        setting.get(field).and_then(Value::as_str).unwrap_or_default().to_owned()
    };
    let row = |setting: &Value| (text(setting, "name"), sentence(&text(setting, "help")));
    settings.iter().map(row).collect()
}
