//! The sessions that a server acts in, and what calls there are made with: a token for the
//! session, or in a fleet the token of the user, of which the gateway takes a part.

use std::{collections::HashMap, time::Duration};

use browse_cli::{
    Failure,
    embed::{CallerContext, EmbeddedCall, EmbeddedClient, EmbeddedServer},
};
use browse_proto::Reason;
use serde_json::{Map, Value};
use tokio::{sync::Mutex, time::timeout};

use crate::{options::ServerOptions, schema::command};

/// Time to close the session of a server whose client has gone: it may end this process soon.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// The most handles that a server remembers.
const MAX_KNOWN: usize = 100;

/// How the name of a session begins that a server opened in a fleet; 128 random bits follow in
/// hexadecimal. The name is the handle there.
const FLEET_PREFIX: &str = "agent-";

/// Hexadecimal digits after it.
const FLEET_DIGITS: usize = 32;

/// The scopes of an agent, with commas between: a daemon gives its token the same.
pub const AGENT_SCOPES: &str = "read,write,meta";
const READER_SCOPES: &str = "read";

/// A session that calls can be made in.
#[derive(Clone, Debug, Default)]
pub struct AgentSession {
    /// Its handle.
    pub handle: String,
    access: SessionAccess,
    /// Whether it is a session of a fleet that this server has named.
    is_made_here: bool,
}

/// What calls in a session are made with.
#[derive(Clone, Debug)]
enum SessionAccess {
    /// A token for the session.
    Token(String),
    /// The token of a fleet, of which they use these scopes.
    Fleet(&'static str),
}

impl Default for SessionAccess {
    fn default() -> Self {
        Self::Token(String::new())
    }
}

impl AgentSession {
    /// Who makes a call in it.
    pub fn caller<'a>(&'a self, traceparent: Option<&'a str>) -> CallerContext<'a> {
        match &self.access {
            SessionAccess::Token(token) => {
                CallerContext { token: Some(token), traceparent, ..CallerContext::default() }
            }
            SessionAccess::Fleet(scopes) => CallerContext {
                session: Some(&self.handle),
                scopes: Some(*scopes),
                traceparent,
                ..CallerContext::default()
            },
        }
    }

    /// Whether it is in a fleet. There nobody can approve what was refused.
    pub fn is_in_fleet(&self) -> bool {
        matches!(self.access, SessionAccess::Fleet(_))
    }

    /// Whether `failure` means that the session has ended, or its token. A session of a fleet is
    /// opened again by the next command, and its token is that of the user.
    pub fn has_ended(&self, failure: &Failure) -> bool {
        !self.is_in_fleet() && ENDED_REASONS.iter().any(|reason| failure.has_reason(*reason))
    }

    /// The same failure with the hint that fits for an agent.
    pub fn advise(&self, failure: Failure) -> Failure {
        match self.is_in_fleet() && failure.has_reason(Reason::SessionNotFound) {
            true => failure.with_hint("Use a tool that needs a page first: it opens the session"),
            false => failure,
        }
    }
}

/// The reasons of a daemon for a token or a session that has ended.
const ENDED_REASONS: &[Reason] = &[
    Reason::TokenInvalid,
    Reason::TokenExpired,
    Reason::TokenRevoked,
    Reason::TokenForeign,
    Reason::SessionNotFound,
    Reason::AgentSessionEnded,
];

/// The sessions of a server.
pub struct McpSessions {
    options: ServerOptions,
    state: Mutex<KnownSessions>,
}

#[derive(Default)]
struct KnownSessions {
    /// The one of calls that name none.
    default: Option<AgentSession>,
    by_handle: HashMap<String, AgentSession>,
}

impl McpSessions {
    /// None yet.
    pub fn new(options: ServerOptions) -> Self {
        Self { options, state: Mutex::default() }
    }

    /// The session of a call: that of `handle`, else the server's own, which is opened
    /// with the first call.
    ///
    /// # Errors
    /// `AGENT_SESSION_ENDED`; the daemon cannot be reached, or is one of a pairing; `FLEET_DENIED`:
    /// a fleet cannot hold a session to hosts.
    pub async fn get(
        &self,
        client: &EmbeddedClient,
        handle: Option<&str>,
    ) -> Result<AgentSession, Failure> {
        let mut state = self.state.lock().await;
        let known = match handle {
            Some(handle) => state.by_handle.get(handle).cloned(),
            None if self.options.shares_process => None,
            None => state.default.clone(),
        };
        if let Some(known) = known {
            return Ok(known);
        }
        let opened = self.open(client, handle).await?;
        if state.by_handle.len() >= MAX_KNOWN {
            state.by_handle.clear();
        }
        state.by_handle.insert(opened.handle.clone(), opened.clone());
        if handle.is_none() && !self.options.shares_process {
            state.default = Some(opened.clone());
        }
        Ok(opened)
    }

    /// Forgets a session whose token is not good any more.
    pub async fn forget(&self, session: &AgentSession) {
        let mut state = self.state.lock().await;
        state.by_handle.remove(&session.handle);
        if state.default.as_ref().is_some_and(|known| known.handle == session.handle) {
            state.default = None;
        }
    }

