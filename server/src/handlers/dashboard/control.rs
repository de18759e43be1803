//! Takes a session over for a person, and gives it back.

use std::{
    sync::Arc,
    time::{Duration, SystemTime},
};

use browse_base::{Error, HINT_KEY, Result, hex, random};
use browse_policy::ClientKind;
use browse_proto::{Reason, v1};
use browse_sessions::{ControlEnd, ControlLease, ExclusiveGuard, Session};
use tokio::time::Instant;

use super::{
    held_input::release_held_input,
    talk::{FLEET_PERSON_HINT, check_is_person},
};
use crate::{
    daemon::Daemon,
    dispatch::{CallContext, HELD_SINCE_LONG},
    ttl,
};

/// How long a person holds a session when the dashboard does not say.
const DEFAULT_LEASE: Duration = Duration::from_secs(15 * 60);

/// The longest that one is held.
const MAX_LEASE: Duration = Duration::from_secs(8 * 3600);

/// Characters of a reason and of a note.
const MAX_TEXT_CHARS: usize = 500;

/// Takes a session over.
pub async fn take_control(
    cx: &CallContext,
    request: v1::TakeControlRequest,
) -> Result<v1::TakeControlResponse> {
    // What an agent sent as input would pass the egress guard.
    if cx.capability().kind != ClientKind::Dashboard {
        let message = format!("`{}` is not a person at a dashboard", cx.client());
        let hint = match cx.is_of_fleet() {
            true => FLEET_PERSON_HINT,
            false => "Run `browse dashboard`, and let a person take control there",
        };
        return Err(Error::new(Reason::ScopeDenied, message).with(HINT_KEY, hint));
    }
    let reason = check_text("reason", request.reason)?;
    let time = request
        .ttl
        .as_deref()
        .map_or(Ok(DEFAULT_LEASE), |text| ttl::parse("control take", text, MAX_LEASE))?;
    let session = existing_session(cx, request.session.as_deref())?;
    session.wait_until_settled().await;
    let lease = ControlLease {
        id: hex(&random::<8>()?),
        client: cx.client().clone(),
        reason,
        since: SystemTime::now(),
        expires_at: SystemTime::now() + time,
        tabs_before: session.tabs().iter().map(|tab| (tab.id(), tab.url())).collect(),
        cookies_before: session.cookie_names().await,
    };
    let before = session.control().holder();
    session.control().take(lease.clone(), request.force).map_err(|held| {
        let message = format!("the session `{}` is held by `{}`", session.name(), held.client);
        Error::new(Reason::HandedOff, message)
            .with("session", session.name())
            .with(HINT_KEY, "Wait until it is given back, or take it with `force`")
    })?;
    // Before anything else is waited for: the caller may go away meanwhile.
    tokio::spawn(end_in_time(Arc::clone(cx.daemon()), Arc::clone(&session), lease.id.clone()));
    if before.is_some() {
        release_held_input(&session);
    }
    session.update_privacy();
    if let Some(context) = session.context() {
        // It tells of all tabs of the browser.
        context.browser().abandon_trace();
    }
    cx.daemon().devtools().revoke(session.name());
    wait_for_calls(cx.daemon(), &session).await;
    // One may have been given out by a call that was under way.
    cx.daemon().devtools().revoke(session.name());
    Ok(v1::TakeControlResponse {
        lease: lease.id,
        session: session.name().to_owned(),
        expires_at: humantime::format_rfc3339_seconds(lease.expires_at).to_string(),
    })
}

/// Gives a session back.
pub async fn release_control(
    cx: &CallContext,
    request: v1::ReleaseControlRequest,
) -> Result<v1::ReleaseControlResponse> {
    let note = check_text("note", request.note)?;
    let session = held_session(cx, &request.lease)?;
    let note = Some(note).filter(|note| !note.is_empty());
    end(&session, &request.lease, ControlEnd::GivenBack, note);
    Ok(v1::ReleaseControlResponse { session: session.name().to_owned() })
}

/// Pauses the agents of a session.
pub async fn pause_agents(
    cx: &CallContext,
    request: v1::PauseAgentsRequest,
) -> Result<v1::PauseAgentsResponse> {
    check_is_person(cx)?;
    let session = existing_session(cx, request.session.as_deref())?;
    session.control().pause(session.tabs().iter().map(|tab| (tab.id(), tab.url())).collect());
    Ok(v1::PauseAgentsResponse { session: session.name().to_owned() })
}

