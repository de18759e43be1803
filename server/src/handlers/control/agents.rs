//! Opens sessions for agent programs.

use std::sync::Arc;

use browse_base::{Error, Result, hex, random};
use browse_policy::{ClientId, Grant};
use browse_proto::{Reason, v1};
use browse_sessions::SessionRules;

use crate::{
    agents::{AgentHandle, AgentTerms},
    daemon::Daemon,
    dispatch::CallContext,
};

/// Opens a session for an agent, or makes a token for one that is open.
pub async fn open_agent(
    cx: &CallContext,
    request: v1::OpenAgentRequest,
) -> Result<v1::OpenAgentResponse> {
    if !cx.is_root() {
        let message = "only the owner opens sessions for agents";
        return Err(Error::new(Reason::ScopeDenied, message));
    }
    let terms = AgentTerms { read_only: request.read_only, hosts: request.host };
    let (agents, idle) = (cx.daemon().agents(), cx.settings().idle_timeout);
    let authority = cx.daemon().authority();
    let (handle, opened) = match request.handle {
        Some(handle) => {
            let opened = agents.token(authority, &handle, &terms, idle)?;
            (handle, opened)
        }
        None => {
            let handle = AgentHandle::generate()?;
            let named = cx.requested_session().map(str::to_owned);
            let is_own = named.is_none();
            let name = match named {
                Some(name) => name,
                None => format!("agent-{}", hex(&random::<4>()?)),
            };
            let is_new = cx.daemon().sessions().get(&name).is_none();
            if is_new {
                let owner = ClientId::new(format!("agent:{name}"))?;
                let rules = SessionRules { hosts: terms.host_policy()? };
                cx.daemon().sessions().open(&name.parse()?, &owner, rules).await?;
            }
            match agents.open(authority, &handle, (&name, is_own), &terms, idle) {
                Ok(opened) => (handle.expose().to_owned(), opened),
                Err(error) => {
                    if is_new && let Err(error) = cx.daemon().sessions().close(&name).await {
                        tracing::debug!(%error, name, "the session of a refused agent was gone");
                    }
                    return Err(error);
                }
            }
        }
    };
    if opened.is_new {
        close_when_ended(cx.daemon(), Arc::clone(&opened.grant));
    }
    Ok(v1::OpenAgentResponse {
        handle,
        session: opened.session,
        token: opened.token,
        scopes: terms.scopes().names().into_iter().map(str::to_owned).collect(),
        idle_ms: u64::try_from(idle.as_millis()).unwrap_or(u64::MAX),
    })
}

/// Closes the sessions that were of an agent alone when its last token ends.
fn close_when_ended(daemon: &Arc<Daemon>, grant: Arc<Grant>) {
    let daemon = Arc::downgrade(daemon);
    tokio::spawn(async move {
        grant.wait_until_ended().await;
        let Some(daemon) = daemon.upgrade() else { return };
        for session in daemon.agents().remove_ended() {
            tracing::info!(session, "the session of an agent has ended");
            if let Err(error) = daemon.sessions().close(&session).await {
                tracing::debug!(%error, session, "the session of an agent was gone");
            }
        }
    });
}
