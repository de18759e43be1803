//! Traces of steps: begins, ends, lists, shows and writes them.

use std::fmt::Write as _;

use browse_proto::{Reason, Scope, v1};
use browse_traces::{
    ResourceName, TraceFile, TraceHeader, TraceStore, TraceSummary, TracedStep, format_time,
};
use serde_json::Value;

use super::file_size;
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_policy::TabPolicy;

/// Begins to record the steps of the session.
pub async fn start_step_trace(
    cx: &CallContext,
    _: v1::StartStepTraceRequest,
) -> Result<v1::StartStepTraceResponse> {
    let session = cx.session()?;
    cx.check_session_free(&session)?;
    let browser = cx.browser().await?.info().product.clone();
    let name = session.name().to_owned();
    let writer = read(cx, move |store| store.start(&name, &browser)).await?;
    let header = writer.header();
    Ok(v1::StartStepTraceResponse { id: header.id, session: header.session.clone() })
}

/// Ends the recording and answers the file.
pub async fn stop_step_trace(
    cx: &CallContext,
    request: v1::StopStepTraceRequest,
) -> Result<v1::StopStepTraceResponse> {
    let session = cx.session_name();
    if let Some(running) = cx.daemon().traces().recording(&session) {
        check_visible(cx, running.header())?;
    }
    let id = cx.daemon().traces().stop(&session)?;
    let saved = v1::SaveTraceRequest { id, format: request.format };
    let v1::SaveTraceResponse { trace, mime, note } = save_trace(cx, saved).await?;
    Ok(v1::StopStepTraceResponse { trace, mime, id, note: format!("trace {id}, {note}") })
}

/// Lists the traces that the caller may see.
pub async fn list_traces(
    cx: &CallContext,
    _: v1::ListTracesRequest,
) -> Result<v1::ListTracesResponse> {
    let traces = read(cx, |store| Ok(store.list())).await?;
    let seen = traces.into_iter().filter(|trace| check_visible(cx, &trace.header).is_ok());
    Ok(v1::ListTracesResponse { traces: seen.map(info).collect() })
}

/// Lists the steps of a trace.
pub async fn show_trace(
    cx: &CallContext,
    request: v1::ShowTraceRequest,
) -> Result<v1::ShowTraceResponse> {
    let id = request.id;
    let steps = read_steps(cx, id).await?;
    let search = request.search.as_deref().unwrap_or_default();
    let wanted = |step: &&TracedStep| {
        (!request.failed || step.is_failed()) && (search.is_empty() || step.contains(search))
    };
    Ok(v1::ShowTraceResponse { steps: steps.iter().filter(wanted).map(trace_step).collect() })
}

/// Shows one step.
pub async fn show_step(
    cx: &CallContext,
    request: v1::ShowStepRequest,
) -> Result<v1::ShowStepResponse> {
    let v1::ShowStepRequest { id, step } = request;
    let (step, snapshot) = read_visible_trace(cx, id, move |store| {
        let step = store.step(id, step)?;
        let name = step.after.as_ref().and_then(|state| state.snapshot.clone());
        let snapshot = name.and_then(|name| store.resource(id, &name)).unwrap_or_default();
        Ok((step, String::from_utf8_lossy(&snapshot).into_owned()))
    })
    .await?;
    let console = step.console.iter().map(|line| v1::ConsoleMessage {
        time_ms: line.time_ms,
        level: line.level.clone(),
        text: line.text.clone(),
        location: line.location.clone(),
    });
    let requests = step.requests.iter().zip(1..).map(|(request, id)| v1::NetworkEntry {
        id,
        method: request.method.clone(),
        url: request.url.clone(),
        r#type: request.kind.clone(),
        status: request.status,
        size: request.size,
        duration_ms: request.duration_ms,
        failure: Some(request.failure.clone()).filter(|text| !text.is_empty()),
        time_ms: request.time_ms,
        mime: Some(request.mime.clone()).filter(|text| !text.is_empty()),
    });
    Ok(v1::ShowStepResponse {
        step: Some(trace_step(&step)),
        text: step_text(&step, &snapshot),
        console: console.collect(),
        requests: requests.collect(),
        snapshot,
    })
}

/// Answers the picture of the page after a step.
pub async fn trace_picture(
    cx: &CallContext,
    request: v1::TracePictureRequest,
) -> Result<v1::TracePictureResponse> {
    let v1::TracePictureRequest { id, step: number } = request;
    let image = read_visible_trace(cx, id, move |store| {
        let step = store.step(id, number)?;
        let name: Option<ResourceName> = step.after.and_then(|state| state.picture);
        name.and_then(|name| store.resource(id, &name)).ok_or_else(|| {
            let message = format!("step {number} of trace {id} has no picture");
            Error::new(Reason::TraceNotFound, message).with("trace", id).with("step", number)
        })
    })
    .await?;
    Ok(v1::TracePictureResponse { image, mime: "image/jpeg".to_owned() })
}

/// Answers a trace as a file.
pub async fn save_trace(
    cx: &CallContext,
    request: v1::SaveTraceRequest,
) -> Result<v1::SaveTraceResponse> {
    let kind = match request.format() {
        v1::StepTraceFormat::Har => TraceFile::Har,
        v1::StepTraceFormat::Unspecified | v1::StepTraceFormat::Zip => TraceFile::PlaywrightZip,
    };
    let steps = read_steps(cx, request.id).await?.len();
    let trace = read(cx, move |store| store.export(request.id, kind)).await?;
    let note = format!("{steps} steps, {}", file_size(trace.len()));
    Ok(v1::SaveTraceResponse { trace, mime: kind.mime().to_owned(), note })
}

