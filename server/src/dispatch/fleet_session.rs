//! A command that uses a session of a fleet opens it, and is refused once another pod may have it.

use super::CallContext;
use browse_base::Result;

impl CallContext {
    /// Opens the session of the call in a pod whose sessions move between pods. Of a session that
    /// is open it checks that it still is this pod's, for each step, too.
    ///
    /// # Errors
    /// As [`crate::fleet_sessions::FleetSessions::open`].
    pub(super) async fn open_fleet_session(&self) -> Result<()> {
        let Some(fleet) = self.daemon().fleet_sessions() else { return Ok(()) };
        if !self.uses_session() {
            return Ok(());
        }
        let name = self.session_name();
        if let Some(restored) = fleet.open(&name, self.client(), &self.session_rules()).await? {
            self.add_notice(&restored.notice(&name));
        }
        Ok(())
    }
}
