//! The second classifier, as the scanner sees it: a queue of texts, and a state.

use std::sync::{
    Arc,
    atomic::{AtomicU64, Ordering},
};

use browse_guard::onnx_classifier::{ScoreRequest, ScoreResponse};
use tokio::sync::{mpsc, oneshot};

use super::{
    OnnxConfig,
    onnx_shared::{OnnxShared, OnnxState, SCORE_TIMEOUT, ScoreJob},
    onnx_worker::run_worker,
};
use browse_process::Guardian;

/// Texts that wait. The scanner lets no more through.
const MAX_QUEUED_TEXTS: usize = 64;

/// The classifier from a folder; none where no setting names one.
#[derive(Clone, Debug, Default)]
pub struct OnnxClassifier {
    shared: Option<Arc<OnnxShared>>,
    jobs: Option<mpsc::Sender<ScoreJob>>,
}

/// How it fares, for `security status`.
#[derive(Clone, Debug)]
pub struct OnnxStatus {
    /// Where it stands.
    pub state: OnnxState,
    /// What the model is called.
    pub name: String,
    /// Process id of its program.
    pub pid: Option<u32>,
    /// Texts that have a score.
    pub scored: u64,
    /// Those of them of which a part was not looked at.
    pub partially_scored: u64,
    /// Texts that have none.
    pub unanswered: u64,
    /// Times that the program was started again.
    pub restarts: u64,
}

impl OnnxClassifier {
    /// Starts the program of `plan`, in the background.
    pub fn start(plan: OnnxConfig, guardian: Option<Arc<Guardian>>) -> Self {
        let shared = Arc::new(OnnxShared::new(plan, guardian));
        let (sender, receiver) = mpsc::channel(MAX_QUEUED_TEXTS);
        tokio::spawn(run_worker(Arc::clone(&shared), receiver));
        Self { shared: Some(shared), jobs: Some(sender) }
    }

    /// Whether a setting asks for it, whatever its state.
    pub fn is_configured(&self) -> bool {
        self.shared.is_some()
    }

    /// Whether it was asked for and will not answer.
    pub fn has_failed(&self) -> bool {
        self.shared
            .as_ref()
            .is_some_and(|shared| matches!(shared.lock_process_state().state, OnnxState::Failed(_)))
    }

    /// Scores `text`; `first` are the bytes that another layer suspects most.
    /// Takes as long as it takes. None where there is no score.
    pub async fn score(&self, text: &str, first: Option<(usize, usize)>) -> Option<ScoreResponse> {
        let (shared, jobs) = (self.shared.as_ref()?, self.jobs.as_ref()?);
        let patience_ms = SCORE_TIMEOUT.as_millis() as u64;
        let (reply, answer) = oneshot::channel();
        let job =
            ScoreJob { request: ScoreRequest { text: text.to_owned(), first, patience_ms }, reply };
        let output = match jobs.try_send(job) {
            Ok(()) => answer.await.ok().flatten(),
            Err(_) => None,
        };
        let output = output.filter(|output| output.score.is_some());
        let counter = match &output {
            Some(_) => &shared.scored,
            None => &shared.unanswered,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        if output.as_ref().is_some_and(|output| output.unread > 0) {
            shared.partially_scored.fetch_add(1, Ordering::Relaxed);
        }
        output
    }

    /// How it fares; none where no setting asks for it.
    pub fn status(&self) -> Option<OnnxStatus> {
        let shared = self.shared.as_ref()?;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let seen = shared.lock_process_state();
        Some(OnnxStatus {
            state: seen.state.clone(),
            name: shared.config.name.clone(),
            pid: seen.pid,
            scored: count(&shared.scored),
            partially_scored: count(&shared.partially_scored),
            unanswered: count(&shared.unanswered),
            restarts: seen.restarts,
        })
    }
}
