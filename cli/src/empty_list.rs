//! What is printed beside a list that is empty: nothing else shows that the command worked.

use browse_proto::Command;
use serde_json::{Map, Value};

/// Lists by command, each with what it lacks and the next step.
const LISTS: &[(&str, &str)] = &[
    ("downloads", "no downloads: a click on a link to a file starts one"),
    ("inbox", "no notes of the person that are new"),
    ("network routes", "no routes: `browse network route GLOB` adds one"),
    ("pair list", "no pairings: `browse pair new NAME` makes one"),
    ("pair log", "no refused callers"),
    ("session list", "no sessions: `browse session new NAME` opens one"),
    ("skill list", "no skills to list: `browse skill record start` records one"),
    ("state list", "no saved states: `browse state save NAME` saves one"),
    ("tabs", "no tabs: `browse newtab URL` opens one"),
    ("trace list", "no traces: `browse trace start --steps` begins one"),
];

/// The note on the response of `command`, where it is a list without an item.
pub fn note(command: &Command, response: &Map<String, Value>) -> Option<&'static str> {
    let (_, note) = LISTS.iter().find(|(name, _)| *name == command.name)?;
    let field = &command.response.fields[command.result?];
    let is_empty = match response.get(field.name) {
        Some(Value::Array(items)) => items.is_empty(),
        Some(_) => false,
        None => true,
    };
    is_empty.then_some(*note)
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
            let is_known = LISTS.iter().any(|(name, _)| *name == command.name)
                || NOTICED_BY_DAEMON.contains(&command.name);
            assert!(!is_list || is_known, "`{}` has no note", command.name);
        }
        for (name, _) in LISTS {
            let command = Command::by_name(name).expect("a command");
            assert!(note(command, &Map::new()).is_some(), "{name}");
        }
    }

    #[test]
    fn a_list_with_an_item_has_no_note() {
        let command = Command::by_name("tabs").expect("a command");
        let response = serde_json::json!({"tabs": [{"id": 1}]});
        assert_eq!(note(command, response.as_object().expect("an object")), None);
    }
}
