//! What the queue of the second classifier and its worker both know.

use std::{
    sync::{Arc, Mutex, PoisonError, atomic::AtomicU64},
    time::Duration,
};

use browse_guard::onnx_classifier::{LoadedModel, ScoreRequest, ScoreResponse};
use browse_process::Guardian;
use tokio::sync::oneshot;

use super::OnnxConfig;

/// Time that the program takes for one text; what it has not looked at by then
/// is named as unread.
pub(super) const SCORE_TIMEOUT: Duration = Duration::from_secs(8);

/// Where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum OnnxState {
    /// The program loads the model.
    #[default]
    Loading,
    /// It answers.
    Ready(LoadedModel),
    /// It does not, and is not started again.
    Failed(String),
}

/// What the queue and its worker both know.
#[derive(Debug)]
pub(super) struct OnnxShared {
    pub config: OnnxConfig,
    pub guardian: Option<Arc<Guardian>>,
    pub process_state: Mutex<OnnxProcessState>,
    pub scored: AtomicU64,
    pub partially_scored: AtomicU64,
    pub unanswered: AtomicU64,
}

#[derive(Debug, Default)]
pub(super) struct OnnxProcessState {
    pub state: OnnxState,
    pub pid: Option<u32>,
    pub restarts: u64,
}

/// A text that waits for its score.
#[derive(Debug)]
pub(super) struct ScoreJob {
    pub request: ScoreRequest,
    /// Nothing where there is no score.
    pub reply: oneshot::Sender<Option<ScoreResponse>>,
}

impl OnnxShared {
    /// Nothing was scored yet.
    pub fn new(config: OnnxConfig, guardian: Option<Arc<Guardian>>) -> Self {
        Self {
            config,
            guardian,
            process_state: Mutex::default(),
            scored: AtomicU64::new(0),
            partially_scored: AtomicU64::new(0),
            unanswered: AtomicU64::new(0),
        }
    }

    pub fn lock_process_state(&self) -> std::sync::MutexGuard<'_, OnnxProcessState> {
        self.process_state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
