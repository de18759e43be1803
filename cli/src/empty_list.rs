//! What is printed beside a list that is empty: nothing else shows that the command worked.

use browse_proto::Command;
use serde_json::{Map, Value};

/// The note on the response of `command`, where it is a list without an item.
pub fn note(command: &Command, response: &Map<String, Value>) -> Option<&'static str> {
    let note = Some(command.empty_note).filter(|note| !note.is_empty())?;
    let field = &command.response.fields[command.result?];
    let is_empty = match response.get(field.name) {
        Some(Value::Array(items)) => items.is_empty(),
        Some(_) => false,
        None => true,
    };
    is_empty.then_some(note)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Lists about which the daemon sends a notice itself.
    const NOTICED_BY_DAEMON: &[&str] = &["domain-skill list", "webmcp list"];

    #[test]
    fn every_list_has_a_note() {
        for command in Command::all() {
            let is_list = command.name.ends_with(" list") && command.result.is_some();
            let is_noted = note(command, &Map::new()).is_some();
            let is_known = is_noted || NOTICED_BY_DAEMON.contains(&command.name);
            assert!(!is_list || is_known, "`{}` has no note", command.name);
        }
        let pairings = Command::by_name("pair list").expect("a command");
        let expected = "no pairings: `browse pair new NAME` makes one";
        assert_eq!(note(pairings, &Map::new()), Some(expected));
    }

    #[test]
    fn a_list_with_an_item_has_no_note() {
        let command = Command::by_name("tabs").expect("a command");
        let response = serde_json::json!({"tabs": [{"id": 1}]});
        assert_eq!(note(command, response.as_object().expect("an object")), None);
    }
}
