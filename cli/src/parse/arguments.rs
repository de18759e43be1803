//! Reads the flags and the positional arguments of a command.

use browse_proto::{Command, Field, FieldType, Reason};
use serde_json::{Map, Value, json};

use super::{
    Invocation, output_path,
    tokens::{Token, Tokens},
};
use crate::{
    failure::{Failure, Result},
    globals::{FLAGS, GlobalFlag, Globals},
    suggest, table, values,
};

/// What has no flag, where no command was named yet.
pub const PROGRAM: &str = "browse";

/// Reads what follows the name of `command`.
pub fn read(
    command: &'static Command,
    tokens: &mut Tokens<'_>,
    globals: &mut Globals,
) -> Result<Invocation> {
    let mut invocation = Invocation::new(command);
    let mut words = Vec::new();
    while let Some(token) = tokens.next() {
        match token {
            Token::Word(word) => words.push(word),
            Token::Flag(spelling, value) => {
                flag(&mut invocation, globals, spelling, value, tokens)?;
            }
        }
    }
    if command.takes_path() {
        output_path::split_path(&mut invocation, &mut words)?;
    }
    positionals(&mut invocation, &words)?;
    output_path::check(&invocation)?;
    Ok(invocation)
}

pub(super) fn flag(
    invocation: &mut Invocation,
    globals: &mut Globals,
    spelling: &str,
    value: Option<&str>,
    tokens: &mut Tokens<'_>,
) -> Result<()> {
    let command = invocation.command;
    if command.selector_flag().is_some_and(|selector| selector == spelling) {
        return no_value(spelling, value);
    }
    if command.saves() && spelling == command.output_arg {
        let place = value.or_else(|| tokens.value());
        let place = place.ok_or_else(|| missing_value(spelling, spelling.trim_matches('-')))?;
        if invocation.path.replace(place.to_owned()).is_some() {
            return Err(duplicate_failure(spelling));
        }
        return Ok(());
    }
    if command.saves() && command.inline && spelling == "--base64" {
        invocation.base64 = true;
        return no_value(spelling, value);
    }
    if command.saves() && spelling == "--force-path" {
        invocation.force_path = true;
        return no_value(spelling, value);
    }
    if let Some(field) = command_switch(command, spelling).filter(|_| value.is_none()) {
        return set(invocation, field, spelling, None, tokens);
    }
    if let Some(flag) = GlobalFlag::find(spelling) {
        return set_global(globals, flag, value, tokens);
    }
    if let Some(name) = spelling.strip_prefix("--") {
        let known = command.flags().find(|field| field.flag() == name);
        let field = known.ok_or_else(|| unknown_command_flag(command, spelling))?;
        return set(invocation, field, spelling, value, tokens);
    }
    short_flags(invocation, &spelling[1..], value, tokens)
}

