//! The second classifier, as the scanner sees it: a queue of texts, and a state.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use browse_guard::onnx_classifier::{LoadedModel, ScoreRequest, ScoreResponse};
use tokio::sync::{mpsc, oneshot};

use super::{OnnxConfig, onnx_worker::run_worker};
use crate::guardian::Guardian;

/// Time that the program takes for one text; what it has not looked at by then
/// is named as unread.
pub(super) const SCORE_TIMEOUT: Duration = Duration::from_secs(8);

/// Texts that wait. The scanner lets no more through.
const MAX_QUEUED_TEXTS: usize = 64;

/// The classifier from a folder; none where no setting names one.
#[derive(Clone, Debug, Default)]
pub struct OnnxClassifier {
    shared: Option<Arc<OnnxShared>>,
    jobs: Option<mpsc::Sender<ScoreJob>>,
}

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

/// What the queue and its worker both know.
#[derive(Debug)]
pub(super) struct OnnxShared {
    pub config: OnnxConfig,
    pub guardian: Option<Arc<Guardian>>,
    pub process_state: Mutex<OnnxProcessState>,
    scored: AtomicU64,
    partially_scored: AtomicU64,
    unanswered: AtomicU64,
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

impl OnnxClassifier {
    /// Starts the program of `plan`, in the background.
    pub fn start(plan: OnnxConfig, guardian: Option<Arc<Guardian>>) -> Self {
        let shared = Arc::new(OnnxShared {
            config: plan,
            guardian,
            process_state: Mutex::default(),
            scored: AtomicU64::new(0),
            partially_scored: AtomicU64::new(0),
            unanswered: AtomicU64::new(0),
        });
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
        let said = match jobs.try_send(job) {
            Ok(()) => answer.await.ok().flatten(),
            Err(_) => None,
        };
        let said = said.filter(|said| said.score.is_some());
        let counter = match &said {
            Some(_) => &shared.scored,
            None => &shared.unanswered,
        };
        counter.fetch_add(1, Ordering::Relaxed);
        if said.as_ref().is_some_and(|said| said.unread > 0) {
            shared.partially_scored.fetch_add(1, Ordering::Relaxed);
        }
        said
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

impl OnnxShared {
    pub fn lock_process_state(&self) -> std::sync::MutexGuard<'_, OnnxProcessState> {
        self.process_state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
