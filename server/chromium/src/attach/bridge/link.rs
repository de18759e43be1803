//! Between the daemon and the browser: whose message goes where.

use std::cell::RefCell;
use std::io;
use std::rc::Rc;

use serde_json::{Value, json};
use tokio::net::UnixStream;
use tokio::sync::{mpsc, oneshot};

use super::refusal::{browser_page, no_such_target, not_ours, server_error};
use super::rules::{self, CallRule, LocalCall};
use super::state::{BridgeState, SessionUse, TabOrigin, Waiting};
use crate::connection::cbor;
use crate::connection::writer::MessageWriter;

/// The state of one connection. All of it is used on one thread.
pub(super) struct BridgeConnection {
    pipe: Rc<UnixStream>,
    to_daemon: MessageWriter,
    to_browser: RefCell<Option<mpsc::UnboundedSender<String>>>,
    /// Whether files of this machine are files of the browser's.
    is_local: bool,
    pub(super) state: RefCell<BridgeState>,
}

impl BridgeConnection {
    pub(super) fn new(
        pipe: Rc<UnixStream>,
        to_browser: mpsc::UnboundedSender<String>,
        is_local: bool,
    ) -> Self {
        Self {
            pipe,
            to_daemon: MessageWriter::default(),
            to_browser: RefCell::new(Some(to_browser)),
            is_local,
            state: RefCell::default(),
        }
    }

    /// Writes what the pipe to the daemon did not take at once.
    pub(super) async fn flush_to_daemon(&self) -> io::Result<()> {
        self.to_daemon.run(&self.pipe).await
    }

    /// Bytes that wait for the daemon.
    pub(super) fn waiting_bytes(&self) -> usize {
        self.to_daemon.waiting_bytes()
    }

    /// Nothing more goes to the browser.
    pub(super) fn stop_writing(&self) {
        self.to_browser.take();
    }

    fn send_to_browser(&self, message: &Value) {
        if let Some(sender) = &*self.to_browser.borrow() {
            let _ = sender.send(message.to_string());
        }
    }

    pub(super) fn send_to_daemon(&self, message: &Value) {
        let mut bytes = Vec::with_capacity(256);
        cbor::write(message, &mut bytes);
        self.to_daemon.send(&self.pipe, bytes);
    }

    /// Calls the browser for ourselves. The error is the one of the answer.
    pub(super) async fn call(
        &self,
        session: Option<&str>,
        method: &str,
        params: Value,
    ) -> Result<Value, Value> {
        let (sender, answer) = oneshot::channel();
        self.send_call(session, method, params, Waiting::Own(sender));
        answer.await.unwrap_or_else(|_| Err(json!({ "message": "the browser is gone" })))
    }

    fn send_call(&self, session: Option<&str>, method: &str, params: Value, waiting: Waiting) {
        let id = {
            let mut state = self.state.borrow_mut();
            state.last_call += 1;
            let id = state.last_call;
            state.waiting.insert(id, waiting);
            id
        };
        let mut message = json!({ "id": id, "method": method, "params": params });
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        self.send_to_browser(&message);
    }

    pub(super) fn answer(&self, id: &Value, session: Option<&str>, outcome: Result<Value, Value>) {
        let mut message = match outcome {
            Ok(result) => json!({ "id": id, "result": result }),
            Err(error) => json!({ "id": id, "error": error }),
        };
        if let Some(session) = session {
            message["sessionId"] = session.into();
        }
        self.send_to_daemon(&message);
    }

    /// A call of the daemon.
    pub(super) fn on_daemon_message(self: &Rc<Self>, mut message: Value) {
        let id = message["id"].take();
        let params = message["params"].take();
        let Some(method) = message["method"].as_str() else { return };
        match message["sessionId"].as_str() {
            Some(session) => self.on_tab_call(&id, session, method, params),
            None => self.on_root_call(id, method, params),
        }
    }

    fn on_tab_call(&self, id: &Value, session: &str, method: &str, params: Value) {
        let known = self.state.borrow().sessions.get(session).cloned();
        let refusal = match known {
            None | Some(SessionUse::Documents(_)) => {
                Some(server_error("Session with given id not found."))
            }
            Some(SessionUse::Child { is_shared: true, .. })
                if rules::changes_shared_worker(method) =>
            {
                // It holds for the tab itself, and not for others of its site.
                return self.answer(id, Some(session), Ok(json!({})));
            }
            Some(_) if !rules::is_tab_call(method) => Some(not_ours(method)),
            Some(used) if self.is_browser_page(&used) && !rules::works_on_any_page(method) => {
                Some(browser_page())
            }
            Some(_) if rules::names_files(method) && !self.is_local => Some(not_ours(method)),
            Some(SessionUse::Tab(tab)) if method == "Page.close" && self.is_given(&tab) => {
                Some(not_ours(method))
            }
            Some(_) => None,
        };
        if let Some(refusal) = refusal {
            return self.answer(id, Some(session), Err(refusal));
        }
        let is_of_page = !rules::works_on_any_page(method);
        let waiting =
            Waiting::Daemon { id: id.clone(), session: Some(session.to_owned()), is_of_page };
        self.send_call(Some(session), method, params, waiting);
    }

