//! The recordings of a daemon, one a session. They live in memory alone.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use browse_proto::{Reason, StepRole};
use zeroize::Zeroizing;

use super::step::RecordedStep;
use crate::session_state::StateContents;
use browse_base::{Error, Result};
use browse_policy::ClientId;
use browse_sessions::{Session, StateChangingRequest, StateChangingRequestLog};

/// Steps that a recording takes; a flow of more is not a flow.
pub const MAX_STEPS: usize = 1000;

/// Reads whose answers a recording keeps, the last ones: a result has no more.
pub const MAX_READS: usize = 20;

/// What is recorded in each session.
#[derive(Default)]
pub struct Recordings {
    /// How many there are, so that calls of a daemon that records nothing pay
    /// nothing.
    count: AtomicUsize,
    all: Mutex<HashMap<String, SkillRecording>>,
}

/// What a session did since its recording began.
#[derive(Clone, Debug)]
pub struct SkillRecording {
    /// Whose calls are recorded.
    pub client: ClientId,
    /// When it began.
    pub started_at: SystemTime,
    /// In the order in which they began. A place is empty until its step ended.
    pub steps: Vec<Option<RecordedStep>>,
    /// Steps that found no place.
    pub dropped_steps: usize,
    /// What was typed into secret fields. It is looked for in all that is kept.
    pub secrets: Vec<Zeroizing<String>>,
    /// The page as it was when it was last read.
    pub page: Option<String>,
    /// What the pages of the session sent since the step began that began last:
    /// the position in their log where that is still to be read.
    pub sends_position: u64,
    /// What was sent in steps that have not ended, by their number.
    pub pending_sends: BTreeMap<usize, Vec<StateChangingRequest>>,
    /// The steps that answered a question, each with the step that it came of.
    pub dialog_answers: BTreeMap<usize, usize>,
    /// What the session held when the recording began.
    pub initial_state: InitialState,
}

/// What the session held when its recording began: cookies and local storage,
/// which a session of its own has not.
#[derive(Clone, Default)]
pub struct InitialState(pub Option<Arc<StateContents>>);

impl fmt::Debug for InitialState {
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
        held: InitialState,
    ) -> Result<()> {
        let mut all = self.lock();
        if all.contains_key(session) {
            let message = format!("the session `{session}` is being recorded already");
            return Err(Error::new(Reason::SkillRecordingRuns, message));
        }
        let recording = SkillRecording {
            client: client.clone(),
            started_at: SystemTime::now(),
            steps: Vec::new(),
            dropped_steps: 0,
            secrets: Vec::new(),
            page: None,
            sends_position: position,
            pending_sends: BTreeMap::new(),
            dialog_answers: BTreeMap::new(),
            initial_state: held,
        };
        all.insert(session.to_owned(), recording);
        self.count.store(all.len(), Ordering::Relaxed);
        Ok(())
    }

    /// Ends the recording of `session`, and answers it.
    ///
    /// # Errors
    /// `SKILL_RECORDING_MISSING`.
    pub fn stop(&self, session: &str) -> Result<SkillRecording> {
        let mut all = self.lock();
        let recording = all.remove(session);
        self.count.store(all.len(), Ordering::Relaxed);
        recording.ok_or_else(|| missing(session))
    }

    /// The recording of `session` so far.
    ///
    /// # Errors
    /// `SKILL_RECORDING_MISSING`.
    pub fn read(&self, session: &Session) -> Result<SkillRecording> {
        let mut all = self.lock();
        let recording = all.get_mut(session.name()).ok_or_else(|| missing(session.name()))?;
        recording.attribute_sends(session.state_changing_requests());
        Ok(recording.clone())
    }

    /// Changes the recording of `session`, while there is one for `client`.
    pub fn update<T>(
        &self,
        session: &str,
        client: &ClientId,
        change: impl FnOnce(&mut SkillRecording) -> T,
    ) -> Option<T> {
        let mut all = self.lock();
        all.get_mut(session).filter(|recording| recording.client == *client).map(change)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, SkillRecording>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SkillRecording {
    /// Gives what was sent so far to the step that began last.
    pub fn attribute_sends(&mut self, sends: &StateChangingRequestLog) {
        let (sent, position) = sends.since(self.sends_position);
        self.sends_position = position;
        let Some(last) = self.steps.len().checked_sub(1) else { return };
        let last = self.dialog_answers.get(&last).copied().unwrap_or(last);
        match &mut self.steps[last] {
            Some(step) => step.page_sends.extend(sent),
            None => self.pending_sends.entry(last).or_default().extend(sent),
        }
    }

    /// The steps that have ended.
    pub fn finished_steps(&self) -> Vec<&RecordedStep> {
        self.steps.iter().flatten().collect()
    }

    /// The step before `number` that led to `question` in `tab`; else the last one
    /// there that did something.
    pub fn step_of_dialog(
        &mut self,
        number: usize,
        tab: u64,
        question: u64,
    ) -> Option<&mut RecordedStep> {
        let before = self.steps.get(..number)?;
        let of_tab =
            |step: &&Option<RecordedStep>| step.as_ref().is_some_and(|step| step.tab == tab);
        let asker = before.iter().rposition(|step| {
            of_tab(&step) && step.as_ref().is_some_and(|step| step.opened_dialog == Some(question))
        });
        let does = |step: &RecordedStep| {
            !matches!(step.role(), StepRole::Inspect | StepRole::Denied | StepRole::Read)
                && step.failure_reason.is_none()
        };
        let last =
            || before.iter().rposition(|step| of_tab(&step) && step.as_ref().is_some_and(does));
        let at = asker.or_else(last)?;
        self.dialog_answers.insert(number, at);
        self.steps.get_mut(at)?.as_mut()
    }

    /// What was typed into secret fields.
    pub fn secret_texts(&self) -> Vec<String> {
        self.secrets.iter().map(|secret| secret.to_string()).collect()
    }

    /// The number of a secret, which is remembered.
    pub fn secret_number(&mut self, text: &str) -> usize {
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
