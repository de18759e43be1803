//! Opens sessions for agent programs.

use std::sync::Arc;

use browse_base::{Error, HINT_KEY, Result, hex, random};
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
            if let Some(session) = agents.session(&handle) {
                ensure_as_narrow(cx, &session, &terms)?;
            }
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
            ensure_as_narrow(cx, &name, &terms)?;
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

/// Refuses hosts for a session that may open others: its pages would lead there, whatever the
/// token allows.
fn ensure_as_narrow(cx: &CallContext, name: &str, terms: &AgentTerms) -> Result<()> {
    let Some(session) = cx.daemon().sessions().get(name) else { return Ok(()) };
    let (own, asked) = (&session.rules().hosts, terms.host_policy()?);
    if asked.is_any() || own.is_within(&asked) {
        return Ok(());
    }
    let message = format!(
        "the session `{name}` may open other hosts than `--host` names, so that a link would lead \
         there"
    );
    let hint = "Leave `--session` out: the agent gets a session of its own that is held to the \
                hosts. Or leave `--host` out";
    Err(Error::new(Reason::ArgumentInvalid, message)
        .with("command", "agent open")
        .with(HINT_KEY, hint))
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
