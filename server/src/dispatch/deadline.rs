//! What ends a call besides its handler: its deadline, its token, the daemon.

use std::time::Duration;

use browse_proto::{Reason, Requires};
use futures::FutureExt as _;
use tokio::time::timeout_at;

use super::{CallContext, dialog, tab_acquisition::HELD_SINCE_LONG};
use crate::daemon::{Daemon, ShutdownReason};
use browse_base::{Error, HINT_KEY, Result};
use browse_chromium::NavigationState;
use browse_engine::deadline;
use browse_sessions::BrowserState;

/// Time that calls in flight get when the daemon ends.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(1500);

/// Time between two looks whether the session of a call was opened.
const SESSION_CHECK_INTERVAL: Duration = Duration::from_millis(250);

/// Clocks that are compared may differ by this much.
const DEADLINE_CHECK_SLACK: Duration = Duration::from_millis(10);

/// Waits for `work` until the deadline of the call and a little more: a handler
/// that keeps the deadline itself says better what was late.
///
/// # Errors
/// Those of `work`; the call is overdue, its token has ended, or the daemon.
pub async fn run_with_deadline<R>(
    cx: &CallContext,
    work: impl Future<Output = Result<R>>,
) -> Result<R> {
    let limited = async {
        match cx.finite_deadline() {
            Some(limit) => {
                let end = limit + cx.deadline_margin();
                match timeout_at(end, deadline::with_script_deadline(end.into_std(), work)).await {
                    Ok(done) => done,
                    Err(_) => Err(deadline_exceeded(cx)),
                }
            }
            None => work.await,
        }
    };
    let is_stopped = dialog::needs_page(cx.command());
    tokio::select! {
        biased;
        // What went wrong because the token ended, its tabs with it, says so.
        done = limited => match done {
            Err(error) => Err(cx
                .permit()
                .grant()
                .wait_until_ended()
                .now_or_never()
                .or_else(|| cx.browser_gone_error())
                .or_else(|| cx.moved_session_error(&error))
                .unwrap_or(error)),
            done => done,
        },
        error = wait_for_browser_end(cx) => Err(error),
        open = wait_for_unhandled_dialog(cx), if is_stopped => Err(dialog::blocked_error(cx, &open)),
        error = cx.permit().grant().wait_until_ended() => Err(error),
        error = wait_until_held(cx) => Err(error),
        error = wait_for_shutdown_grace(cx.daemon()) => Err(error),
    }
}

/// Waits until the browser of the tab of the call has ended: whether what it was to do
/// was done, nobody knows.
async fn wait_for_browser_end(cx: &CallContext) -> Error {
    let mut ended = cx.daemon().sessions().browser_handle().watch_exits();
    loop {
        // Before it is looked at, so that no end is missed.
        ended.borrow_and_update();
        if let Some(error) = cx.browser_gone_error() {
            return error;
        }
        // The sender lives as long as the daemon.
        if ended.changed().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

/// Waits until a person has held the session of the call for as long as calls get to end.
/// Nothing of a call acts or is answered after that.
async fn wait_until_held(cx: &CallContext) -> Error {
    if !cx.concerns_pages() {
        return std::future::pending().await;
    }
    loop {
        let session = cx.daemon().sessions().get(&cx.session_name());
        let Some(session) = session else {
            // It may be opened by this very call.
            tokio::time::sleep(SESSION_CHECK_INTERVAL).await;
            continue;
        };
        let mut changes = session.control().subscribe();
        if let Err(error) = cx.check_not_held_since_long() {
            return error;
        }
        let held = session.control().holder().and_then(|lease| lease.since.elapsed().ok());
        let left = held.map(|held| HELD_SINCE_LONG.saturating_sub(held) + DEADLINE_CHECK_SLACK);
        match left {
            Some(left) => {
                let _ = tokio::time::timeout(left, changes.changed()).await;
            }
            None => {
                if changes.changed().await.is_err() {
                    return std::future::pending().await;
                }
            }
        }
    }
}

/// Waits for a question that the handler does not answer for itself: once it runs an
/// action, the receipt of that has the question.
async fn wait_for_unhandled_dialog(cx: &CallContext) -> dialog::BlockingDialog {
    let open = dialog::wait_until_blocked(cx).await;
    if cx.handles_dialogs() { std::future::pending().await } else { open }
}

/// Waits until the daemon has ended for so long that calls must, too. They may
/// have done something, so their error does not suggest a retry.
async fn wait_for_shutdown_grace(daemon: &Daemon) -> Error {
    let ending = daemon.shutdown_requested().await;
    tokio::time::sleep(SHUTDOWN_GRACE).await;
    let message = match ending {
        ShutdownReason::NoBrowser => "the browser does not start",
        ShutdownReason::Stop | ShutdownReason::Restart => {
            "the daemon was stopped, and its browser with it"
        }
    };
    Error::new(Reason::BrowserGone, message)
}

/// What a call that was given up has to say. An abandoned call still runs in
/// the browser: the tab is kept from others until it answers again.
fn deadline_exceeded(cx: &CallContext) -> Error {
    let command = cx.command();
    // A stream waits anew for each message; its caller named the whole time.
    let named = cx.requested_timeout().filter(|_| command.streaming);
    let limit = named.or(cx.time_budget()).unwrap_or_default();
    let starting =
        matches!(cx.daemon().sessions().browser_handle().state(), BrowserState::Starting);
    if starting && command.requires != Requires::Daemon {
        let message = format!("the browser did not come up within {}", format_duration(limit));
        let hint = "Raise `--timeout`, or run `browse doctor` to see why it does not start";
        return Error::new(Reason::DeadlineExceeded, message).with(HINT_KEY, hint);
    }
    let late = || {
        let message = format!("`{}` did not end within {}", command.name, format_duration(limit));
        let error = Error::new(Reason::DeadlineExceeded, message);
        match pending_navigation_url(cx) {
            Some(url) => error.append_message(": a server has not answered").with_quote("url", url),
            None => error,
        }
    };
    let Some(tab) = cx.tab_if_any().filter(|_| command.requires == Requires::Page) else {
        return late();
    };
    if let Err(pending @ browse_chromium::Error::NavigationPending { .. }) =
        tab.page().ensure_answering()
    {
        return pending.into();
    }
    tab.quarantine();
    let error = match command.has_side_effects {
        true => {
            let message = format!("`{}` was sent, and the page gave no answer", command.name);
            Error::new(Reason::OutcomeUnknown, message)
        }
        false => late(),
    };
    error.with("tab", tab.id())
}

/// The server that the tab of a navigation waits for: after redirects, their target.
fn pending_navigation_url(cx: &CallContext) -> Option<String> {
    let tab = cx.tab_if_any().filter(|_| cx.command().group == "navigation");
    match tab.map(|tab| tab.page().navigation()) {
        Some(NavigationState::AwaitingHeaders { url }) => Some(cx.redact_for_caller(url)),
        _ => None,
    }
}

fn format_duration(limit: Duration) -> String {
    let tenths = (limit.as_secs_f64() * 10.0).round() / 10.0;
    if tenths >= 1.0 { format!("{tenths} s") } else { format!("{} ms", limit.as_millis()) }
}

#[cfg(test)]
mod tests {
    use super::{Duration, format_duration};

    #[test]
    fn limits_read_as_they_were_given() {
        assert_eq!(format_duration(Duration::from_secs(2)), "2 s");
        assert_eq!(format_duration(Duration::from_millis(400)), "400 ms");
    }
}
