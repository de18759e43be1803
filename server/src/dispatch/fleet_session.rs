//! A command that uses a session of a fleet opens it, and is refused once another pod may have it.

use browse_base::{Error, Result};
use browse_fleet::opens_on_demand;
use browse_proto::{Command, Reason, Requires, Scope};

use super::CallContext;

/// The value of an error with what the session has from before it moved.
const RESTORED_KEY: &str = "restored";

impl CallContext {
    /// Opens the session of the call in a pod whose sessions move between pods, where the gateway has
    /// given it its place. Of a session that is open it checks that it still is this pod's, for
    /// each step, too.
    ///
    /// # Errors
    /// As [`crate::fleet_sessions::FleetSessions::open`].
    pub(super) async fn open_fleet_session(&self) -> Result<()> {
        let Some(fleet) = self.daemon().fleet_sessions() else { return Ok(()) };
        if !opens_on_demand(self.command()) {
            return Ok(());
        }
        fleet.open(&self.session_name(), self.client(), &self.session_rules()).await.map(drop)
    }

    /// Says that the session was restored from another pod: in the first response that succeeds.
    pub(super) fn take_restored_notice(&self) -> Option<String> {
        let is_placed = opens_on_demand(self.command());
        let fleet = self.daemon().fleet_sessions().filter(|_| is_placed)?;
        let name = self.session_name();
        fleet.take_restored(&name).map(|restored| restored.notice(&name))
    }

    /// Adds the same to an error: until then, each may be a consequence of it.
    pub(super) fn with_restored_notice(&self, error: Error) -> Error {
        let is_placed = opens_on_demand(self.command());
        let fleet = self.daemon().fleet_sessions().filter(|_| is_placed);
        let name = self.session_name();
        match fleet.and_then(|fleet| fleet.restored(&name)) {
            Some(restored) => error.with_default(RESTORED_KEY, restored.notice(&name)),
            None => error,
        }
    }

    /// The error of a call whose tab was closed because another pod has taken its session over: what
    /// it did before is not known.
    pub(super) fn moved_session_error(&self, error: &Error) -> Option<Error> {
        let fleet = self.daemon().fleet_sessions()?;
        // A call without a tab has done nothing yet.
        let tab = self.tab_if_any()?;
        let is_closed = tab.page().is_closed() || error.reason() == Reason::TabNotFound;
        let name = self.session_name();
        (is_closed && fleet.has_moved(&name)).then(|| lost_session(self.command(), &name))
    }
}

fn lost_session(command: &Command, name: &str) -> Error {
    let only_reads = command.scope == Scope::Read
        && !command.has_side_effects
        && matches!(command.requires, Requires::Tab | Requires::Page);
    let reason = if only_reads { Reason::SessionMoved } else { Reason::ActionUnknown };
    let message =
        format!("another pod took the session `{name}` over while `{}` ran", command.name);
    Error::new(reason, message).with("session", name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_action_that_lost_its_session_may_have_been_done() {
        for (name, reason) in [
            ("snapshot", Reason::SessionMoved),
            ("click", Reason::ActionUnknown),
            ("goto", Reason::ActionUnknown),
            ("js", Reason::ActionUnknown),
            ("batch", Reason::ActionUnknown),
        ] {
            let command = Command::by_name(name).expect("a command");
            assert_eq!(lost_session(command, "work").reason(), reason, "{name}");
        }
    }
}
