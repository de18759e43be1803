//! Help for programs: every command with all that its help says.

use browse_proto::{Command, Field, FieldType, Source};
use serde_json::{Value, json};

use super::page;
use crate::{globals::FLAGS, limits};

/// Every command, and what holds for all.
pub fn overview() -> Value {
    let all: Vec<_> = Command::all().iter().collect();
    let flags = FLAGS.iter().map(|flag| {
        json!({
            "name": format!("--{}", flag.name),
            "short": flag.short.map(|letter| format!("-{letter}")),
            "value": Some(flag.value).filter(|value| !value.is_empty()),
            "variable": Some(flag.variable).filter(|variable| !variable.is_empty()),
            "help": flag.help,
        })
    });
    let local = page::LOCAL_COMMANDS.iter().map(|local| {
        json!({"name": local.name, "usage": local.usage, "help": local.help, "example": local.example})
    });
    json!({
        "commands": commands(&all),
        "local": local.collect::<Vec<_>>(),
        "flags": flags.collect::<Vec<_>>(),
    })
}

/// These commands.
pub fn commands(commands: &[&'static Command]) -> Value {
    commands.iter().map(|command| command_json(command)).collect()
}

fn command_json(command: &'static Command) -> Value {
    let args = command.positionals().map(|positional| {
        let mut value = field_json(positional.field);
        value["required"] = json!(positional.is_required());
        value["rest"] = json!(positional.rest);
        value
    });
    let mut args: Vec<_> = args.collect();
    if command.takes_path() {
        args.push(
            json!({"name": command.output_arg, "type": "file", "required": false, "rest": false,
            "help": command.output_help()}),
        );
    }
    let flags = command.flags().map(|flag| {
        let mut value = field_json(flag);
        value["name"] = json!(format!("--{}", flag.flag()));
        value["short"] = json!(flag.short.map(|letter| format!("-{letter}")));
        value["repeated"] = json!(flag.repeated);
        value
    });
    let mut flags: Vec<_> = flags.collect();
    for (usage, help) in command.saving_flags() {
        let (name, value) = usage.split_once(' ').unwrap_or((&usage, ""));
        let kind = if value.is_empty() { "switch" } else { "file" };
        flags.push(json!({"name": name, "type": kind, "help": help}));
    }
    json!({
        "name": command.name,
        "aliases": command.aliases,
        "group": command.title,
        "summary": command.summary(),
        "help": command.help,
        "usage": command.usage(),
        "example": command.shell_example(),
        "scope": command.scope.name(),
        "tunnel": command.tunnel,
        "stdin": command.takes_steps(),
        "timeout_ms": command.timeout_ms.unwrap_or(limits::DEFAULT_TIMEOUT_MS),
        "rpc": command.path.trim_start_matches('/'),
        "args": args,
        "flags": flags,
    })
}

fn field_json(field: &Field) -> Value {
    let kind = match field.kind {
        _ if matches!(field.source, Source::File | Source::FileOrUrl | Source::Files) => "file",
        FieldType::Bool => "switch",
        FieldType::U32 | FieldType::U64 | FieldType::I32 => "integer",
        FieldType::F64 => "number",
        FieldType::Enum(_) => "choice",
        _ => "text",
    };
    let mut value = json!({"name": field.label(), "type": kind, "help": field.help});
    let choices = field.choices();
    if !choices.is_empty() {
        value["values"] = json!(choices);
    }
    value
}
