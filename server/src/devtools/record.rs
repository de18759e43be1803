//! What a client did that goes into the activity log.

use std::sync::Arc;

use browse_proto::Reason;

/// One line of the activity log.
#[derive(Clone, Debug)]
pub struct ClientRecord {
    /// Number of the client.
    pub client: u64,
    /// Session that it drives.
    pub session: String,
    /// What happened, or the method that was refused and why.
    pub what: String,
    /// Why it was refused.
    pub refused: Option<Reason>,
}

/// Writes a line of the activity log.
pub type RecordClient = Arc<dyn Fn(ClientRecord) + Send + Sync>;
