//! Runs a tool call: its steps in order, in the session of the call.

use std::collections::VecDeque;

use browse_cli::{
    Failure,
    embed::{
        CallerContext, EmbeddedAction, EmbeddedCall, EmbeddedClient, EmbeddedReply, parse_words,
    },
};
use browse_proto::Reason;
use serde_json::{Map, Value};

use crate::{
    options::{ServerOptions, unknown_tool},
    reply::ToolReply,
    schema::command,
    sessions::{AgentSession, McpSessions},
    tools::{ToolArguments, ToolName, ToolStep},
};

/// What runs the tool calls of a server.
pub struct ToolCalls {
    options: ServerOptions,
    client: EmbeddedClient,
    sessions: McpSessions,
}

/// What came of a call.
pub enum CallOutcome {
    /// It is done, or failed.
    Done(ToolReply),
    /// A part of it was refused, and the user can approve that.
    Refused(Box<SuspendedCall>),
}

/// A call of which a part was refused.
#[derive(Default)]
pub struct SuspendedCall {
    session: AgentSession,
    /// The trace that it is part of.
    traceparent: Option<String>,
    /// What is still to be done, the refused part first.
    steps: VecDeque<ToolStep>,
    /// What was answered so far.
    reply: ToolReply,
    refusal: Option<StepRefusal>,
}

/// Why a part of a call was refused.
struct StepRefusal {
    /// The answer of the steps, where it was one of several.
    answer: Option<EmbeddedReply>,
    /// The steps that were done before.
    done: usize,
    failure: Failure,
}

/// A step that was refused, with what is left of it when a part was done.
struct RefusedStep {
    rest: Option<ToolStep>,
    refusal: StepRefusal,
}

impl SuspendedCall {
    /// What was refused, and the id by which it can be approved. A fleet has no approvals.
    pub fn refusal(&self) -> Option<(&str, &Failure)> {
        let failure = &self.refusal.as_ref().filter(|_| !self.session.is_in_fleet())?.failure;
        Some((approval_id(failure)?, failure))
    }

    /// The result of a call whose act is not allowed.
    pub fn into_reply(self) -> ToolReply {
        let mut reply = self.reply;
        match self.refusal {
            Some(StepRefusal { answer: Some(answer), .. }) => reply.add(answer),
            Some(StepRefusal { answer: None, failure, .. }) => reply.add_failure(&failure),
            None => {}
        }
        reply
    }
}

impl ToolCalls {
    /// For a server with these options.
    pub fn new(options: ServerOptions, client: EmbeddedClient) -> Self {
        let sessions = McpSessions::new(options.clone());
        Self { options, client, sessions }
    }

    /// The client that makes the calls of the daemon.
    pub fn client(&self) -> &EmbeddedClient {
        &self.client
    }

    /// Closes the session of a fleet that was made for calls without a handle.
    pub async fn close_own_session(&self) {
        self.sessions.close_own(&self.client).await;
    }

    /// Makes a tool call, until it is done or a part of it is refused.
    pub async fn begin(
        &self,
        name: &str,
        arguments: Value,
        traceparent: Option<String>,
    ) -> CallOutcome {
        let outcome = self.try_call(name, arguments, traceparent).await;
        outcome.unwrap_or_else(|failure| CallOutcome::Done(ToolReply::of_failure(&failure)))
    }

    async fn try_call(
        &self,
        name: &str,
        arguments: Value,
        traceparent: Option<String>,
    ) -> Result<CallOutcome, Failure> {
        let tool = ToolName::parse(name).filter(|tool| self.options.offers(*tool));
        let tool = tool.ok_or_else(|| {
            let offered = ToolName::ALL.into_iter().filter(|tool| self.options.offers(*tool));
            unknown_tool(name, &offered.collect::<Vec<_>>())
        })?;
        let arguments = ToolArguments::new(arguments)?;
        let steps = tool.plan(&arguments, self.client.file_access())?;
        let mut reply = ToolReply::default();
        if let [ToolStep::Text(text)] = steps.as_slice() {
            reply.add_text(text.as_str());
            return Ok(CallOutcome::Done(reply));
        }
        let session = self.sessions.get(&self.client, arguments.text("session")?).await?;
        reply.session = Some(session.handle.clone());
        Ok(self
            .run_steps(SuspendedCall {
                session,
                traceparent,
                steps: steps.into(),
                reply,
                refusal: None,
            })
            .await)
    }