    /// Closes the server's own session, where it is one of a fleet that the server has named, so that
    /// its place is free at once. Where that fails it is closed after the idle time, as any session.
    pub async fn close_own(&self, client: &EmbeddedClient) {
        let own = self.state.lock().await.default.take();
        let Some(session) = own.filter(|session| session.is_made_here) else { return };
        let fields = Map::from_iter([("name".to_owned(), Value::from(session.handle.as_str()))]);
        let Ok(call) = EmbeddedCall::new(command("session close"), fields) else { return };
        // With all scopes of the token: those of the agent do not include this.
        let caller = CallerContext { session: Some(&session.handle), ..CallerContext::default() };
        let _ = timeout(CLOSE_TIMEOUT, client.call_for_data(&call, caller)).await;
    }

    async fn open(
        &self,
        client: &EmbeddedClient,
        handle: Option<&str>,
    ) -> Result<AgentSession, Failure> {
        match client.server()? {
            EmbeddedServer::Daemon => self.open_at_daemon(client, handle).await,
            EmbeddedServer::Fleet => self.name_in_fleet(client, handle),
            EmbeddedServer::Paired => {
                let message = "`browse mcp` serves a daemon on this machine or a fleet";
                Err(Failure::new(Reason::TunnelDenied, message)
                    .with_hint("Use the pairing in a shell: `browse --remote <name> <command>`"))
            }
        }
    }

    /// A session of a fleet, which its first command opens.
    fn name_in_fleet(
        &self,
        client: &EmbeddedClient,
        handle: Option<&str>,
    ) -> Result<AgentSession, Failure> {
        if !self.options.hosts.is_empty() {
            let message = "a fleet does not hold sessions to the hosts of `--host`";
            return Err(Failure::new(Reason::FleetDenied, message)
                .with_hint("Leave `--host` out; the settings of the fleet name the hosts"));
        }
        let named = self.options.session.as_deref().or_else(|| client.environment_session());
        let is_made_here = handle.or(named).is_none();
        let handle = match handle.or(named) {
            Some(handle) if named == Some(handle) || is_fleet_handle(handle) => handle.to_owned(),
            Some(_) => {
                let message = "the handle is not of a session that an agent has opened";
                return Err(Failure::new(Reason::AgentSessionEnded, message));
            }
            None => format!("{FLEET_PREFIX}{:0FLEET_DIGITS$x}", rand::random::<u128>()),
        };
        let scopes = if self.options.read_only { READER_SCOPES } else { AGENT_SCOPES };
        Ok(AgentSession { handle, access: SessionAccess::Fleet(scopes), is_made_here })
    }

    async fn open_at_daemon(
        &self,
        client: &EmbeddedClient,
        handle: Option<&str>,
    ) -> Result<AgentSession, Failure> {
        let mut fields = Map::new();
        if let Some(handle) = handle {
            fields.insert("handle".to_owned(), handle.into());
        }
        fields.insert("read_only".to_owned(), self.options.read_only.into());
        let hosts = self.options.hosts.iter().cloned().map(Value::from).collect();
        fields.insert("host".to_owned(), Value::Array(hosts));
        let call = EmbeddedCall::new(command("agent open"), fields)?;
        let session = self.options.session.as_deref().filter(|_| handle.is_none());
        let opened = client
            .call_for_data(&call, CallerContext { session, ..CallerContext::default() })
            .await?
            .response;
        let text = |name: &str| {
            let text = opened.get(name).and_then(Value::as_str).map(str::to_owned);
            text.ok_or_else(|| Failure::new(Reason::Bug, format!("the answer has no `{name}`")))
        };
        let access = SessionAccess::Token(text("token")?);
        Ok(AgentSession { handle: text("handle")?, access, is_made_here: false })
    }
}

/// Whether a server can have made the handle. The name of another session is not one, so that no
/// agent comes into a session of the user by its name.
fn is_fleet_handle(handle: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    let digits = handle.strip_prefix(FLEET_PREFIX);
    digits.is_some_and(|digits| digits.len() == FLEET_DIGITS && digits.bytes().all(is_digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_name_of_a_session_is_not_a_handle() {
        let digits = "0123456789abcdef0123456789abcdef";
        assert!(is_fleet_handle(&format!("agent-{digits}")));
        for other in
            ["", "agent-", "work", "agent-0123", digits, "agent-0123456789ABCDEF0123456789ABCDEF"]
        {
            assert!(!is_fleet_handle(other), "{other}");
        }
        assert!(!is_fleet_handle(&format!("agent-{digits}0")));
    }

    #[test]
    fn a_session_of_a_fleet_is_not_forgotten_with_the_token_of_the_user() {
        let local = AgentSession::default();
        let fleet = AgentSession {
            handle: "work".to_owned(),
            access: SessionAccess::Fleet(AGENT_SCOPES),
            is_made_here: false,
        };
        let expired = Failure::new(Reason::TokenExpired, "words").with_hint("Run `browse login`");
        assert!(local.has_ended(&expired) && !fleet.has_ended(&expired));
        assert_eq!(fleet.advise(expired.clone()).hint, expired.hint);
        let caller = fleet.caller(None);
        assert_eq!((caller.token, caller.session), (None, Some("work")));
        assert_eq!((caller.scopes, local.caller(None).scopes), (Some(AGENT_SCOPES), None));
    }
}
