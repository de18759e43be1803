//! Watching a tab that somebody else uses. Nothing is done to the page: it is
//! read now and then, less often the longer that takes.

mod change;
mod snapshot;

use std::{sync::Arc, time::Duration};

use browse_proto::{Reason, v1};
use futures::{Stream, stream};
use tokio::time::Instant;

use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_chromium::Page;
use browse_sessions::Tab;
use snapshot::{WatchSnapshot, take_snapshot};

/// Time between two looks, when the caller names none.
const DEFAULT_INTERVAL: Duration = Duration::from_secs(5);

/// Most of it that a caller may name.
const MAX_INTERVAL_SECONDS: u32 = 3600;

/// A look that took this share of the time until the next one puts it off.
const BACKOFF_FACTOR: u32 = 20;

/// How much before its deadline a watch ends by itself.
const DEADLINE_MARGIN: Duration = Duration::from_millis(50);

/// Answers what changes in the tab, until it closes or the watch is ended.
pub async fn watch(
    cx: Arc<CallContext>,
    request: v1::WatchRequest,
) -> Result<impl Stream<Item = Result<v1::WatchResponse>> + Send + 'static> {
    let every = request.every.map_or(Ok(DEFAULT_INTERVAL), parse_interval)?;
    if request.changes == Some(0) {
        return Err(Error::new(Reason::ArgumentInvalid, "`--changes` counts from 1")
            .with("command", "watch"));
    }
    let watch = TabWatch {
        tab: Arc::clone(cx.tab()),
        end_signal: cx.tab().watch(),
        started_at: Instant::now(),
        interval: every,
        remaining_changes: request.changes,
        last_snapshot: None,
        is_over: false,
        cx,
    };
    Ok(stream::unfold(watch, |mut watch| async move {
        let answer = watch.next().await?;
        Some((Ok(answer), watch))
    }))
}

/// Ends the watches of a tab, or of all tabs of the session.
pub async fn stop_watch(
    cx: &CallContext,
    _: v1::StopWatchRequest,
) -> Result<v1::StopWatchResponse> {
    let session = cx.session()?;
    let tabs = match cx.requested_tab() {
        Some(id) => vec![session.tab(id)?],
        None => session.tabs(),
    };
    let ended = tabs.iter().filter(|tab| cx.check_tab(tab).is_ok()).map(|tab| tab.end_watches());
    Ok(v1::StopWatchResponse { ended: u32::try_from(ended.sum::<usize>()).unwrap_or(u32::MAX) })
}

fn parse_interval(count: u32) -> Result<Duration> {
    if (1..=MAX_INTERVAL_SECONDS).contains(&count) {
        return Ok(Duration::from_secs(count.into()));
    }
    let message = format!("`--every` is 1 to {MAX_INTERVAL_SECONDS} seconds, not {count}");
    Err(Error::new(Reason::ArgumentInvalid, message).with("command", "watch"))
}

/// A watch under way.
struct TabWatch {
    cx: Arc<CallContext>,
    tab: Arc<Tab>,
    end_signal: tokio::sync::watch::Receiver<()>,
    started_at: Instant,
    interval: Duration,
    /// Changes that are still to be reported.
    remaining_changes: Option<u32>,
    /// What the last look saw; none before the first.
    last_snapshot: Option<WatchSnapshot>,
    is_over: bool,
}

/// Why a watch waits no longer.
enum WakeReason {
    SnapshotDue,
    Closed,
    Ended,
}

impl TabWatch {
    /// The next change; the first is what there is at the beginning.
    async fn next(&mut self) -> Option<v1::WatchResponse> {
        let mut pause = Duration::ZERO;
        while !self.is_over && self.remaining_changes != Some(0) {
            match self.wait_until_due(pause).await {
                WakeReason::Ended => return None,
                WakeReason::Closed => {
                    self.is_over = true;
                    return Some(self.to_response("the tab was closed".into()));
                }
                WakeReason::SnapshotDue => {}
            }
            let began = Instant::now();
            let now = take_snapshot(
                &self.tab,
                self.last_snapshot.as_ref(),
                self.cx.filters_hidden_text(),
            )
            .await;
            pause = self.interval.max(began.elapsed() * BACKOFF_FACTOR);
            if let Some(answer) = self.compare(now) {
                return Some(answer);
            }
        }
        None
    }

    /// Waits until the next look is due. What follows a change is not put off:
    /// the wait begins when the caller asks for more.
    async fn wait_until_due(&mut self, pause: Duration) -> WakeReason {
        let pause = match (&self.last_snapshot, pause) {
            (Some(_), Duration::ZERO) => self.interval,
            (_, pause) => pause,
        };
        let daemon = Arc::clone(self.cx.daemon());
        tokio::select! {
            biased;
            () = wait_closed(self.tab.page()) => WakeReason::Closed,
            _ = self.end_signal.changed() => WakeReason::Ended,
            // A watcher must not hold up the end.
            _ = daemon.shutdown_requested() => WakeReason::Ended,
            () = tokio::time::sleep_until(self.cx.deadline() - DEADLINE_MARGIN) => WakeReason::Ended,
            () = tokio::time::sleep(pause) => WakeReason::SnapshotDue,
        }
    }

    /// What there is to tell about `now`.
    fn compare(&mut self, now: WatchSnapshot) -> Option<v1::WatchResponse> {
        let answer = match &self.last_snapshot {
            None => {
                // From here on nobody waits for an answer, so an idle daemon may end.
                self.cx.release_keep_alive();
                Some(self.to_response(change::initial_state(&now)))
            }
            Some(before) => {
                change::detect_change(before, &now).map(|change| self.report_change(change))
            }
        };
        self.last_snapshot = Some(now);
        answer
    }

    /// A change is a sign of use: the time until the daemon is idle begins anew.
    fn report_change(&mut self, change: change::PageChange) -> v1::WatchResponse {
        drop(self.cx.daemon().begin_call());
        self.remaining_changes = self.remaining_changes.map(|left| left.saturating_sub(1));
        self.to_response(change)
    }

    fn to_response(&self, change: change::PageChange) -> v1::WatchResponse {
        v1::WatchResponse {
            tab: self.tab.id(),
            at: u32::try_from(self.started_at.elapsed().as_secs()).unwrap_or(u32::MAX),
            summary: change.summary,
            url: change.url,
            title: change.title,
            diff: change.diff,
            added: change.added,
            removed: change.removed,
            warnings: Vec::new(),
        }
    }
}

/// Waits until the tab is closed.
async fn wait_closed(page: &Page) {
    page.wait_closed().await;
}