/// The switch of `command` with this spelling. It goes before a global flag
/// that wants a value: that one can be written with `=`.
pub(super) fn command_switch(command: &'static Command, spelling: &str) -> Option<&'static Field> {
    let name = spelling.strip_prefix("--")?;
    command.flags().find(|field| matches!(field.kind, FieldType::Bool) && field.flag() == name)
}

/// Reads `-ic`, `-d3`, `-d 3` and `-d=3`.
fn short_flags(
    invocation: &mut Invocation,
    cluster: &str,
    value: Option<&str>,
    tokens: &mut Tokens<'_>,
) -> Result<()> {
    let command = invocation.command;
    let mut letters = cluster.chars();
    while let Some(letter) = letters.next() {
        let spelling = format!("-{letter}");
        if command.selector_short == Some(letter) {
            match letters.as_str() {
                "" => return no_value(&spelling, value),
                _ => continue,
            }
        }
        let known = command.flags().find(|field| field.short == Some(letter));
        let field = known.ok_or_else(|| unknown_command_flag(command, &spelling))?;
        let rest = letters.as_str();
        if matches!(field.kind, FieldType::Bool) && !rest.is_empty() {
            set(invocation, field, &spelling, None, tokens)?;
            continue;
        }
        let attached = if rest.is_empty() { value } else { Some(rest) };
        return set(invocation, field, &spelling, attached, tokens);
    }
    Ok(())
}

fn set(
    invocation: &mut Invocation,
    field: &'static Field,
    spelling: &str,
    value: Option<&str>,
    tokens: &mut Tokens<'_>,
) -> Result<()> {
    let command = invocation.command;
    let value = match (&field.kind, value) {
        (FieldType::Bool, None) => json!(true),
        (_, Some(value)) => values::parse_value(command, field, spelling, value)?,
        (_, None) => {
            let label = field.label();
            let word = tokens.value().ok_or_else(|| missing_value(spelling, &label))?;
            values::parse_value(command, field, spelling, word)?
        }
    };
    insert_value(&mut invocation.fields, field, spelling, value)
}

fn insert_value(
    fields: &mut Map<String, Value>,
    field: &'static Field,
    label: &str,
    value: Value,
) -> Result<()> {
    let name = field.name.to_owned();
    match (fields.get_mut(field.name), value) {
        (Some(Value::Array(items)), value) if field.repeated => items.push(value),
        (Some(Value::Object(entries)), Value::Object(entry)) => entries.extend(entry),
        (Some(_), _) => return Err(duplicate_failure(label)),
        (None, value) if field.repeated => {
            fields.insert(name, json!([value]));
        }
        (None, value) => {
            fields.insert(name, value);
        }
    }
    Ok(())
}

fn duplicate_failure(label: &str) -> Failure {
    let message = format!("`{label}` is given twice");
    Failure::new(Reason::ArgumentInvalid, message).with_hint("Give it once")
}

fn positionals(invocation: &mut Invocation, words: &[&str]) -> Result<()> {
    let command = invocation.command;
    let mut words = words.iter();
    for positional in command.positionals() {
        let label = positional.usage();
        let field = positional.field;
        let count = if positional.rest { words.len() } else { 1 };
        let mut found = false;
        for word in words.by_ref().take(count) {
            insert_value(
                &mut invocation.fields,
                field,
                &label,
                values::parse_value(command, field, &label, word)?,
            )?;
            found = true;
        }
        if !found && positional.is_required() {
            let message = format!("`{}` wants {label}", command.name);
            return Err(usage_failure(
                command,
                message,
                &format!("Run `browse help {}`", command.name),
            ));
        }
    }
    match words.next() {
        Some(extra) => Err(surplus_failure(command, extra)),
        None => Ok(()),
    }
}

/// Sets a global flag, taking its value from argv where it has one.
pub fn set_global(
    globals: &mut Globals,
    flag: &'static GlobalFlag,
    value: Option<&str>,
    tokens: &mut Tokens<'_>,
) -> Result<()> {
    let spelling = format!("--{}", flag.name);
    if flag.is_switch() {
        no_value(&spelling, value)?;
        return globals.set(flag, "");
    }
    let value = value.or_else(|| tokens.value());
    globals.set(flag, value.ok_or_else(|| missing_value(&spelling, flag.value))?)
}

pub(super) fn no_value(spelling: &str, value: Option<&str>) -> Result<()> {
    match value {
        None => Ok(()),
        Some(value) => {
            let message = format!("`{spelling}` takes no value, and got `{value}`");
            Err(Failure::new(Reason::ArgumentInvalid, message)
                .with_hint(format!("Write `{spelling}`")))
        }
    }
}

pub(super) fn missing_value(spelling: &str, label: &str) -> Failure {
    let message = format!("`{spelling}` wants a value");
    let hint = format!(
        "Write `{spelling} <{label}>`, or `{spelling}=<{label}>` when it begins with a dash"
    );
    Failure::new(Reason::ArgumentInvalid, message).with_hint(hint)
}

fn unknown_command_flag(command: &'static Command, spelling: &str) -> Failure {
    let own = command.flags().map(|field| format!("--{}", field.flag()));
    let saving = command
        .saving_flags()
        .map(|(usage, _)| usage.split(' ').next().unwrap_or_default().to_owned());
    let others =
        table::commands_named(command.words).into_iter().filter_map(Command::selector_flag);
    let known: Vec<_> = own.chain(saving).chain(others).collect();
    unknown_flag(command.name, spelling, known.iter().map(String::as_str))
        .with_usage(command.usage())
}

/// The failure for a flag that nobody knows; `known` are the flags of the
/// command, to which the global ones are added.
pub fn unknown_flag<'a>(
    name: &str,
    spelling: &str,
    known: impl IntoIterator<Item = &'a str>,
) -> Failure {
    let message = format!("`{name}` has no flag `{spelling}`");
    let failure = Failure::new(Reason::ArgumentInvalid, message);
    let globals: Vec<_> = FLAGS.iter().map(|flag| format!("--{}", flag.name)).collect();
    let known: Vec<_> = known.into_iter().map(str::to_owned).chain(globals).collect();
    match suggest::nearest(spelling, known.iter().map(String::as_str)) {
        Some(near) if spelling.len() > 2 => failure.with_hint(format!("Did you mean `{near}`?")),
        _ if name == PROGRAM => failure.with_hint("Run `browse help`"),
        _ => failure.with_hint(format!(
            "Run `browse help {name}`, or write `--` before a word that begins with a dash"
        )),
    }
}

fn surplus_failure(command: &'static Command, extra: &str) -> Failure {
    let takes = match command.positionals().count() + usize::from(command.takes_path()) {
        0 => "no argument".to_owned(),
        1 => "one argument".to_owned(),
        count => format!("{count} arguments"),
    };
    let message = format!("`{}` takes {takes}, and `{extra}` is one too many", command.name);
    let longer = suggest::nearest(extra, table::next_words(command.words));
    let hint = match longer {
        Some(word) => format!("Did you mean `browse {} {word}`?", command.name),
        None => "Quote an argument that holds blanks".to_owned(),
    };
    usage_failure(command, message, &hint)
}

pub(super) fn usage_failure(command: &'static Command, message: String, hint: &str) -> Failure {
    let failure = Failure::with_values(
        Reason::ArgumentInvalid,
        message,
        [("command", command.name.to_owned())],
    );
    failure.with_hint(hint).with_usage(command.usage())
}
