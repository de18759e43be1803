//! The contract as plain data: what the descriptor says, with options resolved.

use std::error::Error;

use prost_reflect::{
    DescriptorPool, EnumDescriptor, FieldDescriptor, Kind, MessageDescriptor, MethodDescriptor,
};

use crate::{
    comments,
    options::{self, OptionSet},
};

pub struct ContractModel {
    pub commands: Vec<CommandModel>,
    pub messages: Vec<MessageModel>,
    pub enums: Vec<EnumModel>,
    pub reasons: Vec<ReasonModel>,
}

pub struct CommandModel {
    pub service: String,
    pub method: String,
    pub group: String,
    pub title: String,
    pub help: String,
    pub name: String,
    pub aliases: Vec<String>,
    pub scope: u32,
    pub tunnel: bool,
    pub remote_dashboard: bool,
    pub fleet: bool,
    pub args: String,
    pub result: String,
    pub text_template: String,
    pub empty_note: String,
    pub example: String,
    pub timeout: String,
    pub save: String,
    pub no_autostart: bool,
    pub requires: u32,
    pub has_side_effects: bool,
    pub exclusive: Vec<String>,
    pub step_role: u32,
    pub sends_nothing: bool,
    pub unrepeatable: String,
    pub selector_short: String,
    pub output_arg: String,
    pub extension: String,
    pub inline: bool,
    pub streaming: bool,
    pub annotated: bool,
    pub request: String,
    pub response: String,
}

pub struct MessageModel {
    pub name: String,
    pub full_name: String,
    pub help: String,
    pub fields: Vec<FieldModel>,
}

pub struct FieldModel {
    pub name: String,
    pub number: u32,
    pub kind: String,
    pub repeated: bool,
    pub optional: bool,
    pub page: bool,
    pub address: bool,
    pub json: bool,
    pub short: String,
    pub source: u32,
    pub value: String,
    pub completes: String,
    pub sends: u32,
    pub target: bool,
    pub help: String,
}

pub struct EnumModel {
    pub name: String,
    pub values: Vec<(String, i32, String)>,
}

pub struct ReasonModel {
    pub name: String,
    pub number: i32,
    pub problem: String,
    pub code: String,
    pub hint: String,
    pub cause: String,
    pub exit: u32,
    pub page: Vec<String>,
}

/// Reads the whole contract.
pub fn read_contract(pool: &DescriptorPool) -> Result<ContractModel, Box<dyn Error>> {
    let ours = |package: &str| package == "browse.v1";
    let services = pool.services().filter(|service| ours(service.package_name()));
    let commands = services.flat_map(|s| s.methods().collect::<Vec<_>>());
    let messages = pool.all_messages().filter(|m| ours(m.package_name()) && !m.is_map_entry());
    let enums = pool.all_enums().filter(|e| ours(e.package_name()) && e.name() != "Reason");
    let reasons = pool.get_enum_by_name("browse.v1.Reason").ok_or("no enum Reason")?;
    Ok(ContractModel {
        commands: commands.map(|method| command(pool, &method)).collect(),
        messages: messages.map(|m| message(pool, &m)).collect(),
        enums: enums.map(|e| enumeration(&e)).collect(),
        reasons: reasons.values().map(|value| reason(pool, &value)).collect(),
    })
}

fn command(pool: &DescriptorPool, method: &MethodDescriptor) -> CommandModel {
    let set = OptionSet::message(pool, &method.options(), "browse.v1.command");
    let file = method.input().parent_file();
    let group = file.name().rsplit('/').next().unwrap_or_default();
    let name = set.string("name");
    CommandModel {
        service: method.parent_service().name().to_owned(),
        method: method.name().to_owned(),
        group: group.trim_end_matches(".proto").to_owned(),
        title: comments::group_title(&file),
        help: comments::comment_at(&method.parent_file(), method.path()),
        name: if name.is_empty() { kebab(method.name()) } else { name },
        aliases: set.strings("aliases"),
        scope: set.number("scope"),
        tunnel: set.bool("tunnel"),
        remote_dashboard: set.bool("remote_dashboard"),
        fleet: set.bool("fleet"),
        args: set.string("args"),
        result: set.string("result"),
        text_template: set.string("text_template"),
        empty_note: set.string("empty_note"),
        example: set.string("example"),
        timeout: set.string("timeout"),
        save: set.string("save"),
        no_autostart: set.bool("no_autostart"),
        requires: set.number("requires"),
        has_side_effects: set.bool("has_side_effects"),
        exclusive: set.strings("exclusive"),
        step_role: set.number("step_role"),
        sends_nothing: set.bool("sends_nothing"),
        unrepeatable: set.string("unrepeatable"),
        selector_short: set.string("selector_short"),
        output_arg: set.string("output_arg"),
        extension: set.string("extension"),
        inline: set.bool("inline"),
        streaming: method.is_server_streaming(),
        annotated: set.is_set(),
        request: method.input().name().to_owned(),
        response: method.output().name().to_owned(),
    }
}

