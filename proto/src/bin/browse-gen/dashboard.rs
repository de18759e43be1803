//! Writes what the page of the dashboard knows of the contract: the types of the calls in
//! the JSON form that the daemon writes ([`browse_proto::wire`]).

use std::fmt::Write as _;

use browse_proto::{Command, Field, FieldType, MessageType};

use crate::{
    select::reachable,
    typescript::{ANY_MESSAGE, NOTICE},
};

/// The module `rpc/contract.ts`.
pub fn contract() -> String {
    let all: Vec<_> = Command::all().iter().collect();
    let (messages, enums) = reachable(&all);
    let received = received(&all);
    let mut out = format!(
        "{NOTICE}\n//\n// Messages as the daemon writes them in JSON: names with underscores, 64-bit numbers as \
         text,\n// bytes as base64, all fields but absent messages and optional ones.\n{ANY_MESSAGE}"
    );
    for of in &enums {
        let words: Vec<_> = of.values.iter().map(|value| format!("'{}'", value.name)).collect();
        let _ = writeln!(out, "\nexport type {} = {};", of.name, words.join(" | "));
    }
    for message in &messages {
        let is_received = received.iter().any(|of| std::ptr::eq(*of, *message));
        out.push_str(&interface(message, is_received));
    }
    for (name, help, streaming) in [
        ("Calls", "Calls with one answer.", false),
        ("Streams", "Calls whose answer is a stream of messages.", true),
    ] {
        let _ = write!(out, "\n/** {help} */\nexport interface {name} {{\n");
        for command in all.iter().filter(|command| command.streaming == streaming) {
            let _ = writeln!(
                out,
                "  '{}/{}': {{ request: {}; response: {} }};",
                command.service, command.method, command.request.name, command.response.name
            );
        }
        out.push_str("}\n");
    }
    out
}

/// The messages that answers hold.
fn received(commands: &[&Command]) -> Vec<&'static MessageType> {
    let mut found: Vec<&'static MessageType> = Vec::new();
    let mut open: Vec<&'static MessageType> =
        commands.iter().map(|command| command.response).collect();
    while let Some(message) = open.pop() {
        if found.iter().any(|known| std::ptr::eq(*known, message)) {
            continue;
        }
        found.push(message);
        open.extend(message.fields.iter().filter_map(|field| match field.kind {
            FieldType::Message(of) => Some(of),
            _ => None,
        }));
    }
    found
}

fn interface(message: &MessageType, is_received: bool) -> String {
    if message.fields.is_empty() {
        return format!("\nexport type {} = Record<string, never>;\n", message.name);
    }
    let mut out = format!("\nexport interface {} {{\n", message.name);
    for field in message.fields {
        let may_be_absent = match field.kind {
            FieldType::Message(_) | FieldType::Any => !field.repeated,
            _ => field.optional,
        };
        let mark = if may_be_absent || !is_received { "?" } else { "" };
        let _ = writeln!(out, "  {}{mark}: {};", field.name, type_of(field, is_received));
    }
    out.push_str("}\n");
    out
}

fn type_of(field: &Field, is_received: bool) -> String {
    let one = match field.kind {
        FieldType::Bool => "boolean",
        FieldType::U32 | FieldType::I32 | FieldType::F64 => "number",
        FieldType::U64 if is_received => "string",
        FieldType::U64 => "string | number",
        FieldType::String | FieldType::Bytes => "string",
        FieldType::Enum(of) => of.name,
        FieldType::Message(of) => of.name,
        FieldType::StringMap => "Record<string, string>",
        FieldType::Any => "AnyMessage",
    };
    match (field.repeated, one.contains('|')) {
        (true, true) => format!("({one})[]"),
        (true, false) => format!("{one}[]"),
        (false, _) => one.to_owned(),
    }
}
