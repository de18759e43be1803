//! Watching a tab that somebody else uses. Nothing is done to the page: it is
//! read now and then, less often the longer that takes.

mod change;
mod look;

use std::{sync::Arc, time::Duration};

use browse_proto::{Reason, v1};
use futures::{Stream, stream};
use tokio::time::Instant;

use crate::{
    chromium::Page,
    dispatch::Context,
    error::{Error, Result},
    sessions::Tab,
};
use look::{Look, look};

/// Time between two looks, when the caller names none.
const EVERY: Duration = Duration::from_secs(5);

/// Most of it that a caller may name.
const SLOWEST: u32 = 3600;

/// A look that took this share of the time until the next one puts it off.
const SHARE: u32 = 20;

/// How much before its deadline a watch ends by itself.
const MARGIN: Duration = Duration::from_millis(50);

/// Answers what changes in the tab, until it closes or the watch is ended.
pub async fn watch(
    cx: Arc<Context>,
    request: v1::WatchRequest,
) -> Result<impl Stream<Item = Result<v1::WatchResponse>> + Send + 'static> {
    let every = request.every.map_or(Ok(EVERY), seconds)?;
    if request.changes == Some(0) {
        return Err(Error::new(Reason::ArgumentInvalid, "`--changes` counts from 1")
            .with("command", "watch"));
    }
    let watch = Watch {
        tab: Arc::clone(cx.tab()),
        ended: cx.tab().watch(),
        begun: Instant::now(),
        every,
        left: request.changes,
        last: None,
        over: false,
        cx,
    };
    Ok(stream::unfold(watch, |mut watch| async move {
        let answer = watch.next().await?;
        Some((Ok(answer), watch))
    }))
}

/// Ends the watches of a tab, or of all tabs of the session.
pub async fn stop_watch(cx: &Context, _: v1::StopWatchRequest) -> Result<v1::StopWatchResponse> {
    let session = cx.session()?;
    let tabs = match cx.named_tab() {
        Some(id) => vec![session.tab(id)?],
        None => session.tabs(),
    };
    let ended = tabs.iter().filter(|tab| cx.check_tab(tab).is_ok()).map(|tab| tab.end_watches());
    Ok(v1::StopWatchResponse { ended: u32::try_from(ended.sum::<usize>()).unwrap_or(u32::MAX) })
}

fn seconds(count: u32) -> Result<Duration> {
    if (1..=SLOWEST).contains(&count) {
        return Ok(Duration::from_secs(count.into()));
    }
    let message = format!("`--every` is 1 to {SLOWEST} seconds, not {count}");
    Err(Error::new(Reason::ArgumentInvalid, message).with("command", "watch"))
}

/// A watch under way.
struct Watch {
    cx: Arc<Context>,
    tab: Arc<Tab>,
    ended: tokio::sync::watch::Receiver<()>,
    begun: Instant,
    every: Duration,
    /// Changes that are still to be told.
    left: Option<u32>,
    /// What the last look saw; none before the first.
    last: Option<Look>,
    over: bool,
}

/// Why a watch waits no longer.
enum Woken {
    Look,
    Closed,
    Ended,
}

impl Watch {
    /// The next change; the first is what there is at the beginning.
    async fn next(&mut self) -> Option<v1::WatchResponse> {
        let mut pause = Duration::ZERO;
        while !self.over && self.left != Some(0) {
            match self.pause(pause).await {
                Woken::Ended => return None,
                Woken::Closed => {
                    self.over = true;
                    return Some(self.tell("the tab was closed".into()));
                }
                Woken::Look => {}
            }
            let began = Instant::now();
            let now = look(&self.tab, self.last.as_ref(), self.cx.hides()).await;
            pause = self.every.max(began.elapsed() * SHARE);
            if let Some(answer) = self.compare(now) {
                return Some(answer);
            }
        }
        None
    }

    /// Waits until the next look is due. What follows a change is not put off:
    /// the wait begins when the caller asks for more.
    async fn pause(&mut self, pause: Duration) -> Woken {
        let pause = match (&self.last, pause) {
            (Some(_), Duration::ZERO) => self.every,
            (_, pause) => pause,
        };
        let daemon = Arc::clone(self.cx.daemon());
        tokio::select! {
            biased;
            () = closed(self.tab.page()) => Woken::Closed,
            _ = self.ended.changed() => Woken::Ended,
            // A watcher must not hold up the end.
            _ = daemon.ended() => Woken::Ended,
            () = tokio::time::sleep_until(self.cx.deadline() - MARGIN) => Woken::Ended,
            () = tokio::time::sleep(pause) => Woken::Look,
        }
    }

    /// What there is to tell about `now`.
    fn compare(&mut self, now: Look) -> Option<v1::WatchResponse> {
        let answer = match &self.last {
            None => {
                // From here on nobody waits for an answer, so an idle daemon may end.
                self.cx.let_idle();
                Some(self.tell(change::first(&now)))
            }
            Some(before) => change::between(before, &now).map(|change| self.changed(change)),
        };
        self.last = Some(now);
        answer
    }

    /// A change is a sign of use: the time until the daemon is idle begins anew.
    fn changed(&mut self, change: change::Change) -> v1::WatchResponse {
        drop(self.cx.daemon().begin_call());
        self.left = self.left.map(|left| left.saturating_sub(1));
        self.tell(change)
    }

    fn tell(&self, change: change::Change) -> v1::WatchResponse {
        v1::WatchResponse {
            tab: self.tab.id(),
            at: u32::try_from(self.begun.elapsed().as_secs()).unwrap_or(u32::MAX),
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
async fn closed(page: &Page) {
    page.wait_closed().await;
}
