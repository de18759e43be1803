//! The recordings of a daemon, one a session. They live in memory alone.

use std::collections::{BTreeMap, HashMap};
use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::SystemTime;

use browse_proto::{Reason, StepRole};
use zeroize::Zeroizing;

use super::{late_file::LateFile, step::RecordedStep};
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
    /// Of a recording that was made from a trace: the number there of the step in each place.
    pub trace_numbers: Vec<u32>,
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
            sends_position: position,
            initial_state: held,
            ..SkillRecording::new(client.clone(), SystemTime::now())
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
    /// One without steps.
    pub fn new(client: ClientId, started_at: SystemTime) -> Self {
        Self {
            client,
            started_at,
            steps: Vec::new(),
            dropped_steps: 0,
            secrets: Vec::new(),
            page: None,
            sends_position: 0,
            pending_sends: BTreeMap::new(),
            dialog_answers: BTreeMap::new(),
            initial_state: InitialState::default(),
            trace_numbers: Vec::new(),
        }
    }

    /// A place for a step that begins; none when the recording is full.
    pub fn add_place(&mut self) -> Option<usize> {
        if self.steps.len() >= MAX_STEPS {
            self.dropped_steps += 1;
            return None;
        }
        self.steps.push(None);
        Some(self.steps.len() - 1)
    }

    /// Gives what was sent so far to the step that began last.
    pub fn attribute_sends(&mut self, sends: &StateChangingRequestLog) {
        let (sent, position) = sends.since(self.sends_position);
        self.sends_position = position;
        self.add_sends(sent);
    }

    /// Gives what was sent to the step that began last.
    pub fn add_sends(&mut self, sent: Vec<StateChangingRequest>) {
        let Some(last) = self.steps.len().checked_sub(1) else { return };
        let last = self.dialog_answers.get(&last).copied().unwrap_or(last);
        match &mut self.steps[last] {
            Some(step) => step.page_sends.extend(sent),
            None => self.pending_sends.entry(last).or_default().extend(sent),
        }
    }

    /// Gives a file to the click before `number` that it came of.
    pub fn attach_file(&mut self, number: usize, file: &LateFile) {
        let earlier = self.steps.iter_mut().take(number).rev().flatten().next();
        let click = earlier.filter(|step| step.tab == file.tab && step.failure_reason.is_none());
        if let Some(click) = click {
            click.convert_to_download(file.answer.clone());
        }
    }

    /// Puts a step that has ended in its place. `question` is the one of the page that was open
    /// when it began: the answer to it belongs to the step that led to it.
    pub fn end_step(&mut self, number: usize, mut step: RecordedStep, question: Option<u64>) {
        step.page_sends = self.pending_sends.remove(&number).unwrap_or_default();
        let answered =
            question.filter(|_| step.is_dialog_answer() && step.failure_reason.is_none());
        if let Some(question) = answered
            && let Some(asker) = self.step_of_dialog(number, step.tab, question)
        {
            return asker.merge_dialog_answer(step);
        }
        if let Some(place) = self.steps.get_mut(number) {
            *place = Some(step);
        }
    }

    /// Forgets answers that are not the last ones.
    pub fn drop_old_answers(&mut self) {
        let answers = self.steps.iter_mut().flatten().rev().map(|step| &mut step.answer);
        for old in answers.filter(|answer| answer.is_some()).skip(MAX_READS) {
            *old = None;
        }
    }

    /// How the step at `place` among those that have ended is called: by its number in the trace,
    /// or else by its place from 1.
    pub fn step_number(&self, place: usize) -> usize {
        let numbered =
            self.steps.iter().zip(&self.trace_numbers).filter(|(step, _)| step.is_some());
        let number = numbered.map(|(_, number)| *number as usize).nth(place);
        number.unwrap_or(place + 1)
    }

    /// The steps that have ended.
    pub fn finished_steps(&self) -> Vec<&RecordedStep> {
        self.steps.iter().flatten().collect()
    }

    /// The step before `number` that led to `question` in `tab`; else the last one
    /// there that did something.
    fn step_of_dialog(
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