/// Removes traces.
pub async fn remove_trace(
    cx: &CallContext,
    request: v1::RemoveTraceRequest,
) -> Result<v1::RemoveTraceResponse> {
    let ids = match request.id {
        Some(id) => {
            check_visible(cx, &read(cx, move |store| store.header(id)).await?)?;
            vec![id]
        }
        None if request.all => {
            let traces = read(cx, |store| Ok(store.list())).await?;
            let own = |trace: &&TraceSummary| {
                !trace.is_recording && check_visible(cx, &trace.header).is_ok()
            };
            traces.iter().filter(own).map(|trace| trace.header.id).collect()
        }
        None => {
            let message = "which trace? Give its number, or `--all`";
            return Err(
                Error::new(Reason::ArgumentInvalid, message).with("command", "trace remove")
            );
        }
    };
    let removed = u32::try_from(ids.len()).unwrap_or(u32::MAX);
    read(cx, move |store| ids.into_iter().try_for_each(|id| store.remove(id))).await?;
    Ok(v1::RemoveTraceResponse { removed })
}

/// Reads files of traces, beside the runtime.
async fn read<T: Send + 'static>(
    cx: &CallContext,
    work: impl FnOnce(&TraceStore) -> Result<T> + Send + 'static,
) -> Result<T> {
    let daemon = std::sync::Arc::clone(cx.daemon());
    let done = tokio::task::spawn_blocking(move || work(daemon.traces())).await;
    done.map_err(|error| Error::new(Reason::Bug, error.to_string()))?
}

/// Reads the trace `id`, which the caller has to be allowed to see.
///
/// # Errors
/// `TRACE_NOT_FOUND`, and what the token does not allow.
pub async fn read_visible_trace<T: Send + 'static>(
    cx: &CallContext,
    id: u64,
    work: impl FnOnce(&TraceStore) -> Result<T> + Send + 'static,
) -> Result<T> {
    check_visible(cx, &read(cx, move |store| store.header(id)).await?)?;
    read(cx, work).await
}

async fn read_steps(cx: &CallContext, id: u64) -> Result<Vec<TracedStep>> {
    read_visible_trace(cx, id, move |store| store.steps(id)).await
}

/// A trace holds the pages of all tabs of its session, and of all hosts that it went to.
fn check_visible(cx: &CallContext, header: &TraceHeader) -> Result<()> {
    let capability = cx.capability();
    if !capability.scopes.allows(Scope::Read) {
        let message = "a trace holds pages, and the token has no scope `read`";
        return Err(Error::new(Reason::ScopeDenied, message).with("required", "read"));
    }
    if capability.tabs != TabPolicy::Session {
        let message = "a trace holds the tabs of others in its session";
        return Err(Error::new(Reason::SessionDenied, message));
    }
    if !capability.session.covers(&header.session) {
        let message = format!("the token is not good for the session `{}`", header.session);
        return Err(Error::new(Reason::SessionDenied, message));
    }
    match capability.hosts().is_any() {
        true => Ok(()),
        false => {
            let message = "a trace shows every host that its session went to";
            Err(Error::new(Reason::HostDenied, message))
        }
    }
}

fn info(trace: TraceSummary) -> v1::TraceInfo {
    v1::TraceInfo {
        id: trace.header.id,
        session: trace.header.session,
        state: if trace.is_recording { "recording" } else { "ended" }.to_owned(),
        started: format_time(trace.header.started_ms),
        steps: trace.steps,
        failed: trace.failed,
        bytes: trace.bytes,
    }
}

fn trace_step(step: &TracedStep) -> v1::TraceStep {
    v1::TraceStep {
        number: step.number,
        time: format_time(step.time_ms),
        duration_ms: step.duration_ms,
        client: step.client.clone(),
        command: step.command.clone(),
        arguments: match step.arguments.is_empty() {
            true => String::new(),
            false => Value::Object(step.arguments.clone()).to_string(),
        },
        element: step.element.clone(),
        tab: step.tab,
        url: step.url.clone(),
        outcome: step.outcome.clone(),
        error: step.error.clone(),
        findings: step.findings.clone(),
        has_before: step.before.is_some(),
        has_after: step.after.is_some(),
        has_picture: step.after.as_ref().is_some_and(|state| state.picture.is_some()),
    }
}

/// A step as a person reads it.
fn step_text(step: &TracedStep, snapshot: &str) -> String {
    let short = trace_step(step);
    let mut text = format!(
        "{} {} {} {} ms\nclient: {}\n",
        step.number, step.command, step.outcome, step.duration_ms, step.client
    );
    let parts = [
        ("arguments", &short.arguments),
        ("element", &step.element),
        ("page", &step.url),
        ("error", &step.error),
    ];
    for (name, part) in parts.into_iter().filter(|(_, part)| !part.is_empty()) {
        let _ = writeln!(text, "{name}: {part}");
    }
    for line in &step.console {
        let _ = writeln!(text, "console {}: {}", line.level, line.text);
    }
    for request in &step.requests {
        let status =
            request.status.map_or_else(|| request.failure.clone(), |status| status.to_string());
        let _ = writeln!(text, "request {} {} {status}", request.method, request.url);
    }
    if !snapshot.is_empty() {
        let _ = write!(text, "\n{snapshot}");
    }
    text.truncate(text.trim_end().len());
    text
}
