//! A client of the protocol: its sessions on the pipe, and the contexts that it made.

use std::sync::{Arc, Weak};
use std::time::Duration;

use bytes::Bytes;
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use super::browser::Browser;
use super::context::{BrowserContext, ContextOptions};
use super::windows::OpeningGuard;
use crate::clients::events::ClientEvents;
use crate::clients::table::{Clients, ROUND_TRIP};
use crate::connection::params::NoParams;
use crate::error::Result;
use crate::ids::{BrowserContextId, SessionId, TargetId};

/// How often is looked whether a tab is reported.
const REPORT_INTERVAL: Duration = Duration::from_millis(5);

/// Time in which a tab is reported.
const REPORT_TIMEOUT: Duration = Duration::from_secs(2);

/// What Chromium answered, or why it did not.
#[derive(Debug)]
pub enum ClientAnswer {
    /// The `result`, as JSON.
    Result(Box<RawValue>),
    /// The `error`, as JSON.
    Refusal(Box<RawValue>),
    /// There is no answer, for this reason.
    None(String),
}

/// One client. Dropping it ends its sessions and its own contexts.
pub struct ProtocolClient {
    browser: Arc<Browser>,
    id: u64,
}

/// Called once with an answer, on the task that reads the pipe.
type Then = Box<dyn FnOnce(ClientAnswer) + Send>;

impl BrowserContext {
    /// Opens a client that drives this context.
    pub fn open_client(&self, events: Weak<dyn ClientEvents>) -> ProtocolClient {
        let browser = Arc::clone(self.browser());
        let id = browser.clients().add(self.id(), events);
        ProtocolClient { browser, id }
    }
}

impl Browser {
    pub(crate) fn clients(&self) -> &Arc<Clients> {
        &self.registry().shared.clients
    }

    /// Waits until a new tab is reported: it may be held back for a moment, while a tab
    /// that works for a handler is being opened.
    async fn wait_reported(&self, target: &TargetId) {
        let is_reported = || self.pages().iter().any(|page| page.target_id() == target);
        let reported = async {
            while !is_reported() {
                tokio::time::sleep(REPORT_INTERVAL).await;
            }
        };
        let _ = tokio::time::timeout(REPORT_TIMEOUT, reported).await;
    }
}

impl ClientAnswer {
    fn read(answer: Result<Bytes>) -> Self {
        #[derive(Deserialize)]
        struct Answer {
            result: Option<Box<RawValue>>,
            error: Option<Box<RawValue>>,
        }
        let message = match answer {
            Ok(message) => message,
            Err(error) => return Self::None(error.to_string()),
        };
        match serde_json::from_slice(&message) {
            Ok(Answer { error: Some(error), .. }) => Self::Refusal(error),
            Ok(Answer { result: Some(result), .. }) => Self::Result(result),
            Ok(_) => Self::None("the answer holds nothing".to_owned()),
            Err(error) => Self::None(error.to_string()),
        }
    }

    /// The result as a value; none for a refusal.
    pub fn value(&self) -> Option<Value> {
        match self {
            Self::Result(result) => serde_json::from_str(result.get()).ok(),
            Self::Refusal(_) | Self::None(_) => None,
        }
    }
}

impl ProtocolClient {
    /// The browser.
    pub fn browser(&self) -> &Arc<Browser> {
        &self.browser
    }

    /// Calls a method on one of its sessions, or on the browser.
    pub fn call(&self, session: Option<&SessionId>, method: &str, params: &Value, then: Then) {
        let answer = Box::new(move |answer| then(ClientAnswer::read(answer)));
        self.browser.connection().call_raw_then(session, method, params, answer);
    }

    /// Calls a function when all that was asked for before it is answered.
    pub fn after_round_trip(&self, then: Then) {
        self.call(None, ROUND_TRIP, &json!({}), then);
    }

    /// Attaches to a target; [`ClientEvents::attached`] gets the `tag`. The target stops
    /// for the session when `stops` is set and it has not run yet.
    pub fn attach(&self, target: &TargetId, tag: u64, stops: bool, then: Then) {
        let (clients, id, of) = (Arc::clone(self.clients()), self.id, target.clone());
        clients.expect_attach(Some(id), target, tag, stops);
        let params = json!({ "targetId": target, "flatten": true });
        let answer = move |answer: ClientAnswer| {
            if !matches!(answer, ClientAnswer::Result(_)) {
                clients.forget_attach(Some(id), &of);
            }
            then(answer);
        };
        self.call(None, "Target.attachToTarget", &params, Box::new(answer));
    }

    /// Ends one of its sessions.
    pub fn detach(&self, session: &SessionId, then: Then) {
        self.call(None, "Target.detachFromTarget", &json!({ "sessionId": session }), then);
    }

