//! A session is closed on purpose: what is stored of it goes.

use super::{
    FleetSessions,
    table::{FleetSaveProgress, Hold, is_before, moved},
};
use browse_base::Result;

impl FleetSessions {
    /// As [`Self::remove`], of a session that the pod holds. One that it does not hold may be
    /// stored by another pod, and stays.
    ///
    /// # Errors
    /// As [`Self::remove`].
    pub async fn remove_held(&self, name: &str) -> Result<()> {
        let is_held = self.known(name).is_some_and(|held| held.is_held());
        if is_held { self.remove(name).await.map(drop) } else { Ok(()) }
    }

    /// Deletes what is stored of the session `name`, which is about to be closed; answers whether
    /// anything was.
    ///
    /// # Errors
    /// `STATE_UNAVAILABLE`: the session is still there. `SESSION_MOVED`.
    pub async fn remove(&self, name: &str) -> Result<bool> {
        // What cannot be stored is closed as before.
        let Ok(held) = self.entry(name) else { return Ok(false) };
        let mut progress = held.progress.lock().await;
        if let Hold::Moved(until) = held.hold()
            && is_before(until)
        {
            return Err(moved(name));
        }
        if held.is_held() && !self.check(&held, &mut progress).await? {
            self.give_up(&held).await;
            return Err(moved(name));
        }
        let was_stored = self.parts.objects.delete(&held.name).await?;
        *progress = FleetSaveProgress::default();
        held.set_hold(Hold::None);
        self.forget(name);
        Ok(was_stored)
    }
}
