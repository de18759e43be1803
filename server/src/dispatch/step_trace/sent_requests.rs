//! What the pages of a traced session sent between two steps: a recording gives it to the first of
//! them.

use std::time::{Duration, SystemTime};

use browse_base::now_ms;
use browse_proto::StepRole;
use browse_sessions::StateChangingRequest;
use browse_traces::{LogPosition, TraceWriter};

use crate::dispatch::CallContext;

/// What was sent since the last step of a skill began, when this call is one. Nothing of a time in
/// which a person had the session.
pub(super) fn take_sent(cx: &CallContext, writer: &TraceWriter) -> Vec<StateChangingRequest> {
    let Some(session) = cx.existing_session() else { return Vec::new() };
    let log = session.state_changing_requests();
    writer.update_log_position(|known| {
        let from = (*known).filter(|from| !is_held(cx, session.name(), from.time_ms));
        if cx.command().step_role == StepRole::Inspect {
            *known = from;
            return Vec::new();
        }
        let (sent, position) = match from {
            Some(from) => log.since(from.position),
            None => (Vec::new(), log.next_position()),
        };
        *known = Some(LogPosition { position, time_ms: now_ms() });
        sent
    })
}

/// Whether a person has a session, in a dashboard or in a window, or has had it since `since_ms`.
pub(super) fn is_held(cx: &CallContext, session: &str, since_ms: u64) -> bool {
    let was_held = cx.daemon().sessions().get(session).is_some_and(|session| {
        let since = SystemTime::UNIX_EPOCH + Duration::from_millis(since_ms);
        session.control().was_held_since(since)
    });
    let window = cx.daemon().windows().get(session);
    was_held || window.is_some_and(|window| window.purpose().handoff.is_some())
}
