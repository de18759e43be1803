//! Writes the tables that the codecs of the SDKs work from.

use std::fmt::Write as _;

use browse_proto::{Enum, Field, Kind};

use crate::{
    select::{For, commands, line, reachable},
    typescript::{NOTICE, camel, method},
};

const MESSAGES: &str = "
/** The fields of each message: name, number, `?` optional or `*` repeated, kind, type. */
export const MESSAGES: Record<string, string> = {
";
const ENUMS: &str = "
/** The words of each enum, in the order of their numbers; that of zero is empty. */
export const ENUMS: Record<string, string> = {
";
const COMMANDS: &str = "
/** Name of the CLI, RPC, arguments, result, deadline in milliseconds, response, how it is saved. */
export const COMMANDS: Record<string, string> = {
";

/// The module `generated/tables.ts`.
pub fn tables(of: For) -> String {
    let commands = commands(of);
    let (messages, enums) = reachable(&commands);
    let mut out = format!("{NOTICE}\n{MESSAGES}");
    for message in messages {
        let fields: Vec<_> = message.fields.iter().map(|f| entry(f, &camel(f.name))).collect();
        let _ = writeln!(out, "  {}: '{}',", message.name, fields.join(" "));
    }
    let _ = write!(out, "}};\n{ENUMS}");
    for of in enums {
        let _ = writeln!(out, "  {}: '{}',", of.name, words(of));
    }
    let _ = write!(out, "}};\n{COMMANDS}");
    for command in commands {
        let _ = writeln!(out, "  {}: '{}',", method(command), line(command, camel));
    }
    out.push_str("};\n");
    out
}

/// The words of an enum, in the order of their numbers.
pub fn words(of: &Enum) -> String {
    let last = of.values.iter().map(|value| value.number).max().unwrap_or(0);
    let word = |number| of.values.iter().find(|v| v.number == number).map_or("", |v| v.name);
    (0..=last).map(word).collect::<Vec<_>>().join(" ")
}

/// The entry of a field that the language calls `name`.
pub fn entry(field: &Field, name: &str) -> String {
    let (kind, of) = match field.kind {
        Kind::Bool => ('b', ""),
        Kind::U32 | Kind::U64 => ('u', ""),
        Kind::I32 => ('i', ""),
        Kind::F64 => ('d', ""),
        Kind::String if field.json => ('j', ""),
        Kind::String => ('s', ""),
        Kind::Bytes => ('y', ""),
        Kind::Enum(of) => ('e', of.name),
        Kind::Message(of) => ('m', of.name),
        Kind::StringMap => ('M', ""),
        Kind::Any => ('a', ""),
    };
    let mark = if field.repeated {
        "*"
    } else if field.optional {
        "?"
    } else {
        ""
    };
    format!("{name}:{}{mark}{kind}{of}", field.number)
}