    fn on_root_call(self: &Rc<Self>, id: Value, method: &str, mut params: Value) {
        match rules::root_rule(method) {
            CallRule::Pass => self.pass(id, method, params),
            CallRule::OwnTarget => match self.is_own(&params) {
                true => self.pass(id, method, params),
                false => self.answer(&id, None, Err(no_such_target())),
            },
            CallRule::Refuse => self.answer(&id, None, Err(not_ours(method))),
            CallRule::Local(LocalCall::AnswerRequest) => match self.split_request_id(&mut params) {
                Some(session) => {
                    let waiting = Waiting::Daemon { id, session: None, is_of_page: false };
                    self.send_call(Some(&session), method, params, waiting);
                }
                None => self.answer(&id, None, Err(not_ours(method))),
            },
            CallRule::Local(call) => {
                let link = Rc::clone(self);
                tokio::task::spawn_local(async move {
                    let outcome = match call {
                        LocalCall::CreateTab => link.create_tab(params).await,
                        LocalCall::CloseTab => link.close_tab(&params).await,
                        LocalCall::ListTabs => link.list_tabs().await,
                        LocalCall::GiveTab => link.give_tab(&params).await,
                        LocalCall::ReadCookies => link.read_cookies().await,
                        LocalCall::WriteCookies => link.write_cookies(&params).await,
                        LocalCall::ClearCookies => link.clear_cookies().await,
                        LocalCall::Detach => link.detach(&params).await,
                        LocalCall::AnswerRequest => Ok(json!({})),
                    };
                    link.answer(&id, None, outcome);
                });
            }
        }
    }

    fn pass(&self, id: Value, method: &str, params: Value) {
        let waiting = Waiting::Daemon { id, session: None, is_of_page: false };
        self.send_call(None, method, params, waiting);
    }

    fn is_own(&self, params: &Value) -> bool {
        let target = params["targetId"].as_str();
        target.is_some_and(|target| self.state.borrow().tabs.contains_key(target))
    }

    fn is_given(&self, tab: &str) -> bool {
        let state = self.state.borrow();
        state.tabs.get(tab).is_some_and(|tab| tab.origin == TabOrigin::Given)
    }

    /// Whether the tab of a session shows a page of the browser itself.
    fn is_browser_page(&self, used: &SessionUse) -> bool {
        self.state.borrow().tabs.get(used.tab()).is_some_and(|tab| tab.is_browser_page)
    }

    /// Remembers what a tab shows, when `message` tells that its main frame has another document.
    fn note_navigation(&self, used: &SessionUse, message: &Value) {
        let frame = &message["params"]["frame"];
        if message["method"] != "Page.frameNavigated" || !frame["parentId"].is_null() {
            return;
        }
        if let SessionUse::Tab(tab) | SessionUse::Documents(tab) = used
            && let Some(tab) = self.state.borrow_mut().tabs.get_mut(tab)
        {
            tab.is_browser_page =
                !rules::is_readable_page(frame["url"].as_str().unwrap_or_default());
        }
    }

    /// Takes the session off the number of a stopped request, which
    /// [`Link::on_documents_event`] put there.
    fn split_request_id(&self, params: &mut Value) -> Option<String> {
        let (session, request) = params["requestId"].as_str()?.split_once('/')?;
        let (session, request) = (session.to_owned(), request.to_owned());
        let known =
            matches!(self.state.borrow().sessions.get(&session), Some(SessionUse::Documents(_)));
        params["requestId"] = request.into();
        known.then_some(session)
    }

    /// An answer or an event of the browser.
    pub(super) fn on_browser_message(self: &Rc<Self>, mut message: Value) {
        match message["id"].as_u64() {
            Some(id) => self.on_browser_answer(id, message),
            None => match message["sessionId"].take() {
                Value::String(session) => self.on_session_event(session, message),
                _ => self.on_root_event(&message),
            },
        }
    }

