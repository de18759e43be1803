//! Writes the visitors of what requests send, one per request.

use std::fmt::Write as _;

use crate::{
    emit::SENDS,
    model::{CommandModel, ContractModel, FieldModel},
};

/// Writes `impl SentData` for the request of every command.
pub fn visitors(model: &ContractModel) -> String {
    let mut out = String::new();
    for CommandModel { request, .. } in &model.commands {
        let message = model.messages.iter().find(|message| message.name == *request);
        let fields = message.map(|message| message.fields.as_slice()).unwrap_or_default();
        let body: String =
            fields.iter().filter(|field| field.sends != 0).map(visit_field).collect();
        let _ = writeln!(
            out,
            "impl SentData for v1::{request} {{\n    #[allow(unused_variables)]\n    fn visit_sent(&self, visit: &mut dyn FnMut(Sends, SentValue<'_>)) {{\n{body}    }}\n}}"
        );
    }
    out
}

fn visit_field(field: &FieldModel) -> String {
    let name = &field.name;
    let is_many = field.repeated || field.optional;
    // What is borrowed: each value of a list or an option, or the field itself.
    let value = if is_many { "value".to_owned() } else { format!("&self.r#{name}") };
    let sent = match field.kind.as_str() {
        "FieldType::Bytes" => format!("SentValue::Bytes({value})"),
        kind if kind.starts_with("FieldType::Enum") && !is_many => {
            format!("SentValue::Number(self.r#{name})")
        }
        kind if kind.starts_with("FieldType::Enum") => format!("SentValue::Number(*{value})"),
        kind if kind.starts_with("FieldType::Message") => {
            "SentValue::File { name: &value.name, content: &value.content }".to_owned()
        }
        _ => format!("SentValue::Text({value})"),
    };
    let visit = format!("visit(Sends::{}, {sent});", SENDS[field.sends as usize]);
    match (field.repeated, field.optional) {
        (true, _) => format!("        for value in &self.r#{name} {{ {visit} }}\n"),
        (false, true) => {
            format!("        if let Some(value) = &self.r#{name} {{ {visit} }}\n")
        }
        (false, false) => format!("        {visit}\n"),
    }
}
