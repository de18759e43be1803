//! The states of all contexts, and the sessions that they hold for.

use serde_json::{Map, Value};
use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};

use serde::de::IgnoredAny;

use super::page::Page;
use crate::connection::call::CdpCall;
use crate::connection::session::CdpSession;
use crate::emulation::identity::Identity;
use crate::emulation::messages::{
    BrowserDefaults, EmulatedTarget, EmulationCommand, diff, initial,
};
use crate::emulation::state::Emulation;
use crate::emulation::viewport::Viewport;
use crate::ids::{BrowserContextId, SessionId};
use browse_base::Lock;

/// What is emulated where.
pub(crate) struct Emulations {
    default_viewport: Viewport,
    own_agent: OnceLock<(String, Option<Identity>)>,
    state: Lock<EmulationsState>,
    /// Held by whoever changes a state: changes build on each other.
    pub change_lock: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct EmulationsState {
    contexts: HashMap<BrowserContextId, Emulation>,
    sessions: HashMap<SessionId, EmulatedSession>,
}

/// One session of a context.
#[derive(Clone)]
pub(crate) struct EmulatedSession {
    pub session: CdpSession,
    pub target: EmulatedTarget,
    pub page: Weak<Page>,
    context: BrowserContextId,
}

impl Emulations {
    pub(crate) fn new(viewport: Viewport) -> Self {
        let (own_agent, state, change_lock) = Default::default();
        Self { default_viewport: viewport, own_agent, state, change_lock }
    }

    /// Says what the browser's own user agent is, once that is known, and what its
    /// sessions say instead.
    pub(crate) fn set_defaults(&self, agent: &str, identity: Option<Identity>) {
        let _ = self.own_agent.set((agent.to_owned(), identity));
    }

    /// The headers of a document with the brands of the identity. A window without an opener
    /// asks for its document before anybody is attached to it, with those of the browser.
    pub(crate) fn plain_headers(&self, headers: &Map<String, Value>) -> Option<Value> {
        let (_, identity) = self.own_agent.get()?;
        identity.as_ref()?.replace_brands(headers)
    }

    /// What the browser is by itself.
    pub(crate) fn defaults(&self) -> BrowserDefaults {
        let (user_agent, identity) = self.own_agent.get().cloned().unwrap_or_default();
        BrowserDefaults { viewport: self.default_viewport, user_agent, identity }
    }

    /// What is emulated in a context.
    pub(crate) fn get(&self, context: &BrowserContextId) -> Emulation {
        self.state.lock().contexts.get(context).cloned().unwrap_or_default()
    }

    /// A session attached: it receives the state of its context, and every
    /// change from now on.
    pub(crate) fn add_session(
        &self,
        session: &CdpSession,
        served: EmulatedTarget,
        page: Option<&Arc<Page>>,
        context: &BrowserContextId,
    ) -> Emulation {
        let member = EmulatedSession {
            session: session.clone(),
            target: served,
            page: page.map(Arc::downgrade).unwrap_or_default(),
            context: context.clone(),
        };
        let emulation = {
            let mut state = self.state.lock();
            state.sessions.insert(session.id().clone(), member);
            state.contexts.get(context).cloned().unwrap_or_default()
        };
        let messages = initial(&emulation, served, &self.defaults());
        send(session, messages).into_iter().for_each(CdpCall::ignore);
        emulation
    }

    /// A session ended. Time zone and language belong to processes: a tab that
    /// goes takes them from those that share its process, so these are reported
    /// again.
    pub(crate) fn remove_session(&self, session: &SessionId) {
        let (emulation, members) = {
            let mut state = self.state.lock();
            let Some(gone) = state.sessions.remove(session) else { return };
            let Some(emulation) = state.contexts.get(&gone.context) else { return };
            (emulation.clone(), sessions_of(&state, &gone.context))
        };
        let shared = Emulation {
            timezone: emulation.timezone.clone(),
            locale: emulation.locale.clone(),
            ..Emulation::default()
        };
        let own = self.defaults();
        for member in members.into_iter().filter(|member| member.target != EmulatedTarget::Worker) {
            let messages = diff(&Emulation::default(), &shared, member.target, &own);
            let messages =
                messages.into_iter().filter(|(method, _)| !method.ends_with("UserAgentOverride"));
            send(&member.session, messages.collect()).into_iter().for_each(CdpCall::ignore);
        }
    }

    /// Sets the state of a context; answers the sessions that it holds for.
    pub(crate) fn replace(
        &self,
        context: &BrowserContextId,
        new: Emulation,
    ) -> Vec<EmulatedSession> {
        let mut state = self.state.lock();
        state.contexts.insert(context.clone(), new);
        sessions_of(&state, context)
    }

    /// A context ended.
    pub(crate) fn remove_context(&self, context: &BrowserContextId) {
        self.state.lock().contexts.remove(context);
    }
}

fn sessions_of(state: &EmulationsState, context: &BrowserContextId) -> Vec<EmulatedSession> {
    state.sessions.values().filter(|member| member.context == *context).cloned().collect()
}

/// Writes messages to a session.
pub(crate) fn send(
    session: &CdpSession,
    messages: Vec<EmulationCommand>,
) -> Vec<CdpCall<IgnoredAny>> {
    messages.into_iter().map(|(method, params)| session.call_method(method, &params)).collect()
}
