//! Begins, shows and ends recordings.

use std::sync::Arc;
use std::time::Duration;

use browse_proto::{Reach, v1};
use tokio::time::timeout;

use super::path::{Fate, path};
use super::recordings::HeldState;
use super::step::{Role, Step};
use super::tabs;
use crate::browser::state::{self, Contents};
use crate::dispatch::Context;
use crate::error::Result;
use crate::sessions::Session;

/// Time that finding out what the session holds may take.
const GATHERING: Duration = Duration::from_secs(5);

/// Begins to record the session.
pub async fn start_skill_record(
    cx: &Context,
    _: v1::StartSkillRecordRequest,
) -> Result<v1::StartSkillRecordResponse> {
    let session = cx.session()?;
    let held = HeldState(held(cx, &session).await);
    let position = session.sends().position();
    cx.daemon().skills().recordings().start(session.name(), cx.client(), position, held)?;
    Ok(v1::StartSkillRecordResponse { session: session.name().to_owned() })
}

/// What the session holds already, when that can be found out soon.
async fn held(cx: &Context, session: &Session) -> Option<Arc<Contents>> {
    session.context()?;
    cx.enter(Reach::Tab).await.ok()?;
    let gathered = timeout(GATHERING, state::gather(cx)).await;
    let contents = gathered.ok()?.inspect_err(|error| tracing::debug!(%error, "not gathered"));
    contents.ok().filter(|contents| !contents.is_empty()).map(Arc::new)
}

/// Ends the recording of the session, and forgets it.
pub async fn stop_skill_record(
    cx: &Context,
    _: v1::StopSkillRecordRequest,
) -> Result<v1::StopSkillRecordResponse> {
    let recording = cx.daemon().skills().recordings().stop(cx.session()?.name())?;
    Ok(v1::StopSkillRecordResponse { steps: count(recording.ended().len()) })
}

/// Shows what was recorded so far.
pub async fn show_skill_record(
    cx: &Context,
    _: v1::ShowSkillRecordRequest,
) -> Result<v1::ShowSkillRecordResponse> {
    let session = cx.session()?;
    let recording = cx.daemon().skills().recordings().read(&session)?;
    let steps = recording.ended();
    let joined = tabs::of_one(&steps).ok();
    let shown: Vec<&Step> =
        joined.as_ref().map_or_else(|| steps.clone(), |all| all.iter().collect());
    let path = path(&shown, 1);
    let shown = shown.iter().enumerate().map(|(at, step)| path.rewritten.get(&at).unwrap_or(step));
    let shown: Vec<&Step> = shown.collect();
    let fates = path.fates;
    let mut lines =
        vec![format!("recording the session {}: {} steps", session.name(), steps.len())];
    lines.extend(
        (1..).zip(shown.iter().zip(&fates)).map(|(number, (step, fate))| line(number, step, *fate)),
    );
    let kept = fates.iter().filter(|fate| fate.is_kept()).count();
    Ok(v1::ShowSkillRecordResponse {
        summary: lines.join("\n"),
        session: session.name().to_owned(),
        steps: count(steps.len()),
        kept: count(kept),
    })
}

/// One step; what was typed is not told.
fn line(number: usize, step: &Step, fate: Fate) -> String {
    let about = match step.role() {
        Role::Open => step.fields.get("url").and_then(|url| url.as_str()).unwrap_or_default(),
        _ => step.target(),
    };
    let about = crate::secrets::redact(about);
    let space = if about.is_empty() { "" } else { " " };
    let why = step.unfit.as_ref().filter(|_| fate == Fate::Kept);
    let mut why =
        why.map_or_else(|| fate.words().to_owned(), |why| format!("cannot be repeated: {why}"));
    if let Some(sent) = step.sent.first().filter(|_| fate.is_kept()) {
        why.push_str(&format!("; sends {sent}"));
    }
    let answers: Vec<_> = step.dialogs.iter().map(|answer| answer.command.name).collect();
    let answers = match answers.as_slice() {
        [] => String::new(),
        some => format!(", after {}", some.join(", ")),
    };
    format!("{number} {}{space}{about}{answers} ({why})", step.command.name)
}

fn count(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}
