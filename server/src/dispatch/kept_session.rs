//! A command that names a kept session opens it.

use browse_proto::Command;

use super::CallContext;
use crate::kept_sessions::KeptState;
use browse_base::Result;

/// Commands of other services than BrowserService that act in the session of the call.
const USES_SESSION: [&str; 5] =
    ["cdp-url", "context", "skill record start", "skill run", "talk write"];

/// The same for commands that do so when a session is named.
const USES_NAMED_SESSION: [&str; 2] = ["agent open", "pair new"];

impl CallContext {
    /// Opens the session of the call when it is kept and not open. That is for the local user:
    /// what others were given of it ended as it was closed.
    ///
    /// # Errors
    /// As [`crate::kept_sessions::KeptSessions::open`].
    pub(super) async fn open_kept_session(&self) -> Result<()> {
        let (name, kept) = (self.session_name(), self.daemon().kept_sessions());
        if kept.state_of(&name) != Some(KeptState::Closed)
            || !self.is_root()
            || !self.uses_session()
        {
            return Ok(());
        }
        if let Some(counts) = kept.open(&name).await? {
            self.add_notice(&format!("opened the session `{name}`: {counts}"));
        }
        Ok(())
    }

    /// Whether the command acts in the session of the call.
    pub(super) fn uses_session(&self) -> bool {
        let command = self.command();
        acts_in_session(command)
            || USES_NAMED_SESSION.contains(&command.name) && self.requested_session().is_some()
    }
}

/// Whether a command acts in the session of its call, whether that is named or not.
pub fn acts_in_session(command: &Command) -> bool {
    // What waits for an approval is in the daemon.
    command.service == "BrowserService" && command.name != "approve"
        || command.name.starts_with("domain-skill ")
        || USES_SESSION.contains(&command.name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_that_use_a_session_exist() {
        for name in USES_SESSION.iter().chain(&USES_NAMED_SESSION) {
            let command = Command::by_name(name).unwrap_or_else(|| panic!("no command `{name}`"));
            assert_ne!(command.service, "BrowserService", "{name}");
        }
    }
}
