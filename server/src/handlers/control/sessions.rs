//! Sessions: isolated browsing contexts with a name.

use std::{collections::BTreeMap, sync::Arc, time::SystemTime};

use browse_proto::{Reason, v1};
use futures::future::join_all;

use super::memory::heap_bytes;
use crate::{
    daemon::attach_default_session,
    dispatch::{CallContext, ensure_not_paused},
    handlers::browser::window::close_window,
    kept_sessions::{KeptEnd, KeptListing, KeptState, SaveOutcome},
};
use browse_base::{Error, HINT_KEY, Result};
use browse_policy::ClientId;
use browse_sessions::{Attachment, Session, SessionName, SessionRules};

/// What stands in the place of a browser for a kept session that is not open.
const NOT_OPEN: &str = "none: it is not open";

/// Lists the sessions, those at the end that are kept and not open.
pub async fn list_sessions(
    cx: &CallContext,
    _: v1::ListSessionsRequest,
) -> Result<v1::ListSessionsResponse> {
    let covers = |name: &str| cx.capability().session.covers(name);
    let mut all = cx.daemon().sessions().all();
    all.retain(|session| covers(session.name()));
    let listed = cx.daemon().kept_sessions().list().into_iter().filter(|kept| covers(&kept.name));
    let mut kept: BTreeMap<_, _> = listed.map(|kept| (kept.name.clone(), kept)).collect();
    let opened = all.iter().map(|session| describe(session, kept.remove(session.name())));
    let mut sessions = join_all(opened).await;
    sessions.extend(kept.into_values().map(describe_closed));
    Ok(v1::ListSessionsResponse { sessions })
}

async fn describe(session: &Session, kept: Option<KeptListing>) -> v1::Session {
    let tabs = session.tabs();
    let is_closed = kept.as_ref().is_some_and(|kept| kept.state == KeptState::Closed);
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
            // The session `default` is there before what is kept of it.
            Attachment::None => is_closed.then(|| NOT_OPEN.to_owned()),
        },
        kept: kept.is_some(),
        saved: saved_time(kept.as_ref()),
    }
}

/// A session that is kept and not open.
fn describe_closed(kept: KeptListing) -> v1::Session {
    v1::Session {
        saved: saved_time(Some(&kept)),
        name: kept.name,
        owner: ClientId::root().to_string(),
        browser: Some(NOT_OPEN.to_owned()),
        kept: true,
        ..v1::Session::default()
    }
}

fn saved_time(kept: Option<&KeptListing>) -> String {
    let time = |at: SystemTime| humantime::format_rfc3339_seconds(at).to_string();
    kept.and_then(|kept| kept.saved_at).map(time).unwrap_or_default()
}

/// Opens a session.
pub async fn new_session(
    cx: &CallContext,
    request: v1::NewSessionRequest,
) -> Result<v1::NewSessionResponse> {
    let name: SessionName = request.name.parse()?;
    check_session(cx, &request.name)?;
    let kept = cx.daemon().kept_sessions();
    // Under a name that is kept, nothing else is opened.
    if request.keep || kept.state_of(&request.name) == Some(KeptState::Closed) {
        ensure_owner(cx, "keeps sessions")?;
        let counts = kept.keep(&name).await?;
        let session = cx.daemon().sessions().get(&request.name);
        if session.is_some_and(|session| !session.may_be_saved()) {
            cx.add_notice(&format!(
                "a person has the session `{}`, or it is in a window: it is saved when it is back",
                request.name
            ));
        }
        let restored = if counts.is_empty() { String::new() } else { counts.to_string() };
        return Ok(v1::NewSessionResponse { name: request.name, restored });
    }
    // One that lies in the store of the fleet is not another one.
    if let Some(fleet) = cx.daemon().fleet_sessions()
        && let Some(restored) =
            fleet.open(&request.name, cx.client(), &SessionRules::unrestricted()).await?
    {
        cx.add_notice(&restored.notice(&request.name));
        fleet.take_restored(&request.name);
        let restored = restored.counts.to_string();
        return Ok(v1::NewSessionResponse { name: request.name, restored });
    }
    cx.daemon().sessions().open(&name, cx.client(), SessionRules::unrestricted()).await?;
    Ok(v1::NewSessionResponse { name: request.name, restored: String::new() })
}

/// What is kept is the owner's, with its logins.
fn ensure_owner(cx: &CallContext, does: &str) -> Result<()> {
    // A pod has nothing that lasts: its fleet does.
    if cx.is_owner() && !cx.is_of_fleet() {
        return Ok(());
    }
    let message = format!("only the owner {does}: `{}` may not", cx.client());
    Err(Error::new(Reason::ScopeDenied, message))
}