    /// Runs the steps of a call, until one fails or needs an approval.
    async fn run_steps(&self, call: SuspendedCall) -> CallOutcome {
        let SuspendedCall { session, traceparent, mut steps, mut reply, .. } = call;
        while let Some(step) = steps.pop_front() {
            let is_of_session = !matches!(step, ToolStep::RunSkill(_));
            let refused =
                match self.run_step(&step, &session, traceparent.as_deref(), &mut reply).await {
                    Ok(refused) => refused,
                    Err(failure) if is_of_session && session.has_ended(&failure) => {
                        self.sessions.forget(&session).await;
                        reply.session = None;
                        let ended =
                            Failure::new(Reason::AgentSessionEnded, failure.message.clone());
                        reply.add_failure(&ended);
                        None
                    }
                    Err(failure) if is_of_session && approval_id(&failure).is_some() => {
                        let refusal = StepRefusal { answer: None, done: 0, failure };
                        Some(RefusedStep { rest: None, refusal })
                    }
                    Err(failure) => {
                        reply.add_failure(&session.advise(failure));
                        None
                    }
                };
            if let Some(RefusedStep { rest, refusal }) = refused {
                steps.push_front(rest.unwrap_or(step));
                let refusal = Some(refusal);
                let call = SuspendedCall { session, traceparent, steps, reply, refusal };
                return CallOutcome::Refused(Box::new(call));
            }
            if reply.is_error {
                break;
            }
        }
        CallOutcome::Done(reply)
    }

    /// Goes on with a call whose act the user allowed.
    pub async fn resume(&self, mut call: Box<SuspendedCall>) -> CallOutcome {
        let approved = match call.refusal() {
            Some((id, _)) => approve(&self.client, id).await,
            None => Ok(()),
        };
        match approved {
            Ok(()) => {
                if let Some(StepRefusal { answer: Some(answer), done, .. }) = call.refusal.take() {
                    call.reply.add(EmbeddedReply {
                        failures: Vec::new(),
                        is_failure: false,
                        ..answer
                    });
                    let next = done + 1;
                    call.reply.add_text(format!("the user allowed step {next}, which is 1 below"));
                }
                self.run_steps(*call).await
            }
            Err(failure) => {
                let mut reply = call.into_reply();
                reply.add_failure(&failure);
                CallOutcome::Done(reply)
            }
        }
    }

    /// Runs one step. The result has what is left of it when the daemon refused a part that
    /// the user can approve.
    async fn run_step(
        &self,
        step: &ToolStep,
        session: &AgentSession,
        traceparent: Option<&str>,
        reply: &mut ToolReply,
    ) -> Result<Option<RefusedStep>, Failure> {
        let client = &self.client;
        let caller = session.caller(traceparent);
        match step {
            ToolStep::Text(text) => reply.add_text(text.as_str()),
            ToolStep::Call(call) => {
                let mut answer = client.call(call, caller).await?;
                let refused = answer.first_failure.take_if(|(_, failure)| {
                    call.command().name == "chain" && approval_id(failure).is_some()
                });
                let Some((done, failure)) = refused else {
                    reply.add(answer);
                    return Ok(None);
                };
                let rest = ToolStep::Call(Box::new(call.after_steps(done)?));
                return Ok(Some(RefusedStep {
                    rest: Some(rest),
                    refusal: StepRefusal { answer: Some(answer), done, failure },
                }));
            }
            ToolStep::Image(call) => {
                let mut answer = client.call_for_data(call, caller).await?;
                let tree = answer.response.get("tree").and_then(Value::as_str);
                let tree = tree.unwrap_or_default().to_owned();
                let data = answer.response.remove("image");
                let data = data.as_ref().and_then(Value::as_str).unwrap_or_default().to_owned();
                let mime =
                    answer.response.get("mime").and_then(Value::as_str).unwrap_or("image/png");
                reply.add_image(data, mime.to_owned());
                answer.text = match &answer.untrusted {
                    Some(known) if !tree.is_empty() => known.wrap(&tree),
                    _ => tree,
                };
                reply.add(answer);
            }
            ToolStep::RunSkill(words) => self.run_skill(words, traceparent, reply).await?,
        }
        Ok(None)
    }

    /// Runs a skill as the owner does: it gets a session and a token of its own, for the
    /// hosts of its manifest. A server that is held to hosts or to reading runs none.
    async fn run_skill(
        &self,
        words: &[String],
        traceparent: Option<&str>,
        reply: &mut ToolReply,
    ) -> Result<(), Failure> {
        let caller = CallerContext { traceparent, ..CallerContext::default() };
        if !self.options.hosts.is_empty() {
            let message = "this server is held to hosts, and a skill has hosts of its own";
            return Err(Failure::new(Reason::ScopeDenied, message)
                .with_hint("Ask the user to run it: `browse skill run`"));
        }
        match parse_words(words, self.client.file_access())? {
            EmbeddedAction::Text(text) => reply.add_text(text),
            EmbeddedAction::Call(call) => reply.add(self.client.call(&call, caller).await?),
        }
        Ok(())
    }
}

/// The id by which the owner of the daemon can approve what failed.
fn approval_id(failure: &Failure) -> Option<&str> {
    let is_refused =
        failure.has_reason(Reason::EgressDenied) || failure.has_reason(Reason::ApprovalNeeded);
    failure.metadata.get("id").filter(|_| is_refused).map(String::as_str)
}

/// Approves what waits under `id`, with the token of the owner.
///
/// # Errors
/// It waits no longer, or this server does not run for the owner of the daemon.
async fn approve(client: &EmbeddedClient, id: &str) -> Result<(), Failure> {
    let fields = Map::from_iter([("id".to_owned(), Value::from(id))]);
    let call = EmbeddedCall::new(command("approve"), fields)?;
    client.call_for_data(&call, CallerContext::default()).await.map(drop)
}
