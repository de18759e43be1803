//! Prints what came of the steps of `chain` and `batch`, and of the tabs of
//! `tab-each`.

use browse_proto::{
    Command,
    render::{self, Untrusted},
};
use serde_json::{Map, Value, json};

use crate::{
    failure::{Failure, Result},
    globals::Globals,
    parse::Invocation,
    print,
    request::PreparedRequest,
    save,
};

/// What a result is of.
enum ResultOrigin {
    /// The step with this number.
    Step(usize),
    /// The tab with this number: every tab ran the same step.
    Tab(u64),
}

/// One step and what came of it.
struct StepOutcome {
    origin: ResultOrigin,
    command: &'static Command,
    tab: Option<u64>,
    result: Result<Map<String, Value>>,
}

/// Prints the results of `request`. The steps of a chain after a failure did
/// not run; the exit code is that of the step that failed, and 1 for a batch.
pub fn print(
    request: &PreparedRequest,
    response: Map<String, Value>,
    untrusted: Option<&Untrusted>,
    globals: &Globals,
) -> Result<u8> {
    if !globals.json {
        let report = report(request, &response, untrusted, globals);
        print::enveloped(&report.text, untrusted)?;
        report.failures.iter().for_each(|failure| print::stderr(&failure.text()));
        return Ok(report.exit);
    }
    let outcomes = outcomes(request, &response, globals);
    let failed = failures(&outcomes);
    let stops = request.invocation.command.name == "chain";
    // What it quotes stands with its step.
    let first = failed.first().filter(|_| stops);
    let first = first.map(|(outcome, failure)| {
        with_step_number(outcome, failure).with_page_quotes(Vec::new(), None)
    });
    print::text(&document(&outcomes, first.as_ref(), untrusted))?;
    Ok(exit_code(&failed, stops))
}

/// What came of steps, as text.
pub struct StepsReport {
    /// What the steps answered, without the envelope.
    pub text: String,
    /// The steps that failed, each with its hint and its quotes in an envelope.
    pub failures: Vec<Failure>,
    /// The first of them: its index, and how it failed.
    pub first_failure: Option<(usize, Failure)>,
    /// The exit code.
    pub exit: u8,
}

/// What came of the steps of `request`, as text.
pub fn report(
    request: &PreparedRequest,
    response: &Map<String, Value>,
    untrusted: Option<&Untrusted>,
    globals: &Globals,
) -> StepsReport {
    let mut outcomes = outcomes(request, response, globals);
    // In a document the envelope stands around all steps.
    for failure in outcomes.iter_mut().filter_map(|outcome| outcome.result.as_mut().err()) {
        failure.untrusted = untrusted.cloned();
    }
    let failed = failures(&outcomes);
    let texts: Vec<_> = outcomes.iter().filter_map(outcome_text).collect();
    let failures = failed.iter().map(|(outcome, failure)| with_step_number(outcome, failure));
    let first_failure = outcomes
        .iter()
        .enumerate()
        .find_map(|(index, outcome)| Some((index, outcome.result.as_ref().err()?.clone())));
    StepsReport {
        first_failure,
        text: texts.join("\n"),
        failures: failures.collect(),
        exit: exit_code(&failed, request.invocation.command.name == "chain"),
    }
}

fn failures(outcomes: &[StepOutcome]) -> Vec<(&StepOutcome, &Failure)> {
    outcomes.iter().filter_map(|outcome| Some((outcome, outcome.result.as_ref().err()?))).collect()
}

fn exit_code(failed: &[(&StepOutcome, &Failure)], stops: bool) -> u8 {
    match failed.first() {
        None => 0,
        Some((_, failure)) if stops => failure.exit,
        Some(_) => 1,
    }
}

fn outcomes(
    request: &PreparedRequest,
    response: &Map<String, Value>,
    globals: &Globals,
) -> Vec<StepOutcome> {
    let command = request.invocation.command;
    let results = render::result(command, response);
    let results = results.as_array().map(Vec::as_slice).unwrap_or_default();
    match (command.inner_command_field(), request.steps.first()) {
        (Some(_), Some(step)) => {
            results.iter().map(|result| tab_outcome(step, result, globals)).collect()
        }
        _ => step_outcomes(&request.steps, results, globals),
    }
}

fn step_outcomes(steps: &[Invocation], results: &[Value], globals: &Globals) -> Vec<StepOutcome> {
    let pairs = steps.iter().zip(results).enumerate();
    let outcome = |(index, (step, result))| {
        outcome(ResultOrigin::Step(index + 1), step, None, result, globals)
    };
    pairs.map(outcome).collect()
}

