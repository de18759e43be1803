//! The sessions of agents: one row a handle, a token for each set of terms.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use browse_base::{Error, Result, hex, random};
use browse_net::HostPolicy;
use browse_policy::{
    Audience, Authority, ClientId, ClientKind, Delivery, Grant, GrantSpec, IssuedToken, Rate,
    Scopes, SessionRule, TabPolicy,
};
use browse_proto::{Reason, Scope};

use super::AgentHandle;

/// The longest that a token of an agent is good; its idle time ends it before.
const MAX_LIFETIME: Duration = Duration::from_secs(30 * 24 * 3600);

/// Calls a second that an agent may make.
const MAX_CALLS_PER_SECOND: u32 = 200;

/// Sessions of agents at a time.
const MAX_SESSIONS: usize = 500;

/// What an agent may do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AgentTerms {
    /// Whether it only reads.
    pub read_only: bool,
    /// Patterns of hosts that it may open; all public ones when empty.
    pub hosts: Vec<String>,
}

/// A session that was opened for an agent.
#[derive(Clone, Debug)]
pub struct OpenedAgent {
    /// The token.
    pub token: String,
    /// Its grant.
    pub grant: Arc<Grant>,
    /// The session that it is bound to.
    pub session: String,
    /// Whether it was made just now.
    pub is_new: bool,
}

/// The sessions of agents, by the hash of their handle.
#[derive(Default)]
pub struct AgentSessions {
    rows: Mutex<HashMap<[u8; 32], AgentRow>>,
}

struct AgentRow {
    session: String,
    /// Whether the session was made for the agent, and is closed with it.
    is_own: bool,
    tokens: Vec<(AgentTerms, IssuedToken)>,
}

impl AgentTerms {
    /// The scopes of a token.
    pub fn scopes(&self) -> Scopes {
        match self.read_only {
            true => Scopes::of(&[Scope::Read]),
            false => Scopes::of(&[Scope::Read, Scope::Write, Scope::Meta]),
        }
    }

    /// The hosts that it may open.
    ///
    /// # Errors
    /// A pattern is not one.
    pub fn host_policy(&self) -> Result<HostPolicy> {
        match self.hosts.is_empty() {
            true => Ok(HostPolicy::Any),
            false => HostPolicy::from_patterns(&self.hosts),
        }
    }
}

impl AgentSessions {
    /// Adds `session` for `handle`, with a token for `terms` that ends when no call came
    /// for `idle`.
    ///
    /// # Errors
    /// There are too many sessions; a pattern of hosts is not one.
    pub fn open(
        &self,
        authority: &Arc<Authority>,
        handle: &AgentHandle,
        (session, is_own): (&str, bool),
        terms: &AgentTerms,
        idle: Duration,
    ) -> Result<OpenedAgent> {
        let mut rows = self.rows();
        if rows.len() >= MAX_SESSIONS {
            let message = format!("{MAX_SESSIONS} sessions of agents are open");
            return Err(Error::new(Reason::TooLarge, message).with("limit", MAX_SESSIONS));
        }
        let mut row = AgentRow { session: session.to_owned(), is_own, tokens: Vec::new() };
        let opened = row.token(authority, terms, idle)?;
        rows.insert(AgentHandle::hash(handle.expose()), row);
        Ok(opened)
    }

    /// A token for `terms` in the session of `handle`: the one that is in force, else a
    /// new one that ends when no call came for `idle`.
    ///
    /// # Errors
    /// `AGENT_SESSION_ENDED`; a pattern of hosts is not one.
    pub fn token(
        &self,
        authority: &Arc<Authority>,
        handle: &str,
        terms: &AgentTerms,
        idle: Duration,
    ) -> Result<OpenedAgent> {
        let mut rows = self.rows();
        rows.get_mut(&AgentHandle::hash(handle)).ok_or_else(ended)?.token(authority, terms, idle)
    }

    /// The session of `handle`.
    pub fn session(&self, handle: &str) -> Option<String> {
        self.rows().get(&AgentHandle::hash(handle)).map(|row| row.session.clone())
    }

    /// Ends the rows that have no token in force; answers the sessions that were theirs
    /// alone and are to be closed.
    pub fn remove_ended(&self) -> Vec<String> {
        let mut closed = Vec::new();
        self.rows().retain(|_, row| {
            row.tokens.retain(|(_, token)| token.grant().check_alive().is_ok());
            if row.tokens.is_empty() && row.is_own {
                closed.push(row.session.clone());
            }
            !row.tokens.is_empty()
        });
        closed
    }

