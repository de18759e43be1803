//! Writes the Rust source of the static tables.

use std::fmt::Write as _;

use crate::model::{self, CommandModel, ContractModel, FieldModel, MessageModel};

/// Writes the messages, enums and commands as statics.
pub fn registry(model: &ContractModel) -> String {
    let mut out = String::new();
    for of in &model.enums {
        let values = of.values.iter().map(|(name, number, help)| {
            format!("EnumValue {{ name: {name:?}, number: {number}, help: {help:?} }}, ")
        });
        let values: String = values.collect();
        let _ = writeln!(
            out,
            "static E_{0}: Enum = Enum {{ name: {0:?}, values: &[{values}] }};",
            of.name
        );
    }
    for message in &model.messages {
        let fields: String = message.fields.iter().map(field).collect();
        let _ = writeln!(
            out,
            "static M_{0}: MessageType = MessageType {{ name: {0:?}, full_name: {1:?}, help: {2:?}, fields: &[{fields}] }};",
            message.name, message.full_name, message.help
        );
    }
    let list: String = model.messages.iter().map(|m| format!("&M_{}, ", m.name)).collect();
    let _ = writeln!(out, "pub(crate) static MESSAGES: &[&MessageType] = &[{list}];");
    let commands: String = model.commands.iter().map(|c| command(model, c)).collect();
    let _ = writeln!(out, "pub(crate) static COMMANDS: &[Command] = &[{commands}];");
    out
}

fn field(field: &FieldModel) -> String {
    let short = field.short.chars().next();
    format!(
        "Field {{ name: {:?}, number: {}, kind: {}, repeated: {}, optional: {}, page: {}, address: {}, json: {}, short: {short:?}, source: Source::{}, value: {:?}, completes: {:?}, sends: {}, target: {}, help: {:?} }}, ",
        field.name,
        field.number,
        field.kind,
        field.repeated,
        field.optional,
        field.page,
        field.address,
        field.json,
        SOURCES[field.source as usize],
        field.value,
        field.completes,
        if field.sends == 0 {
            "None".to_owned()
        } else {
            format!("Some(Sends::{})", SENDS[field.sends as usize])
        },
        field.target,
        field.help
    )
}

const SOURCES: &[&str] = &[
    "Argv",
    "File",
    "Steps",
    "CallerEnvironment",
    "Extension",
    "None",
    "Json",
    "Manifest",
    "Files",
    "Command",
    "CallerScreen",
    "FileOrUrl",
    "Input",
];
/// The names of `Sends`, by number.
pub const SENDS: &[&str] = &[
    "",
    "Typed",
    "Key",
    "Button",
    "Dialog",
    "Address",
    "Request",
    "RequestPart",
    "AddressOrTarget",
    "Files",
    "Everywhere",
    "Stored",
    "Clipboard",
    "Code",
    "Document",
    "PageTool",
];
const STEP_ROLES: &[&str] = &[
    "Inspect", "Open", "Back", "Forward", "Reload", "Edit", "Act", "Passive", "Read", "Inspect",
    "Denied",
];
const REQUIREMENTS: &[&str] = &["Daemon", "Daemon", "Tab", "Page", "Navigation"];
const SCOPES: &[&str] = &["", "Read", "Write", "Admin", "Meta", "Control", "Public", "Any"];

fn command(model: &ContractModel, command: &CommandModel) -> String {
    let index = |message: &str, name: &str| {
        let message = find_message(model, message);
        message.fields.iter().position(|field| field.name == name)
    };
    let args = command.args.split(',').filter(|name| !name.is_empty()).map(|name| {
        let plain = name.trim_end_matches("...");
        let at = index(&command.request, plain).unwrap_or_default();
        format!("Argument {{ field: {at}, rest: {} }}, ", plain != name)
    });
    let args: String = args.collect();
    let exclusive = command.exclusive.iter().map(|set| {
        let of = |name| index(&command.request, name).unwrap_or_default();
        format!("&{:?}, ", set.split(',').map(of).collect::<Vec<_>>())
    });
    let exclusive: String = exclusive.collect();
    let words: Vec<_> = command.name.split(' ').filter(|w| !w.starts_with("--")).collect();
    let selector = command.name.split(' ').find_map(|word| word.strip_prefix("--"));
    format!(
        "Command {{ service: {:?}, method: {:?}, path: \"/browse.v1.{}/{}\", function: {:?}, group: {:?}, title: {:?}, help: {:?}, name: {:?}, words: &{words:?}, selector: {selector:?}, aliases: &{:?}, scope: Scope::{}, tunnel: {}, remote_dashboard: {}, fleet: {}, args: &[{args}], request: &M_{}, response: &M_{}, result: {:?}, text_template: {:?}, empty_note: {:?}, example: {:?}, timeout_ms: {:?}, save: {:?}, no_autostart: {}, requires: Requires::{}, has_side_effects: {}, exclusive: &[{exclusive}], step_role: StepRole::{}, unrepeatable: {:?}, output_arg: {:?}, extension: {:?}, inline: {}, selector_short: {:?}, streaming: {} }},\n",
        command.service,
        command.method,
        command.service,
        command.method,
        model::snake(&command.method),
        command.group,
        command.title,
        command.help,
        command.name,
        command.aliases,
        SCOPES[command.scope as usize],
        command.tunnel,
        command.remote_dashboard,
        command.fleet,
        command.request,
        command.response,
        index(&command.response, &command.result),
        command.text_template,
        command.empty_note,
        command.example,
        parse_milliseconds(&command.timeout),
        index(&command.response, &command.save),
        command.no_autostart,
        REQUIREMENTS[command.requires as usize],
        command.has_side_effects,
        STEP_ROLES[command.step_role as usize],
        command.unrepeatable,
        if command.output_arg.is_empty() { "path" } else { &command.output_arg },
        command.extension,
        command.inline,
        command.selector_short.chars().next(),
        command.streaming
    )
}

