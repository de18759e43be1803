//! The laws of the contract; the build fails when one is broken.

use std::collections::HashMap;

use crate::model::{CommandModel, ContractModel, FieldModel, MessageModel};

/// Returns every fault of `model`, one sentence each.
pub fn check(model: &ContractModel) -> Result<(), Vec<String>> {
    let mut faults = Vec::new();
    check_names(model, &mut faults);
    for command in &model.commands {
        let find = |name: &str| model.messages.iter().find(|message| message.name == name);
        match (find(&command.request), find(&command.response)) {
            (Some(request), Some(response)) => {
                check_command(command, request, response, &mut faults)
            }
            _ => faults.push(format!("{}: request or response is not ours", command.method)),
        }
    }
    for message in &model.messages {
        let odd = message.fields.iter().filter(|field| field.kind.contains("Unsupported"));
        faults.extend(odd.map(|f| format!("{}.{}: {}", message.name, f.name, f.kind)));
        let json = message.fields.iter().filter(|f| f.json && f.kind != "FieldType::String");
        faults
            .extend(json.map(|f| format!("{}.{}: JSON is held by a string", message.name, f.name)));
    }
    check_reasons(model, &mut faults);
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

/// `SOURCE_FILES`.
const SOURCE_FILES: u32 = 8;

/// `SCOPE_WRITE` and `SCOPE_ADMIN`.
const ACTING_SCOPES: [u32; 2] = [2, 3];

const SENDS_BUTTON: u32 = 3;
const SENDS_FILES: u32 = 9;

fn check_names(model: &ContractModel, faults: &mut Vec<String>) {
    let mut names: HashMap<&str, &str> = HashMap::new();
    let mut requests: HashMap<&str, &str> = HashMap::new();
    for command in &model.commands {
        for name in command.aliases.iter().chain([&command.name]) {
            if let Some(other) = names.insert(name, &command.method) {
                faults.push(format!("`{name}` names both {other} and {}", command.method));
            }
        }
        if let Some(other) = requests.insert(&command.request, &command.method) {
            faults.push(format!("{other} and {} share {}", command.method, command.request));
        }
    }
}

fn check_command(
    command: &CommandModel,
    request: &MessageModel,
    response: &MessageModel,
    faults: &mut Vec<String>,
) {
    let mut fault = |text: String| faults.push(format!("{}: {text}", command.method));
    let has = |message: &MessageModel, name: &str| message.fields.iter().any(|f| f.name == name);
    if !command.annotated || command.scope == 0 {
        fault("no scope".to_owned());
    }
    if command.service == "BrowserService" && command.requires == 0 {
        fault("no `requires`".to_owned());
    }
    if command.help.is_empty() {
        fault("no comment: it is the help text".to_owned());
    }
    if command.example.is_empty() {
        fault("no example".to_owned());
    }
    for argument in command.args.split(',').filter(|argument| !argument.is_empty()) {
        if !has(request, argument.trim_end_matches("...")) {
            fault(format!("`args` names `{argument}`, which {} lacks", request.name));
        }
    }
    for name in command.exclusive.iter().flat_map(|set| set.split(',')) {
        if !has(request, name) {
            fault(format!("`exclusive` names `{name}`, which {} lacks", request.name));
        }
    }
    for name in [&command.result, &command.save] {
        if !name.is_empty() && !has(response, name) {
            fault(format!("{} lacks `{name}`", response.name));
        }
    }
    let has_rows = response.fields.iter().any(|f| f.name == command.result && f.repeated);
    if !command.empty_note.is_empty() && !has_rows {
        fault("`empty_note`, and no `result` that is a repeated field".to_owned());
    }
    for field in request.fields.iter().filter(|field| field.help.is_empty()) {
        fault(format!("{}.{} has no comment", request.name, field.name));
    }
    for (index, field) in request.fields.iter().enumerate() {
        let same = |other: &&FieldModel| !field.short.is_empty() && other.short == field.short;
        if let Some(other) = request.fields[..index].iter().find(same) {
            fault(format!("`{}` and `{}` share -{}", other.name, field.name, field.short));
        }
    }
    for field in request.fields.iter().filter(|field| field.source == SOURCE_FILES) {
        if !field.repeated || !field.kind.starts_with("FieldType::Message") {
            fault(format!("{}.{}: files are a list of messages", request.name, field.name));
        }
    }
    if request.fields.iter().any(|field| field.page) {
        fault("a request cannot carry page-derived fields".to_owned());
    }
    check_effects(command, request, &mut fault);
}

/// What a command that acts has to say of its call: what leaves by it, and how it is
/// recorded. The egress guard and the recorder know nothing else of it.
fn check_effects(command: &CommandModel, request: &MessageModel, fault: &mut dyn FnMut(String)) {
    let sends = request.fields.iter().any(|field| field.sends != 0);
    let acts = ACTING_SCOPES.contains(&command.scope);
    if acts && !sends && !command.sends_nothing {
        fault(
            "no field with `sends`, and no `sends_nothing`: the egress guard would not look at it"
                .to_owned(),
        );
    }
    if sends && command.sends_nothing {
        fault("`sends_nothing`, and a field with `sends`".to_owned());
    }
    if acts && command.service == "BrowserService" && command.step_role == 0 {
        fault("no `step_role`: a recording would leave it out".to_owned());
    }
    for field in request.fields.iter().filter(|field| field.sends != 0) {
        let fits = match field.sends {
            SENDS_BUTTON => field.kind.starts_with("FieldType::Enum"),
            SENDS_FILES => field.source == SOURCE_FILES,
            _ => matches!(field.kind.as_str(), "FieldType::String" | "FieldType::Bytes"),
        };
        if !fits {
            fault(format!("{}.{}: `sends` does not fit its type", request.name, field.name));
        }
    }
    for field in request.fields.iter().filter(|field| field.target) {
        if field.kind != "FieldType::String" {
            fault(format!("{}.{}: a target is text", request.name, field.name));
        }
    }
}

const STATUS_CODES: &[&str] = &[
    "INTERNAL",
    "UNAUTHENTICATED",
    "PERMISSION_DENIED",
    "RESOURCE_EXHAUSTED",
    "UNIMPLEMENTED",
    "INVALID_ARGUMENT",
    "NOT_FOUND",
    "ALREADY_EXISTS",
    "FAILED_PRECONDITION",
    "ABORTED",
    "DEADLINE_EXCEEDED",
    "UNAVAILABLE",
];

fn check_reasons(model: &ContractModel, faults: &mut Vec<String>) {
    for reason in &model.reasons {
        if !STATUS_CODES.contains(&reason.code.as_str()) {
            faults.push(format!("{}: unknown code `{}`", reason.name, reason.code));
        }
        if !(1..=5).contains(&reason.exit) {
            faults.push(format!("{}: exit code {} is not 1 to 5", reason.name, reason.exit));
        }
        if reason.hint.is_empty() || reason.cause.is_empty() || reason.problem.is_empty() {
            faults.push(format!("{}: problem, cause and hint are needed", reason.name));
        }
        let quoted = reason.page.iter().filter(|key| reason.hint.contains(&format!("{{{key}}}")));
        faults
            .extend(quoted.map(|key| format!("{}: the hint quotes the page: {key}", reason.name)));
    }
}