fn message(pool: &DescriptorPool, message: &MessageDescriptor) -> MessageModel {
    let mut fields: Vec<_> = message.fields().map(|f| field(pool, &f)).collect();
    fields.sort_by_key(|field| field.number);
    MessageModel {
        name: message.name().to_owned(),
        full_name: message.full_name().to_owned(),
        help: comments::comment_at(&message.parent_file(), message.path()),
        fields,
    }
}

fn field(pool: &DescriptorPool, field: &FieldDescriptor) -> FieldModel {
    let set = field.options();
    let text = |name: &str| {
        let value = options::scalar_extension(pool, &set, name);
        value.and_then(|value| value.as_str().map(str::to_owned)).unwrap_or_default()
    };
    let number = |name: &str| {
        let value = options::scalar_extension(pool, &set, name);
        value.and_then(|value| value.as_enum_number()).unwrap_or_default() as u32
    };
    let flag = |name: &str| {
        let value = options::scalar_extension(pool, &set, name);
        value.and_then(|value| value.as_bool()).unwrap_or_default()
    };
    FieldModel {
        name: field.name().to_owned(),
        number: field.number(),
        kind: kind(field),
        repeated: field.is_list(),
        optional: field.supports_presence(),
        page: flag("browse.v1.page"),
        address: flag("browse.v1.address"),
        json: flag("browse.v1.json"),
        short: text("browse.v1.short"),
        source: number("browse.v1.source"),
        value: text("browse.v1.value"),
        completes: text("browse.v1.completes"),
        sends: number("browse.v1.sends"),
        target: flag("browse.v1.target"),
        help: comments::comment_at(&field.parent_message().parent_file(), field.path()),
    }
}

fn kind(field: &FieldDescriptor) -> String {
    if field.is_map() {
        return "FieldType::StringMap".to_owned();
    }
    match field.kind() {
        Kind::Bool => "FieldType::Bool".to_owned(),
        Kind::Uint32 => "FieldType::U32".to_owned(),
        Kind::Uint64 => "FieldType::U64".to_owned(),
        Kind::Int32 => "FieldType::I32".to_owned(),
        Kind::Double => "FieldType::F64".to_owned(),
        Kind::String => "FieldType::String".to_owned(),
        Kind::Bytes => "FieldType::Bytes".to_owned(),
        Kind::Enum(of) => format!("FieldType::Enum(&E_{})", of.name()),
        Kind::Message(of) if of.full_name() == "google.protobuf.Any" => "FieldType::Any".to_owned(),
        Kind::Message(of) => format!("FieldType::Message(&M_{})", of.name()),
        other => format!("FieldType::Unsupported(\"{other:?}\")"),
    }
}

fn enumeration(of: &EnumDescriptor) -> EnumModel {
    let prefix = format!("{}_", snake(of.name()).to_uppercase());
    let words = |name: &str| {
        let rest = name.strip_prefix(&prefix).unwrap_or(name);
        if rest == "UNSPECIFIED" { String::new() } else { rest.to_lowercase().replace('_', "-") }
    };
    let help = |path: &[i32]| comments::comment_at(&of.parent_file(), path);
    let values = of.values().map(|v| (words(v.name()), v.number(), help(v.path()))).collect();
    EnumModel { name: of.name().to_owned(), values }
}

fn reason(pool: &DescriptorPool, value: &prost_reflect::EnumValueDescriptor) -> ReasonModel {
    let set = OptionSet::message(pool, &value.options(), "browse.v1.error");
    ReasonModel {
        name: value.name().to_owned(),
        number: value.number(),
        problem: comments::comment_at(&value.parent_enum().parent_file(), value.path()),
        code: set.string("code"),
        hint: set.string("hint"),
        cause: set.string("cause"),
        exit: set.number("exit"),
        page: set.strings("page"),
    }
}

/// `LoadHtml` as `load_html`.
pub fn snake(name: &str) -> String {
    let mut out = String::new();
    for (index, letter) in name.char_indices() {
        if letter.is_uppercase() && index > 0 {
            out.push('_');
        }
        out.extend(letter.to_lowercase());
    }
    out
}

fn kebab(name: &str) -> String {
    snake(name).replace('_', "-")
}