    /// Opens a tab in one of its contexts. The function is called when the client was
    /// attached to the tab, where it attaches itself at once.
    pub fn create_target(&self, context: &BrowserContextId, params: &Value, then: Then) {
        // It is not to be taken for a window that a page opened.
        let opening = OpeningGuard::begin(self.browser.registry(), context);
        let browser = Arc::clone(&self.browser);
        let answered = move |answer| {
            drop(opening);
            let answer = ClientAnswer::read(answer);
            let target =
                answer.value().and_then(|value| Some(TargetId::from(value["targetId"].as_str()?)));
            tokio::spawn(async move {
                if let Some(target) = target {
                    browser.wait_reported(&target).await;
                }
                let connection = browser.connection().clone();
                let last = move |_| then(answer);
                let pipe = connection.clone();
                let second =
                    move |_| pipe.call_raw_then(None, ROUND_TRIP, &NoParams, Box::new(last));
                connection.call_raw_then(None, ROUND_TRIP, &NoParams, Box::new(second));
            });
        };
        let connection = self.browser.connection();
        connection.call_raw_then(None, "Target.createTarget", params, Box::new(answered));
    }

    /// Makes a context that ends with the client, with the restrictions of `options`.
    pub async fn create_context(&self, options: &ContextOptions) -> Result<BrowserContextId> {
        let context = self.browser.new_context(options).await?;
        self.clients().add_context(self.id, context.id());
        if let Some(restriction) = self.browser.registry().shared.policies.get(context.id()) {
            restriction.proxy.credentials().wait_known().await;
        }
        Ok(context.id().clone())
    }

    /// Ends a context that the client made.
    pub async fn dispose_context(&self, context: &BrowserContextId) -> Result<()> {
        BrowserContext::from_id(&self.browser, context.clone()).dispose().await
    }

    /// Its contexts, that of the session first.
    pub fn contexts(&self) -> Vec<BrowserContextId> {
        self.clients().contexts(self.id)
    }

    /// Whether it has the context.
    pub fn has_context(&self, context: &str) -> bool {
        self.clients().has_context(self.id, context)
    }

    /// The tabs of its contexts, without those that work for a handler.
    pub fn pages(&self) -> Vec<TargetId> {
        let contexts = self.contexts();
        let pages = self.browser.pages().into_iter();
        let own = pages.filter(|page| contexts.contains(page.context_id()));
        own.map(|page| page.target_id().clone()).collect()
    }

    /// Whether a target of the type `page` is one of its tabs.
    pub fn has_page(&self, target: &str) -> bool {
        let page = self.browser.page(&TargetId::from(target));
        page.is_some_and(|page| {
            self.has_context(page.context_id().as_str())
                && self.browser.pages().iter().any(|seen| seen.target_id() == page.target_id())
        })
    }

    /// The target of one of its sessions.
    pub fn session_target(&self, session: &str) -> Option<TargetId> {
        self.clients().session_target(self.id, session)
    }

    /// Says whether new tabs and workers wait for it.
    pub fn set_waits(&self, waits: bool) {
        self.clients().set_waits(self.id, waits);
    }

    /// Says whether frames and workers below the target of a session wait for it.
    pub fn set_stops_children(&self, session: &str, stops: bool) {
        self.clients().set_stops_children(session, stops);
    }

    /// Says whether it hears of the dialogs of a session.
    pub fn set_hears_dialogs(&self, session: &str, hears: bool) {
        self.clients().set_hears_dialogs(session, hears);
    }

    /// Lets the target of a session run, when the daemon and all others let it, too.
    pub fn resume(&self, session: &SessionId) {
        self.clients().let_run(self.browser.connection(), session);
    }

    /// Has a tab that has not run yet wait before the client is attached to it.
    pub fn stop(&self, target: &TargetId) {
        self.clients().stop(self.id, target);
    }

    /// Ends [`ProtocolClient::stop`], when what was asked for before is answered.
    pub fn end_stop(&self, target: &TargetId) {
        let (clients, id, target) = (Arc::clone(self.clients()), self.id, target.clone());
        self.after_round_trip(Box::new(move |_| clients.end_stop(id, &target)));
    }

    /// Notes that the client acts on a tab as a user does.
    pub fn record_user_activation(&self, target: &TargetId) {
        if let Some(page) = self.browser.page(target) {
            page.record_user_activation();
        }
    }

    fn clients(&self) -> &Arc<Clients> {
        self.browser.clients()
    }
}

impl Drop for ProtocolClient {
    fn drop(&mut self) {
        let own = self.contexts().into_iter().skip(1).collect::<Vec<_>>();
        self.clients().remove(self.browser.connection(), self.id);
        for context in own {
            let context = BrowserContext::from_id(&self.browser, context);
            if let Ok(runtime) = tokio::runtime::Handle::try_current() {
                runtime.spawn(context.dispose());
            }
        }
    }
}
