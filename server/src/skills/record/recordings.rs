//! The recordings of a daemon, one a session. They live in memory alone.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use browse_proto::Reason;
use zeroize::Zeroizing;

use super::step::{Role, Step};
use crate::browser::state::Contents;
use crate::error::{Error, Result};
use crate::policy::ClientId;
use crate::sessions::{PageSend, Sends, Session};

/// Steps that a recording takes; a flow of more is no flow.
pub const MOST_STEPS: usize = 1000;

/// Reads whose answers a recording keeps, the last ones: a result has no more.
pub const MOST_READS: usize = 20;

/// What is recorded in each session.
#[derive(Default)]
pub struct Recordings {
    /// How many there are, so that calls of a daemon that records nothing pay
    /// nothing.
    count: AtomicUsize,
    all: Mutex<HashMap<String, Recording>>,
}

/// What a session did since its recording began.
#[derive(Clone, Debug)]
pub struct Recording {
    /// Whose calls are recorded.
    pub client: ClientId,
    /// When it began.
    pub begun: SystemTime,
    /// In the order in which they began. A place is empty until its step ended.
    pub steps: Vec<Option<Step>>,
    /// Steps that found no place.
    pub lost: usize,
    /// What was typed into secret fields. It is looked for in all that is kept.
    pub secrets: Vec<Zeroizing<String>>,
    /// The page as it was when it was last read.
    pub page: Option<String>,
    /// What the pages of the session sent since the step began that began last:
    /// the position in their log where that is still to be read.
    pub position: u64,
    /// What was sent in steps that have not ended, by their number.
    pub sent: BTreeMap<usize, Vec<PageSend>>,
    /// The steps that answered a question, each with the step that it came of.
    pub answers: BTreeMap<usize, usize>,
    /// What the session held when the recording began.
    pub held: HeldState,
}

/// What the session held when its recording began: cookies and local storage,
/// which a session of its own has not.
#[derive(Clone, Default)]
pub struct HeldState(pub Option<Arc<Contents>>);

impl fmt::Debug for HeldState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(if self.0.is_some() { "HeldState(..)" } else { "HeldState(nothing)" })
    }
}

impl Recordings {
    /// Whether nothing is recorded anywhere.
    pub fn is_idle(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Begins to record `session` for `client`.
    ///
    /// # Errors
    /// `SKILL_RECORDING_RUNS`.
    pub fn start(
        &self,
        session: &str,
        client: &ClientId,
        position: u64,
        held: HeldState,
    ) -> Result<()> {
        let mut all = self.lock();
        if all.contains_key(session) {
            let message = format!("the session `{session}` is being recorded already");
            return Err(Error::new(Reason::SkillRecordingRuns, message));
        }
        let recording = Recording {
            client: client.clone(),
            begun: SystemTime::now(),
            steps: Vec::new(),
            lost: 0,
            secrets: Vec::new(),
            page: None,
            position,
            sent: BTreeMap::new(),
            answers: BTreeMap::new(),
            held,
        };
        all.insert(session.to_owned(), recording);
        self.count.store(all.len(), Ordering::Relaxed);
        Ok(())
    }

    /// Ends the recording of `session`, and answers it.
    ///
    /// # Errors
    /// `SKILL_RECORDING_MISSING`.
    pub fn stop(&self, session: &str) -> Result<Recording> {
        let mut all = self.lock();
        let recording = all.remove(session);
        self.count.store(all.len(), Ordering::Relaxed);
        recording.ok_or_else(|| missing(session))
    }

    /// The recording of `session` so far.
    ///
    /// # Errors
    /// `SKILL_RECORDING_MISSING`.
    pub fn read(&self, session: &Session) -> Result<Recording> {
        let mut all = self.lock();
        let recording = all.get_mut(session.name()).ok_or_else(|| missing(session.name()))?;
        recording.attribute(session.sends());
        Ok(recording.clone())
    }

    /// Changes the recording of `session`, while there is one for `client`.
    pub fn change<T>(
        &self,
        session: &str,
        client: &ClientId,
        change: impl FnOnce(&mut Recording) -> T,
    ) -> Option<T> {
        let mut all = self.lock();
        all.get_mut(session).filter(|recording| recording.client == *client).map(change)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Recording>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Recording {
    /// Gives what was sent so far to the step that began last.
    pub fn attribute(&mut self, sends: &Sends) {
        let (sent, position) = sends.since(self.position);
        self.position = position;
        let Some(last) = self.steps.len().checked_sub(1) else { return };
        let last = self.answers.get(&last).copied().unwrap_or(last);
        match &mut self.steps[last] {
            Some(step) => step.sent.extend(sent),
            None => self.sent.entry(last).or_default().extend(sent),
        }
    }

    /// The steps that have ended.
    pub fn ended(&self) -> Vec<&Step> {
        self.steps.iter().flatten().collect()
    }

    /// The step before `number` that led to `question` in `tab`; else the last one
    /// there that did something.
    pub fn asker(&mut self, number: usize, tab: u64, question: u64) -> Option<&mut Step> {
        let before = self.steps.get(..number)?;
        let of_tab = |step: &&Option<Step>| step.as_ref().is_some_and(|step| step.tab == tab);
        let asker = before.iter().rposition(|step| {
            of_tab(&step) && step.as_ref().is_some_and(|step| step.asked == Some(question))
        });
        let does = |step: &Step| {
            !matches!(step.role(), Role::Look | Role::Denied | Role::Read) && step.failed.is_none()
        };
        let last =
            || before.iter().rposition(|step| of_tab(&step) && step.as_ref().is_some_and(does));
        let at = asker.or_else(last)?;
        self.answers.insert(number, at);
        self.steps.get_mut(at)?.as_mut()
    }

    /// The number of a secret, which is remembered.
    pub fn secret(&mut self, text: &str) -> usize {
        let known = self.secrets.iter().position(|secret| secret.as_str() == text);
        known.unwrap_or_else(|| {
            self.secrets.push(Zeroizing::new(text.to_owned()));
            self.secrets.len() - 1
        })
    }
}

fn missing(session: &str) -> Error {
    let message = format!("the session `{session}` is not being recorded");
    Error::new(Reason::SkillRecordingMissing, message)
}