    fn on_browser_answer(&self, id: u64, mut message: Value) {
        let Some(waiting) = self.state.borrow_mut().waiting.remove(&id) else { return };
        let outcome = match message["error"].take() {
            Value::Null => Ok(message["result"].take()),
            error => Err(error),
        };
        match waiting {
            Waiting::Daemon { id, session, is_of_page } => {
                // The tab may have gone to a page of the browser while the call was on its way.
                let used = session.as_ref().and_then(|session| {
                    self.state.borrow().sessions.get(session.as_str()).cloned()
                });
                let is_refused = is_of_page && used.is_some_and(|used| self.is_browser_page(&used));
                let outcome = if is_refused { Err(browser_page()) } else { outcome };
                self.answer(&id, session.as_deref(), outcome);
            }
            Waiting::Own(sender) => drop(sender.send(outcome)),
        }
    }

    /// The browser itself reports the sessions that were asked for, and their ends.
    fn on_root_event(&self, message: &Value) {
        let params = &message["params"];
        let Some(session) = params["sessionId"].as_str() else { return };
        match message["method"].as_str() {
            Some("Target.attachedToTarget") => {
                let Some(target) = params["targetInfo"]["targetId"].as_str() else { return };
                let mut state = self.state.borrow_mut();
                if let Some(tab) = state.watching.get(target).cloned() {
                    state.sessions.insert(session.to_owned(), SessionUse::Documents(tab));
                    return;
                }
                if !state.tabs.contains_key(target) {
                    return;
                }
                state.sessions.insert(session.to_owned(), SessionUse::Tab(target.to_owned()));
                drop(state);
                self.send_to_daemon(message);
            }
            Some("Target.detachedFromTarget") => {
                let used = self.state.borrow_mut().sessions.remove(session);
                let Some(SessionUse::Tab(target)) = used else { return };
                self.send_to_daemon(message);
                let mut state = self.state.borrow_mut();
                let of = |used: &SessionUse| *used == SessionUse::Tab(target.clone());
                if state.sessions.values().any(of) || state.leaving.contains(&target) {
                    return;
                }
                // Only the end of the tab ends its last session unasked.
                if state.tabs.remove(&target).is_some() {
                    drop(state);
                    self.report("Target.targetDestroyed", json!({ "targetId": target }));
                }
            }
            _ => {}
        }
    }

    fn on_session_event(self: &Rc<Self>, session: String, mut message: Value) {
        let Some(used) = self.state.borrow().sessions.get(&session).cloned() else { return };
        self.note_navigation(&used, &message);
        if matches!(used, SessionUse::Documents(_)) {
            return self.on_documents_event(&session, message);
        }
        let method = message["method"].as_str().unwrap_or_default();
        if self.is_browser_page(&used) && !rules::is_event_of_any_page(method) {
            return;
        }
        let params = &message["params"];
        match message["method"].as_str() {
            Some("Target.attachedToTarget") => {
                let info = &params["targetInfo"];
                let kind = info["type"].as_str().unwrap_or_default();
                let tab = used.tab().to_owned();
                if let Some(child) = params["sessionId"].as_str() {
                    let is_shared = matches!(kind, "service_worker" | "shared_worker");
                    let used = SessionUse::Child { tab: tab.clone(), is_shared };
                    self.state.borrow_mut().sessions.insert(child.to_owned(), used);
                }
                if let ("iframe", Some(frame)) = (kind, info["targetId"].as_str()) {
                    let (link, frame) = (Rc::clone(self), frame.to_owned());
                    tokio::task::spawn_local(
                        async move { link.watch_documents(&frame, &tab).await },
                    );
                }
            }
            Some("Target.detachedFromTarget") => {
                if let Some(child) = params["sessionId"].as_str() {
                    self.state.borrow_mut().sessions.remove(child);
                }
            }
            // Only a browser that reports all of its tabs says which one crashed.
            Some("Inspector.targetCrashed") => {
                if let SessionUse::Tab(tab) = &used {
                    let params = json!({ "targetId": tab, "status": "crashed", "errorCode": 0 });
                    self.report("Target.targetCrashed", params);
                }
            }
            Some("Page.windowOpen") => {
                let link = Rc::clone(self);
                tokio::task::spawn_local(async move { link.find_opened_windows().await });
            }
            _ => {}
        }
        message["sessionId"] = session.into();
        self.send_to_daemon(&message);
    }

    /// A stopped document: the daemon answers it on the browser itself, under a number that
    /// names the session.
    fn on_documents_event(&self, session: &str, mut message: Value) {
        if message["method"] != "Fetch.requestPaused" {
            return;
        }
        if let Some(request) = message["params"]["requestId"].as_str() {
            message["params"]["requestId"] = format!("{session}/{request}").into();
            if let Some(fields) = message.as_object_mut() {
                fields.remove("sessionId");
            }
            self.send_to_daemon(&message);
        }
    }

    pub(super) fn report(&self, method: &str, params: Value) {
        self.send_to_daemon(&json!({ "method": method, "params": params }));
    }
}
