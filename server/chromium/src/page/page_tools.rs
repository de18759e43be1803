//! Tools that a page offers to agents (WebMCP), as functions or as forms.
//!
//! Enabling the domain reports the tools of the document that a session is for, and
//! not those of frames within the same process. So it is enabled from the beginning
//! of each session, and what is added and removed is noted with the document that it
//! belongs to.

use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::{Value, json};
use tokio::time::timeout;

use super::page::Page;
use crate::connection::call::CdpCall;
use crate::connection::envelope::RawEvent;
use crate::connection::params::NoParams;
use crate::connection::session::CdpSession;
use crate::error::{Error, Result};
use crate::ids::{FrameId, LoaderId};

/// Tools of one page that are known.
const MAX_TOOLS: usize = 1_000;

/// Calls of tools whose answers are kept, those of the page's own scripts included.
const MAX_INVOCATIONS: usize = 1_000;

/// What makes a session report tools.
const ENABLE: &str = "WebMCP.enable";

/// How long a frame of another process may take to name its tools.
const FRAME_TIMEOUT: Duration = Duration::from_secs(1);

/// How long a form that is only filled in may take to refuse its input.
const FILL_TIMEOUT: Duration = Duration::from_millis(500);

/// How long a tool whose document is gone may take to answer.
const LEFT_TIMEOUT: Duration = Duration::from_secs(2);

/// A tool as the page describes it.
#[derive(Debug, Clone)]
pub struct PageTool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON schema of its input.
    pub input_schema: Option<Value>,
    /// The frame that offers it.
    pub frame: FrameId,
    /// What it is made of.
    pub kind: PageToolKind,
    /// Whether the page calls it one that only reads.
    pub is_read_only: bool,
}

/// What a tool is made of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PageToolKind {
    /// A function of a script.
    Function,
    /// A form that is sent.
    SubmittedForm,
    /// A form that is filled in, for a person to send.
    FilledForm,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum PageToolOutcome {
    /// The tool answered in its document.
    Answered(Value),
    /// The document was left; of a form, what the next document says.
    Left(Option<Value>),
    /// The form is filled in, and nobody has sent it.
    Filled,
    /// It failed, in words of the page or of the browser.
    Failed(String),
    /// There is no such tool any more.
    Gone,
}

/// The tools of a page as they were when they were asked for.
pub struct PageTools {
    page: Arc<Page>,
    tools: Vec<PageTool>,
}

/// What is known of the tools of a page.
#[derive(Default)]
pub(crate) struct PageToolsState {
    /// Each with the document that offers it.
    offered: Vec<(PageTool, LoaderId)>,
    /// Calls that wait.
    running_calls: usize,
    invocations: HashMap<String, ToolInvocation>,
}

struct ToolInvocation {
    frame: FrameId,
    /// The document that it began in.
    loader: LoaderId,
    outcome: Option<PageToolOutcome>,
}