fn find_message<'a>(model: &'a ContractModel, name: &str) -> &'a MessageModel {
    let found = model.messages.iter().find(|message| message.name == name);
    found.expect("`check` has seen the message")
}

/// `60s` or `5m`; none for a command that has the usual time.
fn parse_milliseconds(text: &str) -> Option<u64> {
    if text.is_empty() {
        return None;
    }
    let (number, unit) = text.split_at(text.len() - 1);
    let unit = match unit {
        "s" => 1_000,
        "m" => 60_000,
        _ => panic!("`{text}` is not a timeout in seconds or minutes: `60s`, `5m`"),
    };
    Some(number.parse::<u64>().expect("a timeout is a whole number: `60s`") * unit)
}

/// Writes the enum of reasons and the table of their rules.
pub fn reasons(model: &ContractModel) -> String {
    let mut variants = String::new();
    let mut rules = String::new();
    for reason in &model.reasons {
        let variant = match reason.name.as_str() {
            "REASON_UNSPECIFIED" => "Bug".to_owned(),
            name => pascal(name),
        };
        let name = if variant == "Bug" { "BUG" } else { &reason.name };
        let _ =
            writeln!(variants, "    /// {}\n    {variant} = {},", reason.problem, reason.number);
        let _ = writeln!(
            rules,
            "    ReasonRule {{ reason: Reason::{variant}, name: {name:?}, problem: {:?}, cause: {:?}, code: Code::{}, hint: {:?}, exit: {}, page: &{:?} }},",
            reason.problem,
            reason.cause,
            pascal(&reason.code),
            reason.hint,
            reason.exit,
            reason.page
        );
    }
    format!(
        "/// Why a call failed; the names are those of `errors.proto`.\n#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]\npub enum Reason {{\n{variants}}}\npub(crate) static RULES: &[ReasonRule] = &[\n{rules}];\n"
    )
}

fn pascal(name: &str) -> String {
    let word = |word: &str| {
        let (first, rest) = word.split_at(1);
        format!("{first}{}", rest.to_lowercase())
    };
    name.split('_').map(word).collect()
}

/// The name of a Rust function: `type` is a keyword.
fn identifier(name: String) -> String {
    if name == "type" { format!("r#{name}") } else { name }
}

/// Writes one macro per service. It calls back with a line per RPC, so that
/// the server's glue names every handler and none can be missing.
pub fn service_macros(model: &ContractModel) -> String {
    let mut out = String::new();
    for service in [
        "BrowserService",
        "DaemonService",
        "SkillService",
        "DomainSkillService",
        "PairService",
        "DashboardService",
    ] {
        let lines = |streaming: bool| -> String {
            let of = model.commands.iter().filter(|c| c.service == service);
            let line = |c: &CommandModel| {
                let function = identifier(model::snake(&c.method));
                let stream = if streaming { format!(" {}Stream", c.method) } else { String::new() };
                format!("{} {function} {} {}{stream}; ", c.group, c.request, c.response)
            };
            of.filter(|c| c.streaming == streaming).map(line).collect()
        };
        let _ = writeln!(
            out,
            "/// Calls `$callback!` with a line per RPC of {service}: group, function, request and\n/// response, and the stream type of those that stream.\n#[macro_export]\nmacro_rules! with_{} {{ ($callback:ident) => {{ $callback! {{ {service} unary {{ {} }} streams {{ {} }} }} }}; }}",
            model::snake(service),
            lines(false),
            lines(true)
        );
    }
    out
}