    /// Ends the handles and tokens of a session that was closed.
    pub fn remove_session(&self, session: &str) {
        self.rows().retain(|_, row| row.session != session);
    }

    fn rows(&self) -> MutexGuard<'_, HashMap<[u8; 32], AgentRow>> {
        self.rows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl AgentRow {
    fn token(
        &mut self,
        authority: &Arc<Authority>,
        terms: &AgentTerms,
        idle: Duration,
    ) -> Result<OpenedAgent> {
        self.tokens.retain(|(_, token)| token.grant().check_alive().is_ok());
        let known = self.tokens.iter().find(|(of, _)| of == terms).map(|(_, token)| token);
        let (token, is_new) = match known {
            Some(token) => (token, false),
            None => {
                let token = authority.issue_with_idle_timeout(self.spec(terms)?, Some(idle))?;
                self.tokens.push((terms.clone(), token));
                let (_, token) = self.tokens.last().ok_or_else(ended)?;
                (token, true)
            }
        };
        Ok(OpenedAgent {
            token: token.token().to_owned(),
            grant: Arc::clone(token.grant()),
            session: self.session.clone(),
            is_new,
        })
    }

    fn spec(&self, terms: &AgentTerms) -> Result<GrantSpec> {
        Ok(GrantSpec {
            client: ClientId::new(format!("agent:{}", hex(&random::<4>()?)))?,
            audience: Audience::Local,
            kind: ClientKind::Agent,
            scopes: terms.scopes(),
            hosts: terms.host_policy()?,
            tabs: TabPolicy::Session,
            session: SessionRule::Only(self.session.clone()),
            rate: Rate::PerSecond(MAX_CALLS_PER_SECOND),
            delivery: Delivery::Guarded,
            lifetime: MAX_LIFETIME,
        })
    }
}

fn ended() -> Error {
    Error::new(Reason::AgentSessionEnded, "the session of this handle has ended")
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use browse_policy::{Authority, Listener};
    use browse_proto::{Command, Reason};

    use super::{AgentHandle, AgentSessions, AgentTerms};

    const IDLE: Duration = Duration::from_secs(60);

    fn terms(read_only: bool) -> AgentTerms {
        AgentTerms { read_only, hosts: Vec::new() }
    }

    #[test]
    fn a_handle_leads_to_one_token_for_the_same_terms() {
        let (agents, authority) = (AgentSessions::default(), Arc::new(Authority::new().unwrap()));
        let handle = AgentHandle::generate().unwrap();
        let opened = agents.open(&authority, &handle, ("s", true), &terms(false), IDLE).unwrap();
        let again = agents.token(&authority, handle.expose(), &terms(false), IDLE).unwrap();
        assert!(opened.is_new && !again.is_new && opened.token == again.token);
        // Other terms are another token, in the same session.
        let reader = agents.token(&authority, handle.expose(), &terms(true), IDLE).unwrap();
        assert!(reader.is_new && reader.token != opened.token && reader.session == "s");
        let click = Command::by_name("click").unwrap();
        assert!(browse_policy::check(&opened.grant, click, Listener::Local).is_ok());
        let refused = browse_policy::check(&reader.grant, click, Listener::Local).unwrap_err();
        assert_eq!(refused.reason(), Reason::ScopeDenied);
    }

    #[test]
    fn what_has_ended_is_closed_once() {
        let (agents, authority) = (AgentSessions::default(), Arc::new(Authority::new().unwrap()));
        let (own, named) = (AgentHandle::generate().unwrap(), AgentHandle::generate().unwrap());
        let first = agents.open(&authority, &own, ("own", true), &terms(false), IDLE).unwrap();
        agents.open(&authority, &named, ("named", false), &terms(false), IDLE).unwrap();
        assert!(agents.remove_ended().is_empty());
        let client = &first.grant.capability().client;
        assert!(authority.revoke(client));
        assert_eq!(agents.remove_ended(), ["own"]);
        assert!(agents.remove_ended().is_empty());
        let ended = agents.token(&authority, own.expose(), &terms(false), IDLE).unwrap_err();
        assert_eq!(ended.reason(), Reason::AgentSessionEnded);
        agents.remove_session("named");
        assert!(agents.token(&authority, named.expose(), &terms(false), IDLE).is_err());
    }
}
