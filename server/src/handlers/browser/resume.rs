//! Takes a session back from a person.

use std::{sync::Arc, time::Duration};

use browse_base::{Error, Result};
use browse_proto::{Reason, Requires, v1};
use browse_sessions::{EndedLease, Session};
use tokio::time::timeout_at;

use super::{
    inspection,
    window::{close_window, settled_window, tab_note},
};
use crate::{
    dispatch::{CallContext, ensure_not_paused},
    window::{MigrationNotice, WindowCloseResult, WindowTabChange, compare_tabs},
};

/// Time before the deadline in which a caller is answered that a person still has the session.
const DEADLINE_MARGIN: Duration = Duration::from_millis(200);

/// Takes the session back.
pub async fn resume(cx: &CallContext, request: v1::ResumeRequest) -> Result<v1::ResumeResponse> {
    let session = cx.session()?;
    wait_until_given_back(cx, &session).await?;
    if request.wait {
        wait_until_done(cx, &session).await?;
    }
    let paused = session.control().take_ended_pause();
    if let Some(ended) = session.control().take_ended() {
        session.control().withdraw_request();
        return answer_after_dashboard(cx, &session, ended).await;
    }
    if session.control().withdraw_request().is_some() {
        cx.add_notice("no person took the session over");
        let urls: Vec<_> = session.tabs().iter().map(|tab| (tab.id(), tab.url())).collect();
        return Ok(answer(compare_tabs(&urls, &urls), &[]));
    }
    match (resume_window(cx).await, paused) {
        (Err(error), Some(before)) if error.reason() == Reason::NotHandedOff => {
            let urls: Vec<_> = session.tabs().iter().map(|tab| (tab.id(), tab.url())).collect();
            Ok(answer(compare_tabs(&before, &urls), &[]))
        }
        (resumed, _) => resumed,
    }
}

/// Waits while a person at a dashboard holds the session, was asked to take it, or has paused
/// the agents. When nobody takes it until the deadline, that is an answer.
///
/// # Errors
/// `HANDED_OFF`: until the deadline it was not given back.
async fn wait_until_given_back(cx: &CallContext, session: &Session) -> Result<()> {
    let mut changes = session.control().subscribe();
    let until = cx.deadline() - DEADLINE_MARGIN;
    loop {
        let lease = session.control().holder();
        let waits = session.control().waits_for_person();
        if lease.is_none() && !session.control().is_paused() && !waits {
            return Ok(());
        }
        if timeout_at(until, changes.changed()).await.is_err() {
            let Some(lease) = lease else { return ensure_not_paused(session) };
            let message = format!("`{}` still holds the session", lease.client);
            return Err(Error::new(Reason::HandedOff, message).with("session", session.name()));
        }
    }
}

/// Waits until the person at the window of the session is done, or the window is gone.
///
/// # Errors
/// `HANDED_OFF`: until the deadline they are not.
async fn wait_until_done(cx: &CallContext, session: &Session) -> Result<()> {
    let mut changes = session.control().subscribe();
    let mut place = session.watch_display_mode();
    let until = cx.deadline() - DEADLINE_MARGIN;
    loop {
        session.wait_until_settled().await;
        let window = cx.daemon().windows().get(session.name());
        if !window.is_some_and(|window| window.is_handed_off()) {
            return Ok(());
        }
        let change = async {
            tokio::select! {
                _ = changes.changed() => {}
                _ = place.changed() => {}
            }
        };
        if timeout_at(until, change).await.is_err() {
            let message = format!("the person is not done in the session `{}`", session.name());
            return Err(Error::new(Reason::HandedOff, message).with("session", session.name()));
        }
    }
}

async fn answer_after_dashboard(
    cx: &CallContext,
    session: &Arc<Session>,
    ended: EndedLease,
) -> Result<v1::ResumeResponse> {
    let EndedLease { lease, end, note } = ended;
    let urls: Vec<_> = session.tabs().iter().map(|tab| (tab.id(), tab.url())).collect();
    let mut response = answer(compare_tabs(&lease.tabs_before, &urls), &[]);
    let mut lines = vec![format!("a person had it and {}", end.words())];
    lines.extend(note.map(|note| format!("the person writes: {note}")));
    let cookies = changes(&lease.cookies_before, &session.cookie_names().await);
    lines.extend(cookies.into_iter().map(|cookie| format!("cookie {cookie}")));
    response.summary = format!("{}\n{}", response.summary, lines.join("\n")).trim().to_owned();
    // Best effort: the answer is useful without the snapshot of a page that does not answer.
    if !session.tabs().is_empty() && cx.prepare_tab(Requires::Page).await.is_ok() {
        let request = v1::SnapshotRequest { interactive: true, ..v1::SnapshotRequest::default() };
        if let Ok(snapshot) = inspection::snapshot(cx, request).await {
            response.snapshot = snapshot.tree;
        }
    }
    Ok(response)
}

async fn resume_window(cx: &CallContext) -> Result<v1::ResumeResponse> {
    let not_handed = || {
        let message = "the session was not handed to a person";
        Error::new(Reason::NotHandedOff, message)
    };
    let (changes, notes) = match settled_window(cx).await? {
        Some(window) if window.purpose().connected => {
            (window.end_handoff().ok_or_else(not_handed)?, Vec::new())
        }
        Some(window) => {
            let WindowCloseResult { changes, notes } = close_window(cx, &window).await?;
            (changes, notes)
        }
        // The person closed the window, which reported the same.
        None => {
            let finished = cx.daemon().windows().take_finished(cx.session()?.name());
            (finished.ok_or_else(not_handed)?, Vec::new())
        }
    };
    Ok(answer(changes, &notes))
}

fn answer(changes: Vec<WindowTabChange>, notes: &[MigrationNotice]) -> v1::ResumeResponse {
    let describe = |change: WindowTabChange| v1::TabChange {
        id: change.tab,
        change: change.kind.name().to_owned(),
        url: change.url,
        before: change.previous_url,
        note: tab_note(notes, change.tab),
    };
    let tabs: Vec<_> = changes.into_iter().map(describe).collect();
    let line = |tab: &v1::TabChange| {
        let note = tab.note.as_ref().map(|note| format!(" {note}")).unwrap_or_default();
        format!("{} {} {}{note}", tab.id, tab.change, tab.url)
    };
    let summary = tabs.iter().map(line).collect::<Vec<_>>().join("\n");
    v1::ResumeResponse { tabs, summary, snapshot: String::new() }
}

/// What came (`+`) and went (`-`).
fn changes(before: &[String], after: &[String]) -> Vec<String> {
    let came = after.iter().filter(|name| !before.contains(name)).map(|name| format!("+ {name}"));
    let went = before.iter().filter(|name| !after.contains(name)).map(|name| format!("- {name}"));
    came.chain(went).collect()
}

#[cfg(test)]
mod tests {
    use super::changes;

    #[test]
    fn cookies_that_came_and_went_are_named() {
        let names = |all: &[&str]| all.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>();
        let changed = changes(&names(&["a", "b"]), &names(&["b", "c"]));
        assert_eq!(changed, ["+ c", "- a"]);
    }
}
