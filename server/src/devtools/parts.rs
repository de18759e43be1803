//! What clients are given of the daemon.

use std::{path::PathBuf, sync::Arc};

use browse_sessions::Sessions;

use super::RecordClient;

/// Whether clients may act in the session of a name.
pub type SessionCheck = Arc<dyn Fn(&str) -> bool + Send + Sync>;

/// What clients are given of the daemon.
pub struct DevToolsParts {
    /// The sessions.
    pub sessions: Arc<Sessions>,
    /// The home of browse, whose files are not given to pages.
    pub home: PathBuf,
    /// Writes the activity log.
    pub record: RecordClient,
    /// In a pod: whether it still holds a session.
    pub may_act: SessionCheck,
}
