//! Completion: the scripts of the shells ask this program for candidates, so
//! that they always know the commands of the installed version.

mod local;
mod names;

use browse_proto::{Command, Field, FieldType};

use crate::{
    globals::FLAGS,
    help::{self, LocalCommand},
    table,
};

/// The shells that there are scripts for.
pub const SHELLS: &[&str] = &["bash", "zsh", "fish"];

/// The completion script of `shell`.
pub fn script(shell: &str) -> Option<&'static str> {
    match shell {
        "bash" => Some(include_str!("completions/browse.bash")),
        "zsh" => Some(include_str!("completions/browse.zsh")),
        "fish" => Some(include_str!("completions/browse.fish")),
        _ => None,
    }
}

/// What can stand in place of the last of `words`, each as `word`, tab, help.
/// None means that the shell should offer files.
pub fn candidates(words: &[String]) -> Vec<String> {
    let (current, before) = match words.split_last() {
        Some((current, before)) => (current.as_str(), before),
        None => ("", &[][..]),
    };
    let before: Vec<_> = before.iter().map(String::as_str).collect();
    let mut all = next_candidates(&before, current);
    all.retain(|(word, _)| word.starts_with(current));
    all.into_iter().map(|(word, help)| format!("{word}\t{help}")).collect()
}

type Completion = (String, String);

fn next_candidates(before: &[&str], current: &str) -> Vec<Completion> {
    if let Some((local, words)) = local_command(before) {
        let mut all = local::candidates(local, words, current);
        if current.starts_with('-') {
            all.extend(global_flags());
        }
        return all;
    }
    let name = command_words(before);
    let commands = table::beginning_with(&name);
    if let Some(last) = before.last().filter(|last| last.starts_with('-'))
        && let Some(values) = values(&commands, last)
    {
        return values;
    }
    let mut all = Vec::new();
    if current.starts_with('-') {
        for command in table::commands_named(&name) {
            all.extend(command.selector_flag().map(|flag| (flag, command.summary().to_owned())));
            all.extend(flags(command));
        }
        all.extend(global_flags());
        let mut seen = std::collections::HashSet::new();
        all.retain(|(flag, _)| seen.insert(flag.clone()));
        return all;
    }
    match name.as_slice() {
        [] if positional_words(before).is_empty() => all.extend(first_words()),
        [] => {}
        ["help"] => all.extend(first_words()),
        ["completions"] => all.extend(unexplained(SHELLS.iter().copied())),
        name => {
            let words = table::next_words(name).into_iter();
            all.extend(words.map(|word| (word.to_owned(), summary(&[name, &[word]].concat()))));
            let taken = words_after(before, name.len());
            for command in table::commands_named(name) {
                let positional = command.positionals().nth(taken);
                let field = positional.map(|positional| positional.field);
                all.extend(field.into_iter().flat_map(choices));
                all.extend(field.into_iter().flat_map(|field| names::names_in(field.completes)));
            }
        }
    }
    all
}

/// The local command in `before`, and the words after it; `help` and `completions` have
/// candidates of their own.
fn local_command<'a>(before: &'a [&'a str]) -> Option<(&'static LocalCommand, &'a [&'a str])> {
    let first = *positional_words(before).first()?;
    let at = before.iter().position(|word| *word == first)?;
    let mut locals = help::LOCAL_COMMANDS.iter();
    let local = locals
        .find(|local| local.name == first && !matches!(local.name, "help" | "completions"))?;
    Some((local, &before[at + 1..]))
}

fn global_flags() -> impl Iterator<Item = Completion> {
    FLAGS.iter().map(|flag| (format!("--{}", flag.name), sentence(flag.help)))
}

/// `words` as candidates without help.
fn unexplained<T: Into<String>>(words: impl IntoIterator<Item = T>) -> Vec<Completion> {
    words.into_iter().map(|word| (word.into(), String::new())).collect()
}

/// The words of `before` that name a command, flags left out.
fn command_words<'a>(before: &[&'a str]) -> Vec<&'a str> {
    let mut name: Vec<&str> = Vec::new();
    for word in positional_words(before) {
        if name.is_empty() && matches!(word, "help" | "completions") {
            return vec![word];
        }
        name.push(word);
        if table::beginning_with(&name).is_empty() {
            name.pop();
            break;
        }
    }
    name
}

/// The words of `before` that are neither flags nor their values.
fn positional_words<'a>(before: &[&'a str]) -> Vec<&'a str> {
    let mut words = Vec::new();
    let mut is_value = false;
    for word in before {
        if std::mem::take(&mut is_value) {
            continue;
        }
        match word.strip_prefix("--") {
            Some(flag) => is_value = FLAGS.iter().any(|f| f.name == flag && !f.is_switch()),
            None if !word.starts_with('-') => words.push(*word),
            None => {}
        }
    }
    words
}

fn words_after(before: &[&str], name: usize) -> usize {
    positional_words(before).len().saturating_sub(name)
}

/// The values of the flag `spelling`, when it wants one.
fn values(commands: &[&'static Command], spelling: &str) -> Option<Vec<Completion>> {
    let mut own = commands.iter().flat_map(|command| command.flags());
    let named = |field: &&'static Field| match spelling.strip_prefix("--") {
        Some(name) => field.flag() == name,
        None => field.short.is_some_and(|letter| spelling == format!("-{letter}")),
    };
    if let Some(field) = own.find(named) {
        return (!matches!(field.kind, FieldType::Bool)).then(|| choices(field));
    }
    let global = FLAGS.iter().find(|flag| spelling == format!("--{}", flag.name))?;
    if global.name == "session" {
        return Some(names::names_in("session list"));
    }
    (!global.is_switch()).then(Vec::new)
}

fn choices(field: &Field) -> Vec<Completion> {
    let FieldType::Enum(of) = &field.kind else {
        return Vec::new();
    };
    let values = of.values.iter().filter(|value| !value.name.is_empty());
    values.map(|value| (value.name.to_owned(), sentence(value.help))).collect()
}

fn flags(command: &'static Command) -> Vec<Completion> {
    let own = command.flags().map(|f| (format!("--{}", f.flag()), sentence(f.help)));
    let saving = command.saving_flags().map(|(usage, help)| {
        let flag = usage.split(' ').next().unwrap_or_default();
        (flag.to_owned(), sentence(help))
    });
    own.chain(saving).collect()
}

fn first_words() -> Vec<Completion> {
    let words = table::next_words(&[]).into_iter();
    let own = words.map(|word| (word.to_owned(), summary(&[word])));
    let local =
        help::LOCAL_COMMANDS.iter().map(|local| (local.name.to_owned(), sentence(local.help)));
    own.chain(local).collect()
}

/// The summary of a command, or the words that can follow.
fn summary(words: &[&str]) -> String {
    match table::commands_named(words).first() {
        Some(command) => sentence(command.summary()),
        None => table::next_words(words).join(", "),
    }
}

/// The first sentence, without its full stop.
fn sentence(text: &str) -> String {
    let first = text.split("\n\n").next().unwrap_or_default();
    let first = first.split(". ").next().unwrap_or_default();
    first.trim_end_matches('.').to_owned()
}
