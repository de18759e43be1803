//! Approvals in the client: the user is shown an act that the daemon refused, and can allow
//! it once.
//!
//! Until 2025-11-25 the server asks by `elicitation/create` during the call. Since
//! 2026-07-28 it returns what it needs as the result (SEP-2322), and the client repeats the
//! call with the answer and the request state. The state names a suspended call that is
//! kept here: it is random, good once, and only for the same call.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use browse_cli::{
    Failure,
    embed::{CallerContext, EmbeddedCall, EmbeddedClient},
};
use browse_proto::Reason;
use rmcp::{
    Peer, RoleServer,
    model::{
        CallToolRequestParams, ElicitRequest, ElicitRequestParams, ElicitResult, ElicitationAction,
        InputRequest, InputRequiredResult, InputResponses, ProtocolVersion,
    },
    service::RequestContext,
};
use serde_json::{Map, Value, json};

use crate::{schema::command, tool_call::SuspendedCall};

/// Time that the user has to answer.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(5 * 60);

/// Calls that wait for an answer at a time; the oldest are dropped.
const MAX_SUSPENDED: usize = 100;

/// The key of the question in `inputRequests`, and of the field that allows.
const QUESTION: &str = "approval";
const ALLOW_FIELD: &str = "allow_once";

/// How the client of a call can ask its user.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ApprovalWay {
    /// Not at all: the user runs `browse approve`.
    Terminal,
    /// By a request during the call.
    Elicitation,
    /// By a result that asks for input.
    InputRequired,
}

impl ApprovalWay {
    /// The way of the client of `context`.
    pub fn of(context: &RequestContext<RoleServer>) -> Self {
        let elicitation = context.client_capabilities().and_then(|client| client.elicitation);
        // A client that names no form means forms.
        if elicitation.is_none_or(|modes| modes.form.is_none() && modes.url.is_some()) {
            return Self::Terminal;
        }
        match context.protocol_version() {
            Some(version) if version >= ProtocolVersion::V_2026_07_28 => Self::InputRequired,
            _ => Self::Elicitation,
        }
    }
}

/// Asks the user by `elicitation/create`. A client that cannot ask has not allowed it.
pub async fn elicit(peer: &Peer<RoleServer>, question: &str) -> bool {
    let Some(params) = elicitation(question) else { return false };
    let answer = peer.create_elicitation_with_timeout(params, Some(ANSWER_TIMEOUT)).await;
    answer.is_ok_and(|answer| is_allowed(&answer))
}

/// Calls that wait for the answer of a user.
#[derive(Default)]
pub struct SuspendedCalls(Mutex<HashMap<String, Entry>>);

struct Entry {
    since: Instant,
    /// The call that the answer is for.
    name: String,
    arguments: Option<Map<String, Value>>,
    call: Box<SuspendedCall>,
}

impl SuspendedCalls {
    /// Keeps `call`, which `request` made; the result that asks the user.
    ///
    /// # Errors
    /// The call, when the question cannot be put.
    pub fn keep(
        &self,
        request: &CallToolRequestParams,
        call: Box<SuspendedCall>,
        question: &str,
    ) -> Result<InputRequiredResult, Box<SuspendedCall>> {
        let Some(question) = elicitation(question).map(ElicitRequest::new) else {
            return Err(call);
        };
        let state: [u8; 16] = rand::random();
        let state: String = state.iter().map(|byte| format!("{byte:02x}")).collect();
        let entry = Entry {
            since: Instant::now(),
            name: request.name.to_string(),
            arguments: request.arguments.clone(),
            call,
        };
        let mut kept = self.lock();
        if kept.len() >= MAX_SUSPENDED {
            let oldest = kept.iter().min_by_key(|(_, entry)| entry.since);
            if let Some(oldest) = oldest.map(|(state, _)| state.clone()) {
                kept.remove(&oldest);
            }
        }
        kept.insert(state.clone(), entry);
        let questions =
            BTreeMap::from([(QUESTION.to_owned(), InputRequest::Elicitation(question))]);
        Ok(InputRequiredResult::new(Some(questions), Some(state)))
    }

