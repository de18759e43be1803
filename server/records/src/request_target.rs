//! What a call was about, for the books: the field that names it, never what
//! was typed.

use browse_net::without_query;
use browse_proto::{Command, wire};
use serde_json::Value;

/// Bytes of a request that are looked at.
pub const MAX_REQUEST_BYTES: usize = 4096;

/// Fields that name what a call is about; the first that is filled counts.
/// Text, values, expressions, code and keys are none of them.
const TARGET_FIELDS: &[&str] =
    &["target", "url", "source", "name", "id", "selector", "scope", "hidden", "property", "method"];

/// Characters of a target that are kept.
const MAX_TARGET_CHARS: usize = 120;

/// The target of a request of `command`.
pub fn target_of_request(command: &Command, request: &[u8]) -> String {
    let Ok(fields) = wire::decode(command.request, request) else { return String::new() };
    let named =
        TARGET_FIELDS.iter().filter_map(|name| fields.get(*name).map(|value| (*name, value)));
    let text = |(name, value): (&str, &Value)| match value {
        Value::String(text) if name == "source" && text.starts_with("data:") => {
            Some("data:".to_owned())
        }
        Value::String(text) if name == "source" && text.contains("://") => {
            Some(without_query(text))
        }
        Value::String(text) if !text.is_empty() && name == "url" => Some(without_query(text)),
        Value::String(text) if !text.is_empty() => Some(text.clone()),
        Value::Number(number) if number.as_u64() != Some(0) => Some(number.to_string()),
        _ => None,
    };
    let found = named.filter_map(text).next().unwrap_or_default();
    let found = browse_secrets::redact(&found);
    browse_guard::clean(&found).chars().take(MAX_TARGET_CHARS).collect()
}

/// What is kept of the label of an element.
pub fn element_label(label: Option<String>) -> String {
    let label = label.unwrap_or_default();
    let label = browse_secrets::redact(&label);
    browse_guard::clean(&label).chars().take(MAX_TARGET_CHARS).collect()
}

#[cfg(test)]
mod tests {
    use browse_proto::{Command, v1};
    use prost::Message as _;

    use super::target_of_request;

    #[test]
    fn what_was_typed_is_left_out() {
        let command = Command::by_name("fill").expect("a command");
        let request = v1::FillRequest {
            target: "@e4".to_owned(),
            text: "secret".to_owned(),
            ..Default::default()
        };
        assert_eq!(target_of_request(command, &request.encode_to_vec()), "@e4");
        let command = Command::by_name("type").expect("a command");
        let request = v1::TypeRequest { text: "secret".to_owned(), ..Default::default() };
        assert_eq!(target_of_request(command, &request.encode_to_vec()), "");
    }

    #[test]
    fn secrets_in_targets_are_taken_out() {
        let command = Command::by_name("click").expect("a command");
        let target = format!("text=key AKIA{}", "A".repeat(16));
        let request = v1::ClickRequest { target, ..Default::default() };
        assert_eq!(target_of_request(command, &request.encode_to_vec()), "text=key [redacted]");
    }

    #[test]
    fn addresses_lose_what_may_be_secret() {
        let command = Command::by_name("goto").expect("a command");
        let url = "https://ada:pw@example.com/a?token=1#x".to_owned();
        let request = v1::GotoRequest { url, wait: 0 };
        assert_eq!(target_of_request(command, &request.encode_to_vec()), "https://example.com/a");
    }
}