#[derive(Deserialize)]
struct ToolsAdded {
    tools: Vec<WireTool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct WireTool {
    name: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    input_schema: Option<Value>,
    #[serde(default)]
    annotations: WireAnnotations,
    frame_id: FrameId,
    /// The form, of a tool that is one.
    #[serde(default)]
    backend_node_id: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct ToolsRemoved {
    tools: Vec<RemovedTool>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct RemovedTool {
    name: String,
    frame_id: FrameId,
}

#[derive(Deserialize, Default)]
#[serde(rename_all = "camelCase")]
struct WireAnnotations {
    #[serde(default)]
    read_only: bool,
    #[serde(default)]
    autosubmit: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolInvoked {
    invocation_id: String,
    frame_id: FrameId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ToolResponded {
    invocation_id: String,
    status: String,
    #[serde(default)]
    output: Option<Value>,
    #[serde(default)]
    error_text: String,
    #[serde(default)]
    exception: Option<WireException>,
}

#[derive(Deserialize)]
struct WireException {
    #[serde(default)]
    description: Option<String>,
    #[serde(default)]
    value: Option<Value>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InvokeToolResult {
    invocation_id: String,
}

/// Has a session report the tools of its frames.
pub(super) fn enable(session: &CdpSession) {
    session.send(ENABLE, &NoParams);
}

impl Page {
    /// The tools of all frames, in the order in which they were offered.
    ///
    /// # Errors
    /// `Protocol` for a browser that has no page tools.
    pub async fn page_tools(self: &Arc<Self>) -> Result<PageTools> {
        self.ensure_answering()?;
        let ask = |session: &CdpSession| -> CdpCall<IgnoredAny> {
            session.call_method(ENABLE, &NoParams)
        };
        // Whatever was offered before is reported before the answer.
        let own = ask(self.session());
        let inner: Vec<_> = self.frame_sessions().iter().map(ask).collect();
        own.await?;
        // One that hangs keeps its news for itself.
        let _ = timeout(FRAME_TIMEOUT, futures::future::join_all(inner)).await;
        self.forget_left_tools();
        let state = self.tools.lock();
        let tools = state.offered.iter().map(|(tool, _)| tool.clone()).collect();
        Ok(PageTools { page: Arc::clone(self), tools })
    }

    /// Forgets the tools of documents that are gone.
    fn forget_left_tools(&self) {
        let loaders: HashMap<FrameId, LoaderId> =
            self.frames().into_iter().map(|frame| (frame.id, frame.loader)).collect();
        let is_here =
            |(tool, loader): &(PageTool, LoaderId)| loaders.get(&tool.frame) == Some(loader);
        self.tools.lock().offered.retain(is_here);
    }

    /// The sessions of frames in processes of their own.
    fn frame_sessions(&self) -> Vec<CdpSession> {
        let mut sessions: Vec<CdpSession> = Vec::new();
        for frame in self.frames() {
            if frame.session != *self.session() && !sessions.contains(&frame.session) {
                sessions.push(frame.session);
            }
        }
        sessions
    }

    /// `WebMCP.*`.
    pub(super) fn on_tool_event(&self, name: &str, event: &RawEvent<'_>) -> Option<()> {
        match name {
            "toolsAdded" => {
                let added: ToolsAdded = event.params()?;
                if self.tools.lock().offered.len() + added.tools.len() > MAX_TOOLS {
                    self.forget_left_tools();
                }
                for tool in added.tools.into_iter().map(PageTool::from) {
                    let loader = self.frame_loader(&tool.frame)?;
                    let mut state = self.tools.lock();
                    state.remove(&tool.frame, &tool.name);
                    if state.offered.len() < MAX_TOOLS {
                        state.offered.push((tool, loader));
                    }
                }
                None
            }
            "toolsRemoved" => {
                let removed: ToolsRemoved = event.params()?;
                let mut state = self.tools.lock();
                removed.tools.iter().for_each(|tool| state.remove(&tool.frame_id, &tool.name));
                None
            }
            "toolInvoked" => {
                let invoked: ToolInvoked = event.params()?;
                let loader = self.frame_loader(&invoked.frame_id)?;
                let mut state = self.tools.lock();
                if state.running_calls > 0 && state.invocations.len() < MAX_INVOCATIONS {
                    let frame = invoked.frame_id;
                    let begun = ToolInvocation { frame, loader, outcome: None };
                    state.invocations.insert(invoked.invocation_id, begun);
                }
                None
            }
            "toolResponded" => {
                let responded: ToolResponded = event.params()?;
                let id = responded.invocation_id.clone();
                let (frame, loader) = {
                    let state = self.tools.lock();
                    let invocation = state.invocations.get(&id)?;
                    (invocation.frame.clone(), invocation.loader.clone())
                };
                let has_left = self.frame_loader(&frame) != Some(loader);
                let mut state = self.tools.lock();
                let invocation = state.invocations.get_mut(&id)?;
                // A tool that answers and leaves is reported twice.
                invocation.outcome.get_or_insert_with(|| responded.outcome(has_left));
                Some(())
            }
            _ => None,
        }
    }

    fn frame_loader(&self, frame: &FrameId) -> Option<LoaderId> {
        self.state.lock().frames.get(frame).map(|frame| frame.loader.clone())
    }
}

impl PageToolsState {
    fn remove(&mut self, frame: &FrameId, name: &str) {
        self.offered.retain(|(tool, _)| tool.name != name || tool.frame != *frame);
    }
}

impl From<WireTool> for PageTool {
    fn from(tool: WireTool) -> Self {
        let kind = match (tool.backend_node_id, tool.annotations.autosubmit) {
            (None, _) => PageToolKind::Function,
            (Some(_), true) => PageToolKind::SubmittedForm,
            (Some(_), false) => PageToolKind::FilledForm,
        };
        Self {
            name: tool.name,
            description: tool.description,
            input_schema: tool.input_schema,
            frame: tool.frame_id,
            kind,
            is_read_only: tool.annotations.read_only,
        }
    }
}

impl ToolResponded {
    fn outcome(self, has_left: bool) -> PageToolOutcome {
        match self.status.as_str() {
            "Completed" if has_left => {
                let reported = self.output.filter(|output| output.as_array() != Some(&Vec::new()));
                PageToolOutcome::Left(reported)
            }
            "Completed" => PageToolOutcome::Answered(self.output.unwrap_or_default()),
            // The browser keeps what another site says to itself.
            _ if has_left => PageToolOutcome::Left(None),
            _ => PageToolOutcome::Failed(self.failure()),
        }
    }

    fn failure(self) -> String {
        let thrown = self.exception.and_then(|exception| match exception.value {
            Some(Value::String(text)) => Some(text),
            Some(value) => Some(value.to_string()),
            // The first line; the others are places in scripts.
            None => Some(exception.description?.lines().next()?.to_owned()),
        });
        thrown.unwrap_or(self.error_text)
    }
}

impl PageTools {
    /// All of them.
    pub fn all(&self) -> &[PageTool] {
        &self.tools
    }

    /// Calls one, and waits until it answers or its document is gone. A call that is
    /// given up is cancelled, unless the page waits for an answer to a question.
    ///
    /// # Errors
    /// The tab crashed or closed.
    pub async fn call(&self, tool: &PageTool, input: &Value) -> Result<PageToolOutcome> {
        let _call = RunningCall::begin(&self.page);
        let mut changed = self.page.changes();
        let session = self.page.frame(&tool.frame)?.session;
        let params = json!({ "toolName": tool.name, "frameId": tool.frame, "input": input });
        let invoked: CdpCall<InvokeToolResult> = session.call_method("WebMCP.invokeTool", &params);
        let id = match invoked.await {
            Ok(invoked) => invoked.invocation_id,
            Err(Error::Protocol { message, .. }) if message.contains("not found") => {
                return Ok(PageToolOutcome::Gone);
            }
            Err(error) => return Err(error),
        };
        let mut running = RunningTool { page: &self.page, session, id: Some(id) };
        let answered = async {
            while let Some(id) = running.id.as_deref() {
                if let Some(outcome) = self.page.take_outcome(id) {
                    running.id = None;
                    return Ok(outcome);
                }
                self.page.state.lock().ensure_alive()?;
                let pause = if self.page.has_left(id) { LEFT_TIMEOUT } else { Duration::MAX };
                match timeout(pause, changed.changed()).await {
                    Ok(Ok(())) => {}
                    Ok(Err(_)) => return Err(Error::TabClosed),
                    Err(_) => return Ok(PageToolOutcome::Left(None)),
                }
            }
            Err(Error::TabClosed)
        };
        if tool.kind != PageToolKind::FilledForm {
            return answered.await;
        }
        match timeout(FILL_TIMEOUT, answered).await {
            Ok(outcome) => outcome,
            Err(_) => {
                running.id = None;
                Ok(PageToolOutcome::Filled)
            }
        }
    }
}

impl Page {
    fn take_outcome(&self, id: &str) -> Option<PageToolOutcome> {
        let mut state = self.tools.lock();
        let outcome = state.invocations.get_mut(id)?.outcome.take()?;
        state.invocations.remove(id);
        Some(outcome)
    }

    /// Whether the document in which a tool runs is gone.
    fn has_left(&self, id: &str) -> bool {
        let begun = {
            let state = self.tools.lock();
            state.invocations.get(id).map(|begun| (begun.frame.clone(), begun.loader.clone()))
        };
        begun.is_some_and(|(frame, loader)| self.frame_loader(&frame) != Some(loader))
    }
}

/// A tool that has not answered.
struct RunningTool<'a> {
    page: &'a Page,
    session: CdpSession,
    id: Option<String>,
}

impl Drop for RunningTool<'_> {
    fn drop(&mut self) {
        if let Some(id) = self.id.take()
            && self.page.open_dialog().is_none()
        {
            self.session.send("WebMCP.cancelInvocation", &json!({ "invocationId": id }));
        }
    }
}

/// A call, while which the invocations of the page are noted.
struct RunningCall<'a>(&'a Page);

impl<'a> RunningCall<'a> {
    fn begin(page: &'a Page) -> Self {
        page.tools.lock().running_calls += 1;
        Self(page)
    }
}

impl Drop for RunningCall<'_> {
    fn drop(&mut self) {
        let mut state = self.0.tools.lock();
        state.running_calls -= 1;
        if state.running_calls == 0 {
            state.invocations.clear();
        }
    }
}
