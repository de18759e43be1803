//! What a skill is made from: the recording of the session, or steps of a trace.

use std::sync::Arc;

use browse_proto::{Reason, v1};

use super::recording;
use crate::{
    dispatch::CallContext,
    handlers::browser::diagnostics,
    session_state::StateContents,
    skills::record::{SkillRecording, StepRanges},
};
use browse_base::{Error, HINT_KEY, Result};
use browse_sessions::Session;

/// A recording, and the session that it was made in.
pub struct RecordingSource {
    /// What was recorded.
    pub recording: SkillRecording,
    /// The session, while there is one.
    pub session: Option<Arc<Session>>,
    /// What the session held when the recording began; for a trace what it holds now.
    pub held: Option<Arc<StateContents>>,
    /// The number of the trace.
    trace: Option<u64>,
}

impl RecordingSource {
    /// Finds what the request names.
    ///
    /// # Errors
    /// `SKILL_RECORDING_MISSING`; `ARGUMENT_INVALID`; those of reading a trace, and of a step that
    /// was not kept.
    pub async fn find(cx: &CallContext, request: &v1::SaveSkillRecordRequest) -> Result<Self> {
        match (request.trace, request.steps.as_deref()) {
            (Some(trace), steps) => {
                let chosen = steps.map(str::parse::<StepRanges>).transpose()?;
                let wants_state = request.replay() != v1::SkillReplay::None;
                Self::from_trace(cx, trace, chosen, wants_state).await
            }
            (None, Some(_)) => {
                let message = "`--steps` chooses steps of a trace, and there is no `--trace`";
                Err(Error::new(Reason::ArgumentInvalid, message)
                    .with("command", "skill record save")
                    .with(HINT_KEY, "Add the number of the trace: `browse trace list` has it"))
            }
            (None, None) => {
                let session = cx.session()?;
                let recording = cx.daemon().skills().recordings().read(&session)?;
                let held = recording.initial_state.0.clone();
                Ok(Self { recording, session: Some(session), held, trace: None })
            }
        }
    }

    async fn from_trace(
        cx: &CallContext,
        trace: u64,
        chosen: Option<StepRanges>,
        wants_state: bool,
    ) -> Result<Self> {
        let client = cx.client().clone();
        let (name, recording) = diagnostics::read_visible_trace(cx, trace, move |store| {
            let recording = SkillRecording::from_trace(store, trace, chosen.as_ref(), &client)?;
            Ok((store.header(trace)?.session, recording))
        })
        .await?;
        let session = cx.daemon().sessions().get(&name);
        let own = session.as_ref().filter(|session| {
            wants_state
                && name == cx.session_name()
                && !session.tabs().is_empty()
                && cx.check_session_free(session).is_ok()
        });
        let held = match own {
            Some(session) => recording::session_state(cx, session).await,
            None => None,
        };
        Ok(Self { recording, session, held, trace: Some(trace) })
    }

    /// Adds to an error what to do next, where that is not the same for a recording and a trace.
    pub fn complete_error(&self, error: Error) -> Error {
        let Some(trace) = self.trace else { return error };
        let steps = format!("`browse trace show {trace}` lists the steps");
        let hint = match error.reason() {
            Reason::SkillRecordingUnfit => format!("Leave the step out with `--steps`: {steps}"),
            Reason::SkillRecordingEmpty => {
                format!("Choose steps that end with a read, such as `text`: {steps}")
            }
            Reason::SkillRecordingArgument => format!("Compare it with the steps: {steps}"),
            Reason::SkillRecordingSecret => {
                "A trace keeps no secrets of addresses and selectors: record the flow with `browse \
                 skill record start`, then name the secret with `--arg`"
                    .to_owned()
            }
            Reason::SkillReplayFailed => format!(
                "Leave steps out with `--steps` ({steps}); add `--user-session` when the page \
                 needs the sign-in of this session, or `--replay none` to write it without a replay"
            ),
            _ => return error,
        };
        error.with_default(HINT_KEY, hint)
    }
}