/// What came of `step` in one of the tabs.
fn tab_outcome(step: &Invocation, result: &Value, globals: &Globals) -> StepOutcome {
    let tab = result.get("tab").and_then(Value::as_u64).unwrap_or_default();
    let path = step.path.as_deref().map(|path| save::path_for_tab(path, tab));
    outcome(ResultOrigin::Tab(tab), step, path, result, globals)
}

fn outcome(
    place: ResultOrigin,
    step: &Invocation,
    path: Option<String>,
    result: &Value,
    globals: &Globals,
) -> StepOutcome {
    let tab = result.get("tab").and_then(Value::as_u64);
    let result = match result.get("error") {
        Some(error) => Err(step_failure(error)),
        None => save_step(step, path, result.get("response"), globals),
    };
    StepOutcome { origin: place, command: step.command, tab, result }
}

/// The response of a step; what it saves is written now, to `path` or to the
/// path of the step.
fn save_step(
    step: &Invocation,
    path: Option<String>,
    response: Option<&Value>,
    globals: &Globals,
) -> Result<Map<String, Value>> {
    let mut response = response.and_then(Value::as_object).cloned().unwrap_or_default();
    if step.command.saves() {
        let path = path.or_else(|| step.path.clone());
        let step = Invocation { path, fields: step.fields.clone(), inner: None, ..*step };
        save::save_files(&step, globals, &mut response, &[])?;
    }
    Ok(response)
}

fn step_failure(error: &Value) -> Failure {
    let text = |name| error.get(name).and_then(Value::as_str).unwrap_or_default();
    let metadata = error.get("metadata").and_then(Value::as_object).into_iter().flatten();
    let metadata = metadata
        .filter_map(|(key, value)| Some((key.clone(), value.as_str()?.to_owned())))
        .collect();
    let failure = Failure::from_daemon(text("reason"), text("message").to_owned(), metadata)
        .with_page_quotes(render::quotes_of(error), None);
    match text("hint") {
        "" => failure,
        hint => failure.with_hint(hint),
    }
}

/// The failure of a step, which says which one it was.
fn with_step_number(outcome: &StepOutcome, failure: &Failure) -> Failure {
    let mut failure = failure.clone();
    let (key, number) = match outcome.origin {
        ResultOrigin::Step(number) => ("step", number as u64),
        ResultOrigin::Tab(tab) => ("tab", tab),
    };
    let name = outcome.command.name;
    failure.message = format!("{key} {number} (`{name}`): {}", failure.message);
    failure.with_value(key, number)
}

/// `2 url: https://example.com/`, or `tab 2: …`; more than one line begins on the next. A
/// step that prints nothing leaves no line.
fn outcome_text(outcome: &StepOutcome) -> Option<String> {
    let StepOutcome { origin: place, command, result, .. } = outcome;
    let response = result.as_ref().ok()?;
    let label = match place {
        ResultOrigin::Step(number) => format!("{number} {}", command.name),
        ResultOrigin::Tab(tab) => format!("tab {tab}"),
    };
    let text = match command.saves() {
        true => save::saved_line(command, response),
        false => render::text(command, response),
    };
    render::step_text(&label, &text)
}

/// One document: the steps, and for a chain the failure that ended it.
fn document(
    outcomes: &[StepOutcome],
    failure: Option<&Failure>,
    untrusted: Option<&Untrusted>,
) -> String {
    let entries = outcomes.iter().map(|outcome| {
        let StepOutcome { command, tab, result, .. } = outcome;
        let name = json!(command.name);
        let tab = tab.map(|tab| format!(r#""tab":{tab},"#)).unwrap_or_default();
        let came = match result {
            Ok(response) => format!(r#""result":{}"#, result_of(command, response)),
            Err(failure) => format!(r#""error":{}"#, failure.json()),
        };
        format!(r#"{{"command":{name},{tab}{came}}}"#)
    });
    let entries = format!("[{}]", entries.collect::<Vec<_>>().join(","));
    let document = render::document_json(&entries, untrusted);
    match failure {
        Some(failure) => format!(r#"{{"error":{},{}"#, failure.json(), &document[1..]),
        None => document,
    }
}

fn result_of(command: &Command, response: &Map<String, Value>) -> String {
    if !command.saves() {
        return render::result_json(command, response);
    }
    let fields = response.iter().filter(|(name, _)| *name != "@type");
    Value::Object(fields.map(|(name, value)| (name.clone(), value.clone())).collect()).to_string()
}
