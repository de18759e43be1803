//! The sessions that a server acts in, with the token for each.

use std::collections::HashMap;

use browse_cli::{
    Failure,
    embed::{Caller, EmbeddedCall, EmbeddedClient},
};
use browse_proto::Reason;
use serde_json::{Map, Value};
use tokio::sync::Mutex;

use crate::{options::ServerOptions, schema::command};

/// The most handles that a server remembers the tokens of.
const MAX_KNOWN: usize = 100;

/// A session that calls can be made in.
#[derive(Clone, Debug, Default)]
pub struct AgentSession {
    /// Its handle.
    pub handle: String,
    /// The token for it.
    pub token: String,
}

/// The sessions of a server.
pub struct AgentSessions {
    options: ServerOptions,
    state: Mutex<KnownSessions>,
}

#[derive(Default)]
struct KnownSessions {
    /// The one of calls that name none.
    default: Option<AgentSession>,
    tokens: HashMap<String, String>,
}

impl AgentSessions {
    /// None yet.
    pub fn new(options: ServerOptions) -> Self {
        Self { options, state: Mutex::default() }
    }

    /// The session of a call: that of `handle`, else the server's own, which is opened
    /// with the first call.
    ///
    /// # Errors
    /// `AGENT_SESSION_ENDED`; the daemon cannot be reached.
    pub async fn get(
        &self,
        client: &EmbeddedClient,
        handle: Option<&str>,
    ) -> Result<AgentSession, Failure> {
        let mut state = self.state.lock().await;
        let known = match handle {
            Some(handle) => state
                .tokens
                .get(handle)
                .map(|token| AgentSession { handle: handle.to_owned(), token: token.clone() }),
            None if self.options.shares_process => None,
            None => state.default.clone(),
        };
        if let Some(known) = known {
            return Ok(known);
        }
        let opened = self.open(client, handle).await?;
        if state.tokens.len() >= MAX_KNOWN {
            state.tokens.clear();
        }
        state.tokens.insert(opened.handle.clone(), opened.token.clone());
        if handle.is_none() && !self.options.shares_process {
            state.default = Some(opened.clone());
        }
        Ok(opened)
    }

    /// Forgets a session whose token is not good any more.
    pub async fn forget(&self, session: &AgentSession) {
        let mut state = self.state.lock().await;
        state.tokens.remove(&session.handle);
        if state.default.as_ref().is_some_and(|known| known.handle == session.handle) {
            state.default = None;
        }
    }

    async fn open(
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
        let opened =
            client.call_for_data(&call, Caller { session, ..Caller::default() }).await?.response;
        let text = |name: &str| {
            let text = opened.get(name).and_then(Value::as_str).map(str::to_owned);
            text.ok_or_else(|| Failure::new(Reason::Bug, format!("the answer has no `{name}`")))
        };
        Ok(AgentSession { handle: text("handle")?, token: text("token")? })
    }
}

/// Whether a failure says that the token or the session of a call has ended.
pub fn has_ended(failure: &Failure) -> bool {
    [
        Reason::TokenInvalid,
        Reason::TokenExpired,
        Reason::TokenRevoked,
        Reason::TokenForeign,
        Reason::SessionNotFound,
        Reason::AgentSessionEnded,
    ]
    .into_iter()
    .any(|reason| failure.has_reason(reason))
}
