//! All clients of a browser, and which session is whose.

use std::collections::{HashMap, HashSet, VecDeque};
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

use serde::Deserialize;
use serde_json::{Value, json};

use super::events::ClientEvents;
use super::held_targets::{HeldTargets, ResumeTarget};
use crate::connection::envelope::RawEvent;
use crate::connection::params::NoParams;
use crate::connection::pipe::CdpConnection;
use crate::connection::session::CdpSession;
use crate::ids::{BrowserContextId, SessionId, TargetId};
use browse_base::Lock;

/// A command that changes nothing: what was asked for before it is answered by then.
pub(crate) const ROUND_TRIP: &str = "Browser.getVersion";

/// The clients of a browser.
#[derive(Default)]
pub(crate) struct Clients {
    /// So that a browser without clients pays for none.
    count: AtomicUsize,
    state: Lock<ClientsState>,
}

#[derive(Default)]
pub(crate) struct ClientsState {
    last_id: u64,
    clients: HashMap<u64, Client>,
    sessions: HashMap<SessionId, ClientSession>,
    /// Attachments that were asked for on the session of the browser, in order. Chromium
    /// reports each before it answers, and does not name the request.
    attaches: VecDeque<PendingAttach>,
    held: HeldTargets,
    /// Targets that a client has stop before it is attached to them.
    stops: HashSet<(u64, TargetId)>,
}

struct Client {
    events: Weak<dyn ClientEvents>,
    /// The first one is that of the session; the others are its own.
    contexts: Vec<BrowserContextId>,
    /// Whether new tabs and workers are to wait for it.
    waits: bool,
}

/// A session of a client.
struct ClientSession {
    client: u64,
    target: TargetId,
    /// Whether the client has its target stop, and has not let it run.
    stops: bool,
    /// Whether the client has what is below the target stop.
    stops_children: bool,
    /// Whether the client hears of the dialogs of the target.
    hears_dialogs: bool,
}

