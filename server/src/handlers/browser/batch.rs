//! Several commands in one call.

use std::collections::BTreeMap;

use browse_proto::{Command, Reason, Requires, v1};
use futures::{StreamExt as _, future::join_all, stream};
use prost_types::Any;

use crate::dispatch::{
    CallContext,
    dialog::{self, BlockingDialog},
    run_step, step_command,
};
use browse_base::{Error, Result};

/// Tabs that `tab-each` works in at a time.
const MAX_CONCURRENT_TABS: usize = 50;

/// Steps that a batch holds.
const MAX_STEPS: usize = 50;

/// Runs the steps in order, and stops at the first that fails.
pub async fn chain(cx: &CallContext, request: v1::ChainRequest) -> Result<v1::ChainResponse> {
    if request.steps.is_empty() {
        return Err(
            Error::new(Reason::BatchInvalid, "a chain holds a step at least").with("step", 1)
        );
    }
    let mut results = Vec::new();
    let mut open = None;
    for step in &request.steps {
        let result = match &open {
            Some(open) if !answers_question(step) => refused_step(cx, step, open),
            _ => run_batch_step(cx, step).await,
        };
        let failed = matches!(result.outcome, Some(v1::step_result::Outcome::Error(_)));
        open = open_question(cx, &result);
        results.push(result);
        if failed {
            break;
        }
    }
    Ok(v1::ChainResponse { results })
}

/// Runs the steps of one tab in order and those of different tabs in parallel.
/// An error ends only its own step.
pub async fn batch(cx: &CallContext, request: v1::BatchRequest) -> Result<v1::BatchResponse> {
    let count = request.steps.len();
    if !(1..=MAX_STEPS).contains(&count) {
        let message = format!("a batch holds 1 to {MAX_STEPS} steps, not {count}");
        return Err(Error::new(Reason::BatchInvalid, message).with("step", count));
    }
    let mut lanes: BTreeMap<Option<u64>, Vec<(usize, &v1::Step)>> = BTreeMap::new();
    for (index, step) in request.steps.iter().enumerate() {
        lanes.entry(step.tab.or(cx.requested_tab())).or_default().push((index, step));
    }
    let lanes = lanes.into_values().map(|lane| async move {
        let mut results = Vec::new();
        let mut open = None;
        for (index, step) in lane {
            let result = match &open {
                Some(open) if !answers_question(step) => refused_step(cx, step, open),
                _ => run_batch_step(cx, step).await,
            };
            open = open_question(cx, &result).or(open).filter(BlockingDialog::is_open);
            results.push((index, result));
        }
        results
    });
    let mut results: Vec<_> = join_all(lanes).await.into_iter().flatten().collect();
    results.sort_by_key(|(index, _)| *index);
    Ok(v1::BatchResponse { results: results.into_iter().map(|(_, result)| result).collect() })
}

/// Runs one command in every tab of the session that the caller may touch. An
/// error ends only its own tab.
pub async fn tab_each(
    cx: &CallContext,
    request: v1::TabEachRequest,
) -> Result<v1::TabEachResponse> {
    let inner = request.command.unwrap_or_default();
    match step_command(&inner) {
        Ok(command) if command.requires != Requires::Daemon => {}
        Err(error) if error.reason() != Reason::BatchInvalid => return Err(error),
        _ => {
            let (name, command) = request_name(&inner);
            let name = command.map_or(name, |command| command.name);
            let message = format!("`{name}` does not act on one tab");
            return Err(Error::new(Reason::TabCommandExpected, message).with("command", name));
        }
    }
    let mut steps = Vec::new();
    for tab in cx.session()?.tabs() {
        if cx.check_tab(&tab).is_ok() {
            let step = v1::Step { tab: Some(tab.id()), request: Some(inner.clone()) };
            steps.push(async move { run_batch_step(cx, &step).await });
        }
    }
    let results: Vec<_> = stream::iter(steps).buffered(MAX_CONCURRENT_TABS).collect().await;
    if results.is_empty() {
        return Err(Error::new(Reason::TabNotFound, "the session has no tab"));
    }
    Ok(v1::TabEachResponse { results })
}

/// The name of a request, and its command when there is one.
fn request_name(request: &Any) -> (&str, Option<&'static Command>) {
    let name = request.type_url.rsplit('.').next().unwrap_or_default();
    (name, Command::by_request(&format!("browse.v1.{name}")))
}

/// The question that is open in the tab of a step after it: the steps that come
/// next were meant for the page as it is without one.
fn open_question(cx: &CallContext, result: &v1::StepResult) -> Option<BlockingDialog> {
    let tab = cx.daemon().sessions().tab(result.tab?)?;
    let question = tab.page().open_dialog()?;
    Some(BlockingDialog { tab, dialog: question })
}

/// Whether a step answers a question.
fn answers_question(step: &v1::Step) -> bool {
    let name = step.request.as_ref().map(|request| request_name(request).0);
    matches!(name, Some("DialogAcceptRequest" | "DialogDismissRequest"))
}

/// The result of a step that was not run, because a question is open.
fn refused_step(cx: &CallContext, one: &v1::Step, open: &BlockingDialog) -> v1::StepResult {
    let empty = Any::default();
    let (name, command) = request_name(one.request.as_ref().unwrap_or(&empty));
    v1::StepResult {
        command: command.map_or(name, |command| command.name).to_owned(),
        tab: Some(open.tab.id()),
        outcome: Some(step_error(&dialog::blocked_error(cx, open))),
    }
}

fn step_error(error: &Error) -> v1::step_result::Outcome {
    v1::step_result::Outcome::Error(v1::StepError {
        reason: error.reason().name().to_owned(),
        message: error.to_string(),
        hint: error.hint(),
        metadata: error.metadata().clone().into_iter().collect(),
        page: error.page_quotes(),
    })
}

async fn run_batch_step(cx: &CallContext, one: &v1::Step) -> v1::StepResult {
    let empty = Any::default();
    let request = one.request.as_ref().unwrap_or(&empty);
    let (name, command) = request_name(request);
    let (tab, outcome) = run_step(cx, request, one.tab.or(cx.requested_tab())).await;
    let outcome = match outcome {
        Ok(answer) => v1::step_result::Outcome::Response(answer),
        Err(error) => step_error(&error),
    };
    v1::StepResult {
        command: command.map_or(name, |command| command.name).to_owned(),
        tab,
        outcome: Some(outcome),
    }
}
