//! One line that says how a command is called.

use browse_proto::{Command, Field, Kind};

use crate::table;

/// `browse click <target> [flags]`.
pub fn line(command: &'static Command) -> String {
    let mut line = format!("browse {}", command.name);
    for positional in table::positionals(command) {
        line.push(' ');
        line.push_str(&positional.usage());
    }
    if table::saves(command) {
        line.push_str(" [path]");
    }
    if table::flags(command).next().is_some() || table::saves(command) {
        line.push_str(" [flags]");
    }
    if table::takes_steps(command) {
        line.push_str(" < steps.jsonl");
    }
    line
}

/// `-b, --button <left|right|middle>`.
pub fn flag(field: &Field) -> String {
    let short = field.short.map_or_else(|| "    ".to_owned(), |letter| format!("-{letter}, "));
    let value = match &field.kind {
        Kind::Bool => String::new(),
        Kind::Enum(_) => format!(" <{}>", table::choices(field).join("|")),
        _ => format!(" <{}>", table::label(field)),
    };
    let dots = if field.repeated { "..." } else { "" };
    format!("{short}--{}{value}{dots}", field.flag())
}
