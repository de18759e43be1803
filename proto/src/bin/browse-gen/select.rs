//! Which commands an SDK offers, and what they are called there.

use std::fmt::Write as _;

use browse_proto::{Command, Enum, FieldType, MessageType, Scope};

const SERVICE: &str = "BrowserService";

/// Whom a façade is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FacadeAudience {
    /// Users of the package: every command of the browser.
    Everyone,
    /// Skills, which vendor a copy: what their token allows, and no more.
    Skills,
}

/// The commands of the façade.
pub fn commands(of: FacadeAudience) -> Vec<&'static Command> {
    let all = Command::all().iter().filter(|command| command.service == SERVICE);
    all.filter(|command| match of {
        FacadeAudience::Everyone => true,
        // What `Lease::mint` of the daemon puts into the token of a run.
        FacadeAudience::Skills => matches!(command.scope, Scope::Read | Scope::Write),
    })
    .collect()
}

/// Every message and enum that the commands use, in the order of the contract.
pub fn reachable(commands: &[&Command]) -> (Vec<&'static MessageType>, Vec<&'static Enum>) {
    let mut found: Vec<&'static MessageType> = Vec::new();
    let mut enums: Vec<&'static Enum> = Vec::new();
    let mut open: Vec<_> = commands.iter().flat_map(|c| [c.request, c.response]).collect();
    while let Some(message) = open.pop() {
        if found.iter().any(|known| std::ptr::eq(*known, message)) {
            continue;
        }
        found.push(message);
        for field in message.fields {
            match field.kind {
                FieldType::Message(of) => open.push(of),
                FieldType::Enum(of) if !enums.iter().any(|known| std::ptr::eq(*known, of)) => {
                    enums.push(of)
                }
                _ => {}
            }
        }
    }
    let place =
        |message: &MessageType| MessageType::all().iter().position(|m| std::ptr::eq(*m, message));
    found.sort_by_key(|message| place(message));
    enums.sort_by_key(|of| of.name);
    (found, enums)
}

/// Whether `message` is only ever sent.
pub fn is_request(commands: &[&Command], message: &MessageType) -> bool {
    commands.iter().any(|command| std::ptr::eq(command.request, message))
}

/// How the client of a package writes what a command answers with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SaveMode {
    /// The answer is a value.
    None,
    /// The stream is one file.
    File,
    /// The stream is files of a folder.
    Folder,
}

/// What becomes of the answer of `command`.
pub fn save_mode(command: &Command) -> SaveMode {
    match (command.streaming && command.saves(), command.takes_path()) {
        (false, _) => SaveMode::None,
        (true, true) => SaveMode::File,
        (true, false) => SaveMode::Folder,
    }
}

/// The line of a command in the tables of TypeScript and Python: its name on the
/// command line, its RPC, its positional arguments, its result, its deadline in
/// milliseconds, its response and how it is saved, with `|` between and what is
/// usual left out.
pub fn table_line(command: &Command, spell: impl Fn(&str) -> String) -> String {
    let fields = command.args.iter().map(|argument| &command.request.fields[argument.field]);
    let args: Vec<_> = fields
        .map(|field| {
            let mark = if field.optional || field.repeated { "?" } else { "" };
            spell(field.name) + mark
        })
        .collect();
    let result =
        command.result.map_or_else(String::new, |i| spell(command.response.fields[i].name));
    let timeout = command.timeout_ms.map_or_else(String::new, |ms| ms.to_string());
    let usual = command.response.name == format!("{}Response", command.method);
    let response = if usual { "" } else { command.response.name };
    let saved = match save_mode(command) {
        SaveMode::None if command.streaming => "stream",
        SaveMode::None => "",
        SaveMode::File => "file",
        SaveMode::Folder => "folder",
    };
    let mut out = format!("{}|{}|{}", command.name, command.method, args.join(" "));
    let _ = write!(out, "|{result}|{timeout}|{response}|{saved}");
    out.trim_end_matches('|').to_owned()
}
