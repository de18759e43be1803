//! What ends a call besides its handler: its deadline, its token, the daemon.

use std::time::Duration;

use browse_proto::{Command, Reason};
use tokio::time::{Instant, timeout_at};

use super::Context;
use crate::{
    chromium,
    daemon::{Daemon, Ending},
    error::{Error, Result},
};

/// Time that calls in flight get when the daemon ends.
const GRACE: Duration = Duration::from_millis(1500);

/// Waits for `work` until the deadline of the call and a little more: a handler
/// that keeps the deadline itself says better what was late.
///
/// # Errors
/// Those of `work`; the call is overdue, its token has ended, or the daemon.
pub async fn within<R>(cx: &Context, work: impl Future<Output = Result<R>>) -> Result<R> {
    let begun = Instant::now();
    let limited = async {
        match cx.limit() {
            Some(limit) => match timeout_at(limit + cx.margin(), work).await {
                Ok(done) => done,
                Err(_) => Err(overdue(cx, limit.saturating_duration_since(begun))),
            },
            None => work.await,
        }
    };
    tokio::select! {
        biased;
        done = limited => done,
        error = cx.permit().grant().ended() => Err(error),
        error = cut(cx.daemon()) => Err(error),
    }
}

/// Waits until the daemon has ended for so long that calls must, too. They may
/// have done something, so they are not told to try again.
async fn cut(daemon: &Daemon) -> Error {
    let ending = daemon.ended().await;
    tokio::time::sleep(GRACE).await;
    let message = match ending {
        Ending::BrowserGone => "the browser is gone",
        Ending::Stop | Ending::Restart => "the daemon was stopped, and its browser with it",
    };
    Error::new(Reason::BrowserGone, message)
}

/// What a call that was given up has to say. An abandoned call still runs in
/// the browser: the tab is kept from others until it answers again.
fn overdue(cx: &Context, limit: Duration) -> Error {
    let command = cx.command();
    let late = || {
        let message = format!("`{}` did not end within {}", command.name, words(limit));
        Error::new(Reason::DeadlineExceeded, message)
    };
    let Some(tab) = cx.tab_if_any().filter(|_| needs_page(command)) else { return late() };
    if let Err(pending @ chromium::Error::NavigationPending { .. }) = tab.page().ensure_answering()
    {
        return pending.into();
    }
    tab.quarantine();
    let error = match is_action(command) {
        true => {
            let message = format!("`{}` was sent, and the page gave no answer", command.name);
            Error::new(Reason::OutcomeUnknown, message)
        }
        false => late(),
    };
    error.with("tab", tab.id())
}

/// Whether a command acts on the page of a tab.
pub fn has_tab(command: &Command) -> bool {
    matches!(command.group, "navigation" | "reading" | "inspection" | "input" | "capture")
}

/// Whether it waits for the page, so that a hung page would hold it up.
/// Navigation is the way out of a hung page, and our own records need none.
pub fn needs_page(command: &Command) -> bool {
    const RECORDS: &[&str] =
        &["console", "clear_console", "network", "clear_network", "show_request", "show_body"];
    let navigates = command.group == "navigation";
    has_tab(command) && !navigates && !RECORDS.contains(&command.function)
}

/// Whether it gives up the document of the tab.
pub fn leaves_page(command: &Command) -> bool {
    command.group == "navigation" && !matches!(command.function, "get_url" | "wait")
}

/// Whether its effect may come after it was given up.
fn is_action(command: &Command) -> bool {
    command.group == "input" || matches!(command.function, "js" | "eval")
}

fn words(limit: Duration) -> String {
    // The clock has run on a little since the limit was set.
    let tenths = (limit.as_secs_f64() * 10.0).round() / 10.0;
    if tenths >= 1.0 { format!("{tenths} s") } else { format!("{} ms", limit.as_millis() + 1) }
}

#[cfg(test)]
mod tests {
    use browse_proto::Command;

    use super::{Duration, has_tab, is_action, needs_page, words};

    #[test]
    fn the_control_plane_and_the_tabs_need_no_page() {
        for name in ["status", "tabs", "tab", "closetab", "stop", "activity", "session list"] {
            assert!(!has_tab(Command::by_name(name).expect(name)), "{name}");
        }
        for name in ["goto", "back", "url", "console", "network", "wait"] {
            let command = Command::by_name(name).expect(name);
            assert!(has_tab(command) && !needs_page(command), "{name}");
        }
        for name in ["text", "snapshot", "click", "screenshot", "js", "is"] {
            assert!(needs_page(Command::by_name(name).expect(name)), "{name}");
        }
    }

    #[test]
    fn what_acts_may_still_happen() {
        let acts = |name: &str| is_action(Command::by_name(name).expect(name));
        assert!(acts("click") && acts("press") && acts("js") && !acts("text") && !acts("goto"));
    }

    #[test]
    fn limits_read_as_they_were_given() {
        assert_eq!(words(Duration::from_micros(1_999_800)), "2 s");
        assert_eq!(words(Duration::from_micros(399_900)), "400 ms");
    }
}
