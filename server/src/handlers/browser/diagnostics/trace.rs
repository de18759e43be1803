//! Traces of the browser.

use browse_proto::{Reason, v1};

use super::file_size;
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_policy::SessionRule;

/// What is recorded when the caller names nothing: what the performance panel
/// of the developer tools shows.
const DEFAULT_CATEGORIES: &[&str] = &[
    "blink.console",
    "blink.user_timing",
    "devtools.timeline",
    "disabled-by-default-devtools.timeline",
    "disabled-by-default-devtools.timeline.frame",
    "disabled-by-default-v8.cpu_profiler",
    "latencyInfo",
    "loading",
    "toplevel",
    "v8.execute",
];

/// Begins a trace.
pub async fn start_trace(
    cx: &CallContext,
    request: v1::StartTraceRequest,
) -> Result<v1::StartTraceResponse> {
    ensure_all_sessions(cx)?;
    // It tells of every tab.
    for session in cx.daemon().sessions().all() {
        cx.check_session_free(&session)?;
    }
    let named = request.categories.as_deref().map(|text| text.split(','));
    let named = named.into_iter().flatten().map(str::trim).filter(|name| !name.is_empty());
    let mut categories: Vec<String> = named.map(str::to_owned).collect();
    if categories.is_empty() {
        categories = DEFAULT_CATEGORIES.iter().map(|name| (*name).to_owned()).collect();
    }
    let browser = cx.own_browser().await?;
    if !browser.start_trace(&categories).await? {
        return Err(Error::new(Reason::RecordingRunning, "a trace is recorded already"));
    }
    Ok(v1::StartTraceResponse { categories })
}

/// Ends the trace and answers the file.
pub async fn stop_trace(
    cx: &CallContext,
    _: v1::StopTraceRequest,
) -> Result<v1::StopTraceResponse> {
    ensure_all_sessions(cx)?;
    let browser = cx.own_browser().await?;
    let trace = browser.stop_trace().await?;
    let trace =
        trace.ok_or_else(|| Error::new(Reason::RecordingNotRunning, "no trace is recorded"))?;
    let redact = move || {
        let text = String::from_utf8_lossy(&trace.json);
        (browse_secrets::redact(&text).into_owned().into_bytes(), trace.is_truncated)
    };
    let redacted = tokio::task::spawn_blocking(redact).await;
    let (trace, cut) = redacted.map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    let size = file_size(trace.len());
    Ok(v1::StopTraceResponse {
        trace,
        mime: "application/json".to_owned(),
        truncated: cut,
        note: if cut { format!("{size}; the end is cut off") } else { size },
    })
}

/// A trace tells of every tab, so that only a caller who may go into every
/// session gets one.
fn ensure_all_sessions(cx: &CallContext) -> Result<()> {
    match &cx.capability().session {
        SessionRule::Any => Ok(()),
        SessionRule::Only(own) => {
            let message = format!("a trace tells of every session, and the token is for `{own}`");
            Err(Error::new(Reason::SessionDenied, message))
        }
    }
}
