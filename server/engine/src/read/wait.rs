//! Waiting for elements and texts.

use std::time::Duration;

use futures::future::join_all;
use serde::Deserialize;
use serde_json::json;
use tokio::time::{Instant, sleep, timeout};

use crate::error::{Error, RefusalKind, Result};
use crate::page::engine::Engine;
use crate::target::target::Target;
use browse_chromium::FrameId;

/// Pauses between questions: short at first, then longer.
const POLL_INTERVALS_MS: [u64; 6] = [10, 20, 30, 50, 75, 100];

/// How long a frame may take to answer.
const FRAME_TIMEOUT: Duration = Duration::from_millis(250);

/// What to wait for.
#[derive(Debug, Clone)]
pub enum Predicate {
    /// Something of the target shows.
    Visible(Target),
    /// Nothing of the target shows.
    Hidden(Target),
    /// Nothing of the target is in the page.
    Gone(Target),
    /// So many of the target show, at least and at most.
    Count(Target, u32, u32),
    /// The text shows anywhere in the page, its frames included.
    Text(String),
}

/// The pauses of one wait.
#[derive(Debug, Default)]
pub(super) struct PollIntervals(usize);

impl PollIntervals {
    /// The next pause; the last one comes again and again.
    pub fn next_interval(&mut self) -> Duration {
        let index = self.0.min(POLL_INTERVALS_MS.len() - 1);
        self.0 += 1;
        Duration::from_millis(POLL_INTERVALS_MS[index])
    }
}

#[derive(Deserialize)]
struct ShowsAnswer {
    is: bool,
}

#[derive(Deserialize)]
struct MatchCounts {
    present: u32,
    visible: u32,
}

impl Engine {
    /// Asks until it holds. A page that is replaced meanwhile is asked again;
    /// waiting for a ref whose element is gone ends at once.
    pub async fn wait(&self, predicate: &Predicate, deadline: Instant) -> Result<()> {
        let mut pauses = PollIntervals::default();
        loop {
            match self.is_met(predicate).await {
                Ok(true) => return Ok(()),
                Ok(false) => {}
                Err(error) if is_transient(&error) => {}
                Err(error) => return Err(error),
            }
            let pause = pauses.next_interval();
            if Instant::now() + pause >= deadline {
                return Err(timeout_error(predicate));
            }
            sleep(pause).await;
        }
    }

    async fn is_met(&self, predicate: &Predicate) -> Result<bool> {
        let answer = match predicate {
            Predicate::Visible(target) => {
                self.query_target::<ShowsAnswer>(target, "shows", json!({})).await
            }
            Predicate::Hidden(target) => {
                match self.query_target::<ShowsAnswer>(target, "vanished", json!({})).await {
                    Err(error) if error.kind() == Some(RefusalKind::RefStale) => return Ok(true),
                    answer => answer,
                }
            }
            Predicate::Gone(target) => {
                match self.query_target::<MatchCounts>(target, "countTarget", json!({})).await {
                    Err(error) if error.kind() == Some(RefusalKind::RefStale) => return Ok(true),
                    counted => return counted.map(|counted| counted.present == 0),
                }
            }
            Predicate::Count(target, least, most) => {
                let counted =
                    self.query_target::<MatchCounts>(target, "countTarget", json!({})).await?;
                return Ok((*least..=*most).contains(&counted.visible));
            }
            Predicate::Text(text) => return self.shows_text(text).await,
        };
        answer.map(|answer| answer.is)
    }

    /// Whether a text shows in any frame. Frames that cannot be asked, or hang,
    /// do not hold the others up.
    async fn shows_text(&self, text: &str) -> Result<bool> {
        let main = self.page().main_frame().id;
        let (frames, others): (Vec<_>, Vec<_>) =
            self.page().frames().into_iter().partition(|frame| frame.id == main);
        let ask = async |frame: FrameId| -> Result<bool> {
            let world = self.world(&frame).await?;
            let answer = self
                .send_command(&world, "hasText", &json!({ "text": text }))
                .read::<ShowsAnswer>()
                .await;
            answer.map(|answer| answer.is)
        };
        for frame in frames {
            if ask(frame.id).await? {
                return Ok(true);
            }
        }
        let others = others.into_iter().map(|frame| timeout(FRAME_TIMEOUT, ask(frame.id)));
        let answers = join_all(others).await;
        Ok(answers.into_iter().any(|answer| matches!(answer, Ok(Ok(true)))))
    }
}

/// Failures that belong to a page in motion.
pub(super) fn is_transient(error: &Error) -> bool {
    error.is_stale_document()
        || error.kind() == Some(RefusalKind::NotFound)
        || matches!(error, Error::Browser(browse_chromium::Error::NavigationPending { .. }))
}

fn timeout_error(predicate: &Predicate) -> Error {
    let what = match predicate {
        Predicate::Visible(target) => format!("`{target}` did not show"),
        Predicate::Hidden(target) => format!("`{target}` did not go away"),
        Predicate::Gone(target) => format!("`{target}` is still in the page"),
        Predicate::Count(target, least, most) if least == most => {
            format!("`{target}` did not come to show {least} times")
        }
        Predicate::Count(target, least, _) => {
            format!("`{target}` did not come to show {least} times or more")
        }
        Predicate::Text(text) => format!("the text `{text}` did not show"),
    };
    Error::refused(RefusalKind::WaitTimeout, what)
}
