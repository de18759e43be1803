//! Which commands open their session: the gateway gives it a place before, and the pod opens no other.

use browse_proto::Command;

/// Whether a command opens the session that it is for when that is not open, as a pod does with what
/// is stored of it. All other commands find it open, but for `session new`, which opens the session
/// that its message names.
pub fn opens_on_demand(command: &Command) -> bool {
    // What waits for an approval waits in a session that is open.
    let acts = command.service == "BrowserService" && command.name != "approve";
    acts || command.name == "cdp-url"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_concerns_a_session_that_is_open_opens_none() {
        let opens = |name: &str| opens_on_demand(Command::by_name(name).expect(name));
        for name in ["goto", "tabs", "batch", "inbox", "cdp-url"] {
            assert!(opens(name), "{name}");
        }
        for name in ["approve", "talk write", "status", "control take", "session close", "whoami"] {
            assert!(!opens(name), "{name}");
        }
    }
}
