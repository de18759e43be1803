//! Writes the journal once a second.

use std::{
    path::PathBuf,
    sync::{Arc, Weak},
    time::Duration,
};

use super::Sessions;

/// Time between two writes.
const WRITE_INTERVAL: Duration = Duration::from_secs(1);

/// The logs of a project.
pub struct CaptureLogWriter;

impl CaptureLogWriter {
    /// Writes into `folder` until the sessions are gone.
    pub fn start(folder: PathBuf, sessions: &Arc<Sessions>) {
        let sessions: Weak<Sessions> = Arc::downgrade(sessions);
        tokio::spawn(async move {
            let mut tick = tokio::time::interval(WRITE_INTERVAL);
            tick.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
            loop {
                tick.tick().await;
                let Some(sessions) = sessions.upgrade() else { return };
                if sessions.journal().is_empty() {
                    continue;
                }
                let folder = folder.clone();
                let write = move || sessions.journal().write(&folder);
                if let Ok(Err(error)) = tokio::task::spawn_blocking(write).await {
                    tracing::debug!(%error, "the capture logs were not written");
                }
            }
        });
    }
}
