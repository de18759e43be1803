//! What clients are given of the daemon.

use std::{path::PathBuf, sync::Arc};

use browse_sessions::Sessions;

use super::RecordClient;

/// What clients are given of the daemon.
pub struct DevToolsParts {
    /// The sessions.
    pub sessions: Arc<Sessions>,
    /// The home of browse, whose files are not given to pages.
    pub home: PathBuf,
    /// Writes the activity log.
    pub record: RecordClient,
}
