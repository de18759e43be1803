//! The states of all contexts, and the sessions that they hold for.

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};

use serde::de::IgnoredAny;

use super::messages::{Message, Own, Served, between};
use super::state::Emulation;
use crate::chromium::browser::options::Viewport;
use crate::chromium::connection::call::Call;
use crate::chromium::connection::session::Session;
use crate::chromium::ids::{BrowserContextId, SessionId};
use crate::chromium::page::page::Page;
use crate::chromium::sync::Lock;

/// What is emulated where.
pub(crate) struct Emulations {
    viewport: Viewport,
    agent: OnceLock<String>,
    state: Lock<State>,
    /// Held by whoever changes a state: changes build on each other.
    pub changing: tokio::sync::Mutex<()>,
}

#[derive(Default)]
struct State {
    contexts: HashMap<BrowserContextId, Emulation>,
    members: HashMap<SessionId, Member>,
}

/// One session of a context.
#[derive(Clone)]
pub(crate) struct Member {
    pub session: Session,
    pub served: Served,
    pub page: Weak<Page>,
    context: BrowserContextId,
}

impl Emulations {
    pub(crate) fn new(viewport: Viewport) -> Self {
        let (agent, state, changing) = Default::default();
        Self { viewport, agent, state, changing }
    }

    /// Says what the browser's own user agent is, once that is known.
    pub(crate) fn set_own_agent(&self, agent: &str) {
        let _ = self.agent.set(agent.to_owned());
    }

    /// What the browser is by itself.
    pub(crate) fn own(&self) -> Own {
        Own { viewport: self.viewport, agent: self.agent.get().cloned().unwrap_or_default() }
    }

    /// What is emulated in a context.
    pub(crate) fn of(&self, context: &BrowserContextId) -> Emulation {
        self.state.lock().contexts.get(context).cloned().unwrap_or_default()
    }

    /// A session attached: it is told the state of its context, and every
    /// change from now on.
    pub(crate) fn join(
        &self,
        session: &Session,
        served: Served,
        page: Option<&Arc<Page>>,
        context: &BrowserContextId,
    ) -> Emulation {
        let member = Member {
            session: session.clone(),
            served,
            page: page.map(Arc::downgrade).unwrap_or_default(),
            context: context.clone(),
        };
        let emulation = {
            let mut state = self.state.lock();
            state.members.insert(session.id().clone(), member);
            state.contexts.get(context).cloned().unwrap_or_default()
        };
        let messages = between(&Emulation::default(), &emulation, served, &self.own());
        send(session, messages).into_iter().for_each(Call::ignore);
        emulation
    }

    /// A session ended. Time zone and language belong to processes: a tab that
    /// goes takes them from those that share its process, so these are told
    /// again.
    pub(crate) fn leave(&self, session: &SessionId) {
        let (emulation, members) = {
            let mut state = self.state.lock();
            let Some(gone) = state.members.remove(session) else { return };
            let Some(emulation) = state.contexts.get(&gone.context) else { return };
            (emulation.clone(), members(&state, &gone.context))
        };
        let shared = Emulation {
            timezone: emulation.timezone.clone(),
            locale: emulation.locale.clone(),
            ..Emulation::default()
        };
        let own = self.own();
        for member in members.into_iter().filter(|member| member.served != Served::Worker) {
            let messages = between(&Emulation::default(), &shared, member.served, &own);
            let messages =
                messages.into_iter().filter(|(method, _)| !method.ends_with("UserAgentOverride"));
            send(&member.session, messages.collect()).into_iter().for_each(Call::ignore);
        }
    }

    /// Sets the state of a context; answers the sessions that it holds for.
    pub(crate) fn replace(&self, context: &BrowserContextId, new: Emulation) -> Vec<Member> {
        let mut state = self.state.lock();
        state.contexts.insert(context.clone(), new);
        members(&state, context)
    }

    /// A context ended.
    pub(crate) fn forget(&self, context: &BrowserContextId) {
        self.state.lock().contexts.remove(context);
    }
}

fn members(state: &State, context: &BrowserContextId) -> Vec<Member> {
    state.members.values().filter(|member| member.context == *context).cloned().collect()
}

/// Writes messages to a session.
pub(crate) fn send(session: &Session, messages: Vec<Message>) -> Vec<Call<IgnoredAny>> {
    messages.into_iter().map(|(method, params)| session.call_method(method, &params)).collect()
}
