//! Sessions: isolated browsing contexts with a name.

use std::sync::Arc;

use browse_proto::{Reason, v1};
use futures::future::join_all;

use super::memory::heap_bytes;
use crate::{daemon::attach_default_session, dispatch::CallContext};
use browse_base::{HINT_KEY, Result};
use browse_sessions::{Attachment, Session, SessionName, SessionRules};

/// Lists the sessions.
pub async fn list_sessions(
    cx: &CallContext,
    _: v1::ListSessionsRequest,
) -> Result<v1::ListSessionsResponse> {
    let all = cx.daemon().sessions().all();
    let describe = async |session: &Arc<Session>| {
        let tabs = session.tabs();
        v1::Session {
            name: session.name().to_owned(),
            tabs: tabs.len() as u32,
            owner: session.owner().to_string(),
            idle_seconds: session.idle_time().as_secs(),
            heap_bytes: heap_bytes(&tabs).await,
            browser: match session.attachment() {
                Attachment::Browser { browser, name } if browser.is_gone() => {
                    Some(format!("{name}, which has ended"))
                }
                Attachment::Browser { name, .. } => Some(name),
                Attachment::Failed(error) => Some(format!("none: {error}")),
                Attachment::None => None,
            },
        }
    };
    Ok(v1::ListSessionsResponse { sessions: join_all(all.iter().map(describe)).await })
}

/// Opens a session.
pub async fn new_session(
    cx: &CallContext,
    request: v1::NewSessionRequest,
) -> Result<v1::NewSessionResponse> {
    let name: SessionName = request.name.parse()?;
    cx.daemon().sessions().open(&name, cx.client(), SessionRules::unrestricted()).await?;
    Ok(v1::NewSessionResponse { name: request.name })
}

/// Closes a session.
pub async fn close_session(
    cx: &CallContext,
    request: v1::CloseSessionRequest,
) -> Result<v1::CloseSessionResponse> {
    if let Some(session) = cx.daemon().sessions().get(&request.name) {
        cx.check_session_free(&session)?;
    }
    cx.daemon().windows().forget(&request.name).await;
    let tabs = cx.daemon().sessions().get(&request.name).map(|session| session.tabs());
    let closed = cx.daemon().sessions().close(&request.name).await;
    closed.map_err(|error| match error.reason() {
        // Its hint would open what is to be closed.
        Reason::SessionNotFound => error.with(HINT_KEY, "Run `browse session list`"),
        _ => error,
    })?;
    if request.name == SessionName::default_session().as_str()
        && cx.settings().cdp_url.is_some()
        && let Some(next) = cx.daemon().sessions().get(&request.name)
    {
        // Its next callers wait, and are in no other browser meanwhile.
        next.begin_attaching();
        let daemon = Arc::clone(cx.daemon());
        tokio::spawn(async move { attach_default_session(&daemon).await });
    }
    cx.daemon().devtools().revoke(&request.name);
    // One that is not traced is not an error.
    let _ = cx.daemon().traces().stop(&request.name);
    cx.daemon().agents().remove_session(&request.name);
    let untold = tabs.iter().flatten().filter_map(|tab| tab.unreported_dialogs().take_questions());
    untold.for_each(|words| cx.add_notice(&words));
    Ok(v1::CloseSessionResponse { name: request.name })
}
