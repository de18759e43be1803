//! Begins, shows and ends recordings.

use std::sync::Arc;
use std::time::Duration;

use browse_proto::{Requires, StepRole, v1};
use tokio::time::timeout;

use crate::{
    dispatch::CallContext,
    handlers::browser::state,
    session_state::StateContents,
    skills::record::{
        InitialState, RecordedStep,
        slice::{StepDisposition, slice_steps},
        tabs,
    },
};
use browse_base::Result;
use browse_sessions::Session;

/// Time that finding out what the session holds may take.
const SESSION_STATE_TIMEOUT: Duration = Duration::from_secs(5);

/// Begins to record the session.
pub async fn start_skill_record(
    cx: &CallContext,
    _: v1::StartSkillRecordRequest,
) -> Result<v1::StartSkillRecordResponse> {
    let session = cx.session()?;
    let held = InitialState(session_state(cx, &session).await);
    let position = session.state_changing_requests().next_position();
    cx.daemon().skills().recordings().start(session.name(), cx.client(), position, held)?;
    Ok(v1::StartSkillRecordResponse { session: session.name().to_owned() })
}

/// What the session holds now, when that can be found out soon.
pub(super) async fn session_state(
    cx: &CallContext,
    session: &Session,
) -> Option<Arc<StateContents>> {
    session.context()?;
    cx.prepare_tab(Requires::Tab).await.ok()?;
    let gathered = timeout(SESSION_STATE_TIMEOUT, state::gather_state(cx)).await;
    let contents = gathered.ok()?.inspect_err(|error| tracing::debug!(%error, "not gathered"));
    contents.ok().filter(|contents| !contents.is_empty()).map(Arc::new)
}

/// Ends the recording of the session, and forgets it.
pub async fn stop_skill_record(
    cx: &CallContext,
    _: v1::StopSkillRecordRequest,
) -> Result<v1::StopSkillRecordResponse> {
    let recording = cx.daemon().skills().recordings().stop(cx.session()?.name())?;
    Ok(v1::StopSkillRecordResponse { steps: count(recording.finished_steps().len()) })
}

/// Shows what was recorded so far.
pub async fn show_skill_record(
    cx: &CallContext,
    _: v1::ShowSkillRecordRequest,
) -> Result<v1::ShowSkillRecordResponse> {
    let session = cx.session()?;
    let recording = cx.daemon().skills().recordings().read(&session)?;
    let steps = recording.finished_steps();
    let joined = tabs::merge_into_one_tab(&steps).ok();
    let shown: Vec<&RecordedStep> =
        joined.as_ref().map_or_else(|| steps.clone(), |all| all.iter().collect());
    let path = slice_steps(&shown, 1);
    let shown = shown.iter().enumerate().map(|(at, step)| path.rewritten.get(&at).unwrap_or(step));
    let shown: Vec<&RecordedStep> = shown.collect();
    let fates = path.dispositions;
    let mut lines =
        vec![format!("recording the session {}: {} steps", session.name(), steps.len())];
    lines.extend(
        (1..)
            .zip(shown.iter().zip(&fates))
            .map(|(number, (step, disposition))| step_line(number, step, *disposition)),
    );
    let kept = fates.iter().filter(|disposition| disposition.is_kept()).count();
    Ok(v1::ShowSkillRecordResponse {
        summary: lines.join("\n"),
        session: session.name().to_owned(),
        steps: count(steps.len()),
        kept: count(kept),
    })
}

/// The key of a `press`, unless it typed a letter.
fn pressed_key(step: &RecordedStep) -> &str {
    let key = step.fields.get("key").and_then(|key| key.as_str()).unwrap_or_default();
    if key.chars().nth(1).is_some() { key } else { "" }
}

/// One step; what was typed is not reported.
fn step_line(number: usize, step: &RecordedStep, disposition: StepDisposition) -> String {
    let about = match step.role() {
        _ if step.command.name == "press" => pressed_key(step),
        StepRole::Open => step.fields.get("url").and_then(|url| url.as_str()).unwrap_or_default(),
        _ => step.target(),
    };
    let about = browse_secrets::redact(about);
    let space = if about.is_empty() { "" } else { " " };
    let why = step.unrepeatable_reason.as_ref().filter(|_| disposition == StepDisposition::Kept);
    let mut why = why.map_or_else(
        || disposition.description().to_owned(),
        |why| format!("cannot be repeated: {why}"),
    );
    if let Some(sent) = step.page_sends.first().filter(|_| disposition.is_kept()) {
        why.push_str(&format!("; sends {sent}"));
    }
    let answers: Vec<_> = step.dialog_answers.iter().map(|answer| answer.command.name).collect();
    let answers = match answers.as_slice() {
        [] => String::new(),
        some => format!(", after {}", some.join(", ")),
    };
    format!("{number} {}{space}{about}{answers} ({why})", step.command.name)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