    /// The call that `request` goes on with, and whether the user allowed what it waits for.
    /// The state is used up.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID` for a state that was not given out for this call, was used, or is
    /// too old.
    pub fn take(
        &self,
        request: &CallToolRequestParams,
        state: &str,
    ) -> Result<(Box<SuspendedCall>, bool), Failure> {
        let refused = |what: &str| {
            Err(Failure::new(Reason::ArgumentInvalid, format!("the request state {what}"))
                .with_hint("Make the call again without `requestState`"))
        };
        let Some(entry) = self.lock().remove(state) else {
            return refused("is not known: it was used, is too old, or is of another server");
        };
        if entry.name != request.name || entry.arguments != request.arguments {
            return refused("was given out for another call");
        }
        let is_allowed = request.input_responses.as_ref().is_some_and(answered);
        Ok((entry.call, is_allowed))
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Entry>> {
        let mut kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.retain(|_, entry| entry.since.elapsed() < ANSWER_TIMEOUT);
        kept
    }
}

/// The question for the user: what waits under `id`, as the daemon describes it.
pub async fn question(client: &EmbeddedClient, id: &str, failure: &Failure) -> String {
    let waiting = match EmbeddedCall::new(command("approve"), Map::new()) {
        Ok(call) => client.call_for_data(&call, CallerContext::default()).await.ok(),
        Err(_) => None,
    };
    let waiting = waiting.and_then(|answer| answer.response.get("approvals").cloned());
    let waiting = waiting.as_ref().and_then(Value::as_array).into_iter().flatten();
    let action = waiting
        .filter(|approval| approval.get("id").and_then(Value::as_str) == Some(id))
        .find_map(|approval| approval.get("action").and_then(Value::as_str))
        .unwrap_or("an act that was refused");
    format!(
        "The agent wants this, which was refused: {}.\n{action}\n\
         Allow it once? (`browse approve {id}` does the same.)",
        failure.message
    )
}

/// The form with the question. The user has to choose: its default refuses, so that a
/// client that accepts by itself allows nothing.
fn elicitation(question: &str) -> Option<ElicitRequestParams> {
    let schema = json!({
        "type": "object",
        "properties": {
            ALLOW_FIELD: {"type": "boolean", "title": "Allow this once", "default": false},
        },
        "required": [ALLOW_FIELD],
    });
    let requested_schema = serde_json::from_value(schema).ok()?;
    let message = question.to_owned();
    Some(ElicitRequestParams::FormElicitationParams { meta: None, message, requested_schema })
}

fn answered(responses: &InputResponses) -> bool {
    let answer = responses.get(QUESTION).cloned();
    let answer = answer.and_then(|answer| serde_json::from_value::<ElicitResult>(answer).ok());
    answer.is_some_and(|answer| is_allowed(&answer))
}

fn is_allowed(answer: &ElicitResult) -> bool {
    let field = answer.content.as_ref().and_then(|content| content.get(ALLOW_FIELD));
    answer.action == ElicitationAction::Accept && field == Some(&Value::Bool(true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_chosen_yes_allows() {
        let responses = |answer: Value| BTreeMap::from([(QUESTION.to_owned(), answer)]);
        let yes = json!({"action": "accept", "content": {"allow_once": true}});
        assert!(answered(&responses(yes.clone())));
        for answer in [
            json!({"action": "accept"}),
            json!({"action": "accept", "content": {}}),
            json!({"action": "accept", "content": {"allow_once": false}}),
            json!({"action": "accept", "content": {"allow_once": "true"}}),
            json!({"action": "accept", "content": {"always": true}}),
            json!({"action": "decline", "content": {"allow_once": true}}),
            json!({"action": "cancel"}),
            json!("yes"),
        ] {
            assert!(!answered(&responses(answer.clone())), "{answer}");
        }
        assert!(!answered(&BTreeMap::from([("other".to_owned(), yes)])));
    }

    #[test]
    fn a_state_is_good_once_and_for_its_call() {
        let calls = SuspendedCalls::default();
        let request = |words: &str| {
            let arguments = json!({"command": words}).as_object().cloned().unwrap_or_default();
            CallToolRequestParams::new("run").with_arguments(arguments)
        };
        let keep = || {
            let asked = calls.keep(&request("fetch x"), Box::default(), "Allow?");
            asked.ok().and_then(|asked| asked.request_state).expect("a state")
        };
        let state = keep();
        assert!(calls.take(&request("fetch x"), &format!("{state}0")).is_err(), "altered");
        let (_, is_allowed) = calls.take(&request("fetch x"), &state).expect("it waits");
        assert!(!is_allowed, "nobody answered");
        assert!(calls.take(&request("fetch x"), &state).is_err(), "replayed");
        let state = keep();
        assert!(calls.take(&request("fetch y"), &state).is_err(), "another call");
        assert!(calls.take(&request("fetch x"), &state).is_err(), "used up by that");
        let state = keep();
        let late = Instant::now().checked_sub(ANSWER_TIMEOUT).expect("the clock runs");
        calls.0.lock().expect("no panic").get_mut(&state).expect("kept").since = late;
        assert!(calls.take(&request("fetch x"), &state).is_err(), "late");
        (0..2 * MAX_SUSPENDED).for_each(|_| drop(keep()));
        assert!(calls.lock().len() <= MAX_SUSPENDED);
    }
}