/// Refuses a token that is for another session.
fn check_session(cx: &CallContext, name: &str) -> Result<()> {
    if cx.capability().session.covers(name) {
        return Ok(());
    }
    let message = format!("the token is not good for the session `{name}`");
    Err(Error::new(Reason::SessionDenied, message))
}

/// Closes a session.
pub async fn close_session(
    cx: &CallContext,
    request: v1::CloseSessionRequest,
) -> Result<v1::CloseSessionResponse> {
    check_session(cx, &request.name)?;
    if let Some(session) = cx.daemon().sessions().get(&request.name) {
        cx.check_session_free(&session)?;
        ensure_not_paused(&session)?;
    }
    let end = prepare_close(cx, &request).await?;
    let Some(end) = end else { return Ok(v1::CloseSessionResponse { name: request.name }) };
    cx.daemon().windows().forget(&request.name).await;
    let tabs = cx.daemon().sessions().get(&request.name).map(|session| session.tabs());
    // Before it is closed: while its state cannot be deleted, it is still open.
    let was_stored = match cx.daemon().fleet_sessions() {
        Some(fleet) => fleet.remove(&request.name).await?,
        None => false,
    };
    let closed = cx.daemon().kept_sessions().close(&request.name, end).await;
    let closed = closed.or_else(|error| match error.reason() {
        // It lay in the store alone.
        Reason::SessionNotFound if was_stored => Ok(()),
        _ => Err(error),
    });
    closed.map_err(|error| explain_missing(cx, &request.name, error))?;
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
    cx.daemon().talk().forget(&request.name);
    cx.daemon().agents().remove_session(&request.name);
    let untold = tabs.iter().flatten().filter_map(|tab| tab.unreported_dialogs().take_questions());
    untold.for_each(|words| cx.add_notice(&words));
    Ok(v1::CloseSessionResponse { name: request.name })
}

/// Saves a kept session that is about to be closed, or forgets one that is not open; answers
/// how the session ends, and nothing where there is none to close.
async fn prepare_close(
    cx: &CallContext,
    request: &v1::CloseSessionRequest,
) -> Result<Option<KeptEnd>> {
    let kept = cx.daemon().kept_sessions();
    if !request.forget {
        save_before_close(cx, &request.name).await?;
        return Ok(Some(KeptEnd::Kept));
    }
    ensure_owner(cx, "forgets sessions")?;
    if kept.state_of(&request.name) == Some(KeptState::Open) {
        return Ok(Some(KeptEnd::Forgotten));
    }
    let was_kept = kept.forget(&request.name).await?;
    let is_open = cx.daemon().sessions().get(&request.name).is_some();
    Ok((is_open || !was_kept).then_some(KeptEnd::Forgotten))
}

/// Saves a session, if it is kept and open. One that is in a window comes back before.
async fn save_before_close(cx: &CallContext, name: &str) -> Result<()> {
    let kept = cx.daemon().kept_sessions();
    if kept.state_of(name) == Some(KeptState::Open)
        && let Some(session) = cx.daemon().sessions().get(name)
    {
        session.wait_until_settled().await;
        if let Some(window) = cx.daemon().windows().get(name) {
            close_window(cx, &window).await?;
        }
    }
    let outcome = kept.save_now(name).await.map_err(|error| explain_unsaved(name, error))?;
    if outcome == SaveOutcome::Postponed {
        cx.add_notice(&format!(
            "the session `{name}` was not saved as it closed, because a person has it; what was \
             saved before is kept"
        ));
    }
    Ok(())
}

/// What to do about a session that stays open because it cannot be saved.
fn explain_unsaved(name: &str, error: Error) -> Error {
    if error.reason() != Reason::FileUnwritable {
        return error;
    }
    let hint = format!(
        "Free space on the disk, or make the folder writable, then run `browse session close \
         {name}` again; the session is still open"
    );
    error.with(HINT_KEY, hint)
}

/// What to do about a session that cannot be closed because it is not open.
fn explain_missing(cx: &CallContext, name: &str, error: Error) -> Error {
    if error.reason() != Reason::SessionNotFound {
        return error;
    }
    if cx.daemon().kept_sessions().state_of(name).is_none() {
        // Its hint would open what is to be closed.
        return error.with(HINT_KEY, "Run `browse session list`");
    }
    let message = format!("the session `{name}` is kept, and not open");
    let hint = format!("Run `browse session close {name} --forget` to remove what is kept of it");
    Error::new(Reason::SessionNotFound, message).with("session", name).with(HINT_KEY, hint)
}
