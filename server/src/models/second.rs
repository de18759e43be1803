//! The second classifier, as the scanner sees it: a queue of texts, and a state.

use std::{
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use browse_guard::second::{Ask, Ready, Said};
use tokio::sync::{mpsc, oneshot};

use super::{Plan, work::work};
use crate::guardian::Guardian;

/// Time that the program takes for one text; what it has not looked at by then
/// is named as unread.
pub(super) const PATIENCE: Duration = Duration::from_secs(8);

/// Texts that wait. The scanner lets no more through.
const WAITING: usize = 64;

/// The classifier from a folder; none where no setting names one.
#[derive(Clone, Debug, Default)]
pub struct Second {
    shared: Option<Arc<Shared>>,
    jobs: Option<mpsc::Sender<Job>>,
}

/// Where it stands.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum State {
    /// The program loads the model.
    #[default]
    Loading,
    /// It answers.
    Ready(Ready),
    /// It does not, and is not started again.
    Failed(String),
}

/// How it fares, for `security status`.
#[derive(Clone, Debug)]
pub struct SecondStatus {
    /// Where it stands.
    pub state: State,
    /// What the model is called.
    pub name: String,
    /// Process id of its program.
    pub pid: Option<u32>,
    /// Texts that have a score.
    pub scored: u64,
    /// Those of them of which a part was not looked at.
    pub cut: u64,
    /// Texts that have none.
    pub unanswered: u64,
    /// Times that the program was started again.
    pub restarts: u64,
}

/// What the queue and its worker both know.
#[derive(Debug)]
pub(super) struct Shared {
    pub plan: Plan,
    pub guardian: Option<Arc<Guardian>>,
    pub seen: Mutex<Seen>,
    scored: AtomicU64,
    cut: AtomicU64,
    unanswered: AtomicU64,
}

#[derive(Debug, Default)]
pub(super) struct Seen {
    pub state: State,
    pub pid: Option<u32>,
    pub restarts: u64,
}

/// A text that waits for its score.
#[derive(Debug)]
pub(super) struct Job {
    pub ask: Ask,
    /// Nothing where there is no score.
    pub reply: oneshot::Sender<Option<Said>>,
}

impl Second {
    /// Starts the program of `plan`, in the background.
    pub fn start(plan: Plan, guardian: Option<Arc<Guardian>>) -> Self {
        let shared = Arc::new(Shared {
            plan,
            guardian,
            seen: Mutex::default(),
            scored: AtomicU64::new(0),
            cut: AtomicU64::new(0),
            unanswered: AtomicU64::new(0),
        });
        let (sender, receiver) = mpsc::channel(WAITING);
        tokio::spawn(work(Arc::clone(&shared), receiver));
        Self { shared: Some(shared), jobs: Some(sender) }
    }

    /// Whether a setting asks for it, whatever its state.
    pub fn is_wanted(&self) -> bool {
        self.shared.is_some()
    }

    /// Whether it was asked for and will not answer.
    pub fn has_failed(&self) -> bool {
        self.shared.as_ref().is_some_and(|shared| matches!(shared.seen().state, State::Failed(_)))
    }

    /// Scores `text`; `first` are the bytes that another layer suspects most.
    /// Takes as long as it takes. None where there is no score.
    pub async fn score(&self, text: &str, first: Option<(usize, usize)>) -> Option<Said> {
        let (shared, jobs) = (self.shared.as_ref()?, self.jobs.as_ref()?);
        let patience_ms = PATIENCE.as_millis() as u64;
        let (reply, answer) = oneshot::channel();
        let job = Job { ask: Ask { text: text.to_owned(), first, patience_ms }, reply };
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
            shared.cut.fetch_add(1, Ordering::Relaxed);
        }
        said
    }

    /// How it fares; none where no setting asks for it.
    pub fn status(&self) -> Option<SecondStatus> {
        let shared = self.shared.as_ref()?;
        let count = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let seen = shared.seen();
        Some(SecondStatus {
            state: seen.state.clone(),
            name: shared.plan.name.clone(),
            pid: seen.pid,
            scored: count(&shared.scored),
            cut: count(&shared.cut),
            unanswered: count(&shared.unanswered),
            restarts: seen.restarts,
        })
    }
}

impl Shared {
    pub fn seen(&self) -> std::sync::MutexGuard<'_, Seen> {
        self.seen.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
