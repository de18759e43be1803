//! A kept session is closed, or forgotten.

use std::sync::Arc;

use browse_proto::Reason;

use super::{
    KeptSessions, KeptState, keep::file_name, session_lock::KeptSessionLock,
    table::run_to_completion,
};
use crate::session_state::StateName;
use browse_base::{Error, Result};

/// What becomes of a kept session that is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptEnd {
    /// It stays kept, and can be opened again.
    Kept,
    /// What is kept of it is removed.
    Forgotten,
}

impl KeptSessions {
    /// Closes the session `name`, kept or not. [`KeptSessions::save_now`] comes before.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`; `FILE_UNWRITABLE` when its file cannot be removed.
    pub async fn close(self: &Arc<Self>, name: &str, end: KeptEnd) -> Result<()> {
        if self.state_of(name) != Some(KeptState::Open) {
            return self.parts.sessions.close(name).await;
        }
        let (this, name) = (Arc::clone(self), name.to_owned());
        run_to_completion(async move {
            let _turns = this.save_turn().await;
            let closed = this.parts.sessions.close(&name).await;
            let open = this.set_closed(&name);
            if let Some((file, open)) = open.filter(|_| end == KeptEnd::Forgotten) {
                this.remove_files(&file, open.lock).await?;
            }
            closed
        })
        .await
    }

    /// Forgets what is kept of the session `name`, which is not open here as a kept one;
    /// answers whether there was anything. What only other projects keep is theirs.
    ///
    /// # Errors
    /// `SESSION_KEPT_BY_ANOTHER`, `FILE_UNWRITABLE`.
    pub async fn forget(self: &Arc<Self>, name: &str) -> Result<bool> {
        // No session of another name is kept.
        let Ok(file) = file_name(name) else { return Ok(false) };
        let this = Arc::clone(self);
        run_to_completion(async move {
            let _turn = this.turn.lock().await;
            let stores = this.stores()?;
            let is_known = this.state_of(file.as_str()).is_some();
            if !is_known && stores.sessions.saved_at(&file).is_none() {
                return Ok(false);
            }
            let lock = KeptSessionLock::acquire(stores.sessions.folder(), &file).await?;
            lock.check_forgettable(&file, &this.parts.project)?;
            this.remove_files(&file, lock).await?;
            Ok(true)
        })
        .await
    }

    /// Removes what is kept of a session, the list of its projects last.
    async fn remove_files(&self, file: &StateName, lock: KeptSessionLock) -> Result<()> {
        let removed = self.stores()?.sessions.remove(file).await;
        removed.or_else(|error: Error| match error.reason() {
            Reason::StateNotFound => Ok(()),
            _ => Err(error),
        })?;
        lock.remove()?;
        self.remove(file.as_str());
        Ok(())
    }
}
