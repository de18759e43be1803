//! Writes the visitors of page-derived strings, one per message.

use std::fmt::Write as _;

use prost_reflect::{DescriptorPool, FieldDescriptor, Kind, MessageDescriptor};

use crate::{model::snake, options};

/// Writes `impl PageDerived` for every message of the contract.
pub fn visitors(pool: &DescriptorPool) -> String {
    let mut out = String::new();
    let ours = |m: &MessageDescriptor| m.package_name() == "browse.v1" && !m.is_map_entry();
    for message in pool.all_messages().filter(ours) {
        let body: String = message.fields().filter_map(|field| visit_field(pool, &field)).collect();
        let warnings = if has_warnings(&message) { WARNINGS_METHOD } else { "" };
        let _ = writeln!(
            out,
            "impl PageDerived for v1::{} {{\n    #[allow(unused_variables, clippy::single_match)]\n    fn visit_page(&mut self, visit: &mut dyn FnMut(PageValue<'_>)) {{\n{body}    }}\n{warnings}}}",
            message.name()
        );
    }
    out
}

/// What a message of a stream without end has besides.
const WARNINGS_METHOD: &str = "    fn warnings(&mut self) -> Option<&mut Vec<String>> {\n        Some(&mut self.warnings)\n    }\n";

fn has_warnings(message: &MessageDescriptor) -> bool {
    message.get_field_by_name("warnings").is_some_and(|field| field.is_list())
}

fn visit_field(pool: &DescriptorPool, field: &FieldDescriptor) -> Option<String> {
    let marked = |name: &str| {
        let value = options::scalar_extension(pool, &field.options(), name);
        value.and_then(|value| value.as_bool()).unwrap_or_default()
    };
    let (page, address) = (marked("browse.v1.page"), marked("browse.v1.address"));
    let action = match field.kind() {
        Kind::String if page && address => {
            "{ visit(PageValue::Text(value)); visit(PageValue::Address(value)); }".to_owned()
        }
        Kind::String if address => "visit(PageValue::Address(value));".to_owned(),
        Kind::String if page => "visit(PageValue::Text(value));".to_owned(),
        Kind::Bytes if page => "visit(PageValue::Bytes(value));".to_owned(),
        Kind::Message(of) if of.package_name() == "browse.v1" && !of.is_map_entry() => {
            "value.visit_page(visit);".to_owned()
        }
        _ => return None,
    };
    let name = field.name();
    let oneof = field.containing_oneof().filter(|oneof| !is_synthetic(oneof));
    Some(match oneof {
        Some(oneof) => {
            let module = snake(field.parent_message().name());
            let (variant, union) = (pascal(name), pascal(oneof.name()));
            format!(
                "        if let Some(v1::{module}::{union}::{variant}(value)) = &mut self.r#{} {{ {action} }}\n",
                oneof.name()
            )
        }
        None if field.is_list() => {
            format!("        for value in &mut self.r#{name} {{ {action} }}\n")
        }
        None if field.supports_presence() => {
            format!("        if let Some(value) = &mut self.r#{name} {{ {action} }}\n")
        }
        None => format!("        {{ let value = &mut self.r#{name}; {action} }}\n"),
    })
}

fn is_synthetic(oneof: &prost_reflect::OneofDescriptor) -> bool {
    oneof.fields().len() == 1 && oneof.name().starts_with('_')
}

fn pascal(name: &str) -> String {
    let word = |word: &str| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_uppercase().to_string());
        first.unwrap_or_default() + letters.as_str()
    };
    name.split('_').map(word).collect()
}