/// Lets the agents of a session go on. They get a notice when they were paused, or waited for
/// the person at the window.
pub async fn continue_agents(
    cx: &CallContext,
    request: v1::ContinueAgentsRequest,
) -> Result<v1::ContinueAgentsResponse> {
    check_is_person(cx)?;
    let session = existing_session(cx, request.session.as_deref())?;
    let was_paused = session.control().end_pause();
    let window = cx.daemon().windows().get(session.name());
    let was_handed_off = window.is_some_and(|window| window.finish_handoff());
    let name = session.name();
    let notices = session.control().notices();
    if was_handed_off {
        notices.add(format!("the person is done in the session `{name}`"));
    } else if was_paused {
        notices.add(format!("the person lets you go on in the session `{name}`"));
    }
    Ok(v1::ContinueAgentsResponse { session: name.to_owned(), was_paused, was_handed_off })
}

/// The session that the caller holds by `lease`.
///
/// # Errors
/// `LEASE_ENDED`.
pub(super) fn held_session(cx: &CallContext, lease: &str) -> Result<Arc<Session>> {
    let all = cx.daemon().sessions().all();
    let held = all.into_iter().find(|session| session.control().renew(lease, cx.client()));
    let session =
        held.ok_or_else(|| Error::new(Reason::LeaseEnded, "you do not hold the session any more"))?;
    // A fleet closes sessions that nobody uses.
    session.mark_used();
    Ok(session)
}

/// Ends the lease of a session whose holder has no token any more.
pub async fn end_if_holder_is_gone(daemon: &Arc<Daemon>, session: &Arc<Session>) {
    if let Some(lease) = session.control().holder()
        && !daemon.authority().clients().contains(&lease.client)
    {
        end(session, &lease.id, ControlEnd::HolderLost, None);
    }
}

fn check_text(field: &str, text: Option<String>) -> Result<String> {
    let text = text.unwrap_or_default().trim().to_owned();
    if text.chars().count() > MAX_TEXT_CHARS {
        let message = format!("the {field} has more than {MAX_TEXT_CHARS} characters");
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "control"));
    }
    Ok(text)
}

/// The session that is to be held; none is opened for it.
fn existing_session(cx: &CallContext, name: Option<&str>) -> Result<Arc<Session>> {
    let name = name.map_or_else(|| cx.session_name(), str::to_owned);
    if !cx.capability().session.covers(&name) {
        let message = format!("the token is not good for the session `{name}`");
        return Err(Error::new(Reason::SessionDenied, message));
    }
    cx.daemon().sessions().require(&name)
}

/// Waits until the calls that came before the lease have ended; new ones are refused already.
async fn wait_for_calls(daemon: &Daemon, session: &Session) {
    let until = Instant::now() + HELD_SINCE_LONG;
    for tab in session.tabs() {
        let locked = ExclusiveGuard::acquire_tab(daemon.sessions().browser_lock(), &tab, until);
        if let Err(error) = locked.await {
            tracing::info!(%error, tab = tab.id(), "a call goes on in a session that is held");
        }
    }
}

/// Ends a lease when its time is over or its holder is gone.
async fn end_in_time(daemon: Arc<Daemon>, session: Arc<Session>, lease: String) {
    let mut changes = session.control().subscribe();
    while let Some((remaining, how)) = session.control().remaining(&lease) {
        if remaining.is_zero() {
            return end(&session, &lease, how, None);
        }
        tokio::select! {
            () = tokio::time::sleep(remaining) => {}
            _ = changes.changed() => end_if_holder_is_gone(&daemon, &session).await,
            () = async { daemon.shutdown_requested().await; } => return,
        }
    }
}

/// Ends a lease, with a notice for the agents of the session.
fn end(session: &Session, lease: &str, how: ControlEnd, note: Option<String>) {
    release_held_input(session);
    let Some(lease) = session.control().end(lease, how, note.clone()) else { return };
    // Until now, it was in use.
    session.mark_used();
    session.update_privacy();
    session.schedule_snapshot();
    let seconds = lease.since.elapsed().unwrap_or_default().as_secs();
    let note = note.map(|note| format!(" (\"{}\")", browse_base::quote(&note)));
    session.control().notices().add(format!(
        "a person had the session `{}` for {seconds} s and {}{}",
        session.name(),
        how.words(),
        note.unwrap_or_default(),
    ));
}