struct PendingAttach {
    /// None: the daemon itself.
    client: Option<u64>,
    target: TargetId,
    tag: u64,
    /// Whether the target is to wait for the session.
    stops: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Attached {
    session_id: SessionId,
    target_info: Value,
    #[serde(default)]
    waiting_for_debugger: bool,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Detached {
    session_id: SessionId,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct InfoEvent {
    target_info: Value,
}

/// The target that an info is about.
fn target_of(info: &Value) -> TargetId {
    TargetId::from(info["targetId"].as_str().unwrap_or_default())
}

impl ClientsState {
    fn events(&self, client: u64) -> Option<Arc<dyn ClientEvents>> {
        self.clients.get(&client)?.events.upgrade()
    }

    /// Those that have the context.
    fn of_context(&self, context: &BrowserContextId) -> Vec<Arc<dyn ClientEvents>> {
        let clients = self.clients.values().filter(|client| client.contexts.contains(context));
        clients.filter_map(|client| client.events.upgrade()).collect()
    }

    fn is_stopped(&self, target: &TargetId) -> bool {
        self.stops.iter().any(|(_, stopped)| stopped == target)
            || self.sessions.values().any(|session| session.target == *target && session.stops)
    }
}

impl Clients {
    /// Adds a client of a context.
    pub(crate) fn add(&self, context: &BrowserContextId, events: Weak<dyn ClientEvents>) -> u64 {
        let mut state = self.state.lock();
        state.last_id += 1;
        let id = state.last_id;
        let client = Client { events, contexts: vec![context.clone()], waits: false };
        state.clients.insert(id, client);
        self.count.store(state.clients.len(), Ordering::Relaxed);
        id
    }

    /// Removes a client with its sessions; what it had stop runs.
    pub(crate) fn remove(&self, connection: &CdpConnection, client: u64) {
        let (sessions, held) = {
            let mut state = self.state.lock();
            state.clients.remove(&client);
            state.stops.retain(|(stopping, _)| *stopping != client);
            self.count.store(state.clients.len(), Ordering::Relaxed);
            let of = |_: &SessionId, session: &mut ClientSession| session.client == client;
            let sessions: Vec<_> = state.sessions.extract_if(of).map(|(id, _)| id).collect();
            (sessions, state.held.all())
        };
        for session in sessions {
            connection.send(None, "Target.detachFromTarget", &json!({ "sessionId": session }));
        }
        held.iter().for_each(|target| self.run_if_let(target));
    }

    /// Whether there are none.
    pub(crate) fn is_empty(&self) -> bool {
        self.count.load(Ordering::Relaxed) == 0
    }

    /// Adds a context that the client made.
    pub(crate) fn add_context(&self, client: u64, context: &BrowserContextId) {
        if let Some(client) = self.state.lock().clients.get_mut(&client) {
            client.contexts.push(context.clone());
        }
    }

    /// Whether the client has the context.
    pub(crate) fn has_context(&self, client: u64, context: &str) -> bool {
        let state = self.state.lock();
        let client = state.clients.get(&client);
        client.is_some_and(|client| client.contexts.iter().any(|own| own.as_str() == context))
    }

    /// The contexts of the client, that of the session first.
    pub(crate) fn contexts(&self, client: u64) -> Vec<BrowserContextId> {
        let state = self.state.lock();
        state.clients.get(&client).map(|client| client.contexts.clone()).unwrap_or_default()
    }

    /// A context ended: so do the clients that were opened for it.
    pub(crate) fn on_context_ended(&self, context: &BrowserContextId) {
        if self.is_empty() {
            return;
        }
        let ended: Vec<_> = {
            let mut state = self.state.lock();
            let first = |client: &&Client| client.contexts.first() == Some(context);
            let ended = state.clients.values().filter(first).filter_map(|c| c.events.upgrade());
            let ended = ended.collect();
            state.clients.values_mut().for_each(|client| {
                client.contexts.retain(|own| own != context);
            });
            ended
        };
        ended.iter().for_each(|events| events.ended("the session has ended"));
    }

    /// The browser ended.
    pub(crate) fn on_browser_gone(&self, reason: &str) {
        let all: Vec<_> = {
            let mut state = self.state.lock();
            let clients = std::mem::take(&mut state.clients);
            *state = ClientsState { last_id: state.last_id, ..ClientsState::default() };
            self.count.store(0, Ordering::Relaxed);
            clients.into_values().filter_map(|client| client.events.upgrade()).collect()
        };
        let reason = format!("the browser has ended: {reason}");
        all.iter().for_each(|events| events.ended(&reason));
    }

    /// Says whether new tabs and workers wait for the client.
    pub(crate) fn set_waits(&self, client: u64, waits: bool) {
        if let Some(client) = self.state.lock().clients.get_mut(&client) {
            client.waits = waits;
        }
    }

    /// Says whether what is below the target of a session stops for the client.
    pub(crate) fn set_stops_children(&self, session: &str, stops: bool) {
        if let Some(session) = self.state.lock().sessions.get_mut(session) {
            session.stops_children = stops;
        }
    }

    /// Says whether the client hears of the dialogs of a session.
    pub(crate) fn set_hears_dialogs(&self, session: &str, hears: bool) {
        if let Some(session) = self.state.lock().sessions.get_mut(session) {
            session.hears_dialogs = hears;
        }
    }

    /// Whether a client hears of the dialogs of a tab, and so answers them.
    pub(crate) fn hears_dialogs(&self, target: &TargetId) -> bool {
        let state = self.state.lock();
        state.sessions.values().any(|session| session.target == *target && session.hears_dialogs)
    }

    /// The target of a session of the client.
    pub(crate) fn session_target(&self, client: u64, session: &str) -> Option<TargetId> {
        let state = self.state.lock();
        let session = state.sessions.get(session).filter(|session| session.client == client);
        session.map(|session| session.target.clone())
    }

    /// Notes an attachment that is asked for next.
    pub(crate) fn expect_attach(
        &self,
        client: Option<u64>,
        target: &TargetId,
        tag: u64,
        stops: bool,
    ) {
        if client.is_some() || !self.is_empty() {
            let attach = PendingAttach { client, target: target.clone(), tag, stops };
            self.state.lock().attaches.push_back(attach);
        }
    }

    /// An attachment was refused.
    pub(crate) fn forget_attach(&self, client: Option<u64>, target: &TargetId) {
        let mut state = self.state.lock();
        let is_it = |attach: &PendingAttach| attach.client == client && attach.target == *target;
        if let Some(at) = state.attaches.iter().position(is_it) {
            state.attaches.remove(at);
        }
    }

    /// An event on a session: true when the session is a client's.
    pub(crate) fn on_session_event(&self, session: &str, event: &RawEvent<'_>) -> bool {
        if self.is_empty() {
            return false;
        }
        let (events, ended) = {
            let mut state = self.state.lock();
            let Some(client) = state.sessions.get(session).map(|session| session.client) else {
                return false;
            };
            let mut ended = None;
            match event.method {
                "Target.attachedToTarget" => {
                    if let Some(Attached { session_id, target_info, waiting_for_debugger }) =
                        event.params()
                    {
                        let attached = ClientSession {
                            client,
                            target: target_of(&target_info),
                            stops: waiting_for_debugger,
                            stops_children: false,
                            hears_dialogs: false,
                        };
                        state.sessions.insert(session_id, attached);
                    }
                }
                "Target.detachedFromTarget" => {
                    let gone = event.params::<Detached>();
                    let gone = gone.and_then(|gone| state.sessions.remove(&gone.session_id));
                    ended = gone.map(|session| session.target);
                }
                _ => {}
            }
            (state.events(client), ended)
        };
        if let Some(events) = events {
            events.session_event(session, event.method, event.message);
        }
        if let Some(target) = ended {
            self.run_if_let(&target);
        }
        true
    }

    /// `Target.*` on the session of the browser: true when it is about the session of a
    /// client alone.
    pub(crate) fn on_root_event(
        &self,
        connection: &CdpConnection,
        name: &str,
        event: &RawEvent<'_>,
    ) -> bool {
        if self.is_empty() && self.state.lock().attaches.is_empty() {
            return false;
        }
        match name {
            "attachedToTarget" => {
                event.params().is_some_and(|attached| self.on_attached(connection, attached))
            }
            "detachedFromTarget" => {
                event.params::<Detached>().is_some_and(|gone| self.on_detached(&gone.session_id))
            }
            _ => false,
        }
    }

    fn on_attached(&self, connection: &CdpConnection, attached: Attached) -> bool {
        let target = target_of(&attached.target_info);
        let (events, tag, stops) = {
            let mut state = self.state.lock();
            let at = state.attaches.iter().position(|attach| attach.target == target);
            let Some(attach) = at.and_then(|at| state.attaches.remove(at)) else { return false };
            let Some(client) = attach.client else { return false };
            let Some(known) = state.clients.get(&client) else {
                drop(state);
                let params = json!({ "sessionId": attached.session_id });
                connection.send(None, "Target.detachFromTarget", &params);
                return true;
            };
            let stops = attach.stops && known.waits && state.held.contains(&target);
            let session = ClientSession {
                client,
                target,
                stops,
                stops_children: false,
                hears_dialogs: false,
            };
            state.sessions.insert(attached.session_id.clone(), session);
            (state.events(client), attach.tag, stops)
        };
        if let Some(events) = events {
            events.attached(tag, &attached.session_id, &attached.target_info, stops);
        }
        true
    }

    fn on_detached(&self, session: &SessionId) -> bool {
        let (gone, events) = {
            let mut state = self.state.lock();
            let Some(gone) = state.sessions.remove(session) else { return false };
            let events = state.events(gone.client);
            (gone, events)
        };
        if let Some(events) = events {
            events.detached(session);
        }
        self.run_if_let(&gone.target);
        true
    }

    /// Reports what happens to targets.
    pub(crate) fn forward_target_event(&self, name: &str, event: &RawEvent<'_>) -> Option<()> {
        if self.is_empty() {
            return None;
        }
        match name {
            "targetCreated" | "targetInfoChanged" => {
                let InfoEvent { target_info } = event.params()?;
                let context = BrowserContextId::from(target_info["browserContextId"].as_str()?);
                let clients = self.state.lock().of_context(&context);
                clients.iter().for_each(|events| events.target_info(event.method, &target_info));
            }
            "targetDestroyed" | "targetCrashed" => {
                let params: Value = event.params()?;
                let target = TargetId::from(params["targetId"].as_str()?);
                let clients: Vec<_> = {
                    let mut state = self.state.lock();
                    if name == "targetDestroyed" {
                        state.held.forget(&target);
                        state.stops.retain(|(_, stopped)| *stopped != target);
                    }
                    state.clients.values().filter_map(|client| client.events.upgrade()).collect()
                };
                clients.iter().for_each(|c| c.target_ended(event.method, &target, &params));
            }
            _ => {}
        }
        Some(())
    }

    /// A tab is there.
    pub(crate) fn on_page_opened(&self, context: &BrowserContextId, target: &TargetId) {
        if !self.is_empty() {
            let clients = self.state.lock().of_context(context);
            clients.iter().for_each(|events| events.page_opened(target));
        }
    }

    /// A worker that belongs to no tab is there.
    pub(crate) fn on_worker_opened(&self, context: &BrowserContextId, target: &TargetId) {
        if !self.is_empty() {
            let clients = self.state.lock().of_context(context);
            clients.iter().for_each(|events| events.worker_opened(target));
        }
    }

    /// A download began or went on.
    pub(crate) fn on_download(
        &self,
        context: &BrowserContextId,
        method: &str,
        params: &Value,
        file: &Path,
    ) {
        let clients = self.state.lock().of_context(context);
        clients.iter().for_each(|events| events.download(context, method, params, file));
    }

    /// Whether a client has new tabs and workers of the context wait.
    pub(crate) fn stops_new_targets(&self, context: &BrowserContextId) -> bool {
        let stops = |client: &Client| client.waits && client.contexts.contains(context);
        !self.is_empty() && self.state.lock().clients.values().any(stops)
    }

    /// Whether a client has what is below this target stop.
    pub(crate) fn stops_children(&self, parent: &TargetId) -> bool {
        let stops = |session: &ClientSession| session.target == *parent && session.stops_children;
        !self.is_empty() && self.state.lock().sessions.values().any(stops)
    }

    /// Holds a target that the daemon has set up, until [`Clients::settle_held`].
    pub(crate) fn hold(&self, target: &TargetId, resume: ResumeTarget) {
        self.state.lock().held.insert(target, resume);
    }

    /// Has a held target run when no client stops it. What a client does at once when it
    /// hears of the target is known after two round trips: it asks what the target is,
    /// and attaches to it.
    pub(crate) fn settle_held(self: &Arc<Self>, connection: &CdpConnection, target: &TargetId) {
        let (clients, target, pipe) = (Arc::clone(self), target.clone(), connection.clone());
        let first = move |_| {
            let second = move |_| {
                clients.state.lock().held.settle(&target);
                clients.run_if_let(&target);
            };
            pipe.call_raw_then(None, ROUND_TRIP, &NoParams, Box::new(second));
        };
        connection.call_raw_then(None, ROUND_TRIP, &NoParams, Box::new(first));
    }

    /// Has a target stop for a client that is not attached to it yet.
    pub(crate) fn stop(&self, client: u64, target: &TargetId) {
        let mut state = self.state.lock();
        if state.held.contains(target) {
            state.stops.insert((client, target.clone()));
        }
    }

    /// Ends [`Clients::stop`].
    pub(crate) fn end_stop(&self, client: u64, target: &TargetId) {
        self.state.lock().stops.remove(&(client, target.clone()));
        self.run_if_let(target);
    }

    /// A client lets the target of a session run.
    pub(crate) fn let_run(&self, connection: &CdpConnection, session: &SessionId) {
        let target = {
            let mut state = self.state.lock();
            let Some(known) = state.sessions.get_mut(session) else { return };
            known.stops = false;
            let target = known.target.clone();
            let own = CdpSession::new(connection.clone(), session.clone());
            if !state.held.let_run(&target, own.clone()) {
                drop(state);
                return own.send("Runtime.runIfWaitingForDebugger", &NoParams);
            }
            target
        };
        self.run_if_let(&target);
    }

    /// Runs a held target that nobody stops any more.
    fn run_if_let(&self, target: &TargetId) {
        let ready = {
            let mut state = self.state.lock();
            let is_stopped = state.is_stopped(target);
            state.held.take_if(target, is_stopped)
        };
        if let Some(held) = ready {
            held.run();
        }
    }
}
