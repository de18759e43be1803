//! The script in the documents of a tab ahead of the first question about them.
//!
//! Compiling it in a process that has not seen it takes longer than most answers
//! do, and so does handing over style sheets. An agent thinks for a while after
//! it has gone somewhere: that is when it is done.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::blank::is_blank;
use super::{engine::Engine, kept, script::SCRIPT, wants::Wants, wire};
use crate::chromium::{Frame, Page};
use crate::engine::error::Result;

/// After the arrival: whoever asks at once brings the script along, and whoever
/// leaves at once is not slowed down.
const PAUSE: Duration = Duration::from_millis(100);

/// Of many tabs that arrive together each has its turn: the script is large, and
/// nobody waits for it.
static TURNS: Semaphore = Semaphore::const_new(1);

/// Frames of one tab that are made ready: the main one, and those around what is
/// read. Others bring the script along.
const MOST: usize = 8;

/// A page that is busy for so long gets the script with the first question: others
/// wait for their turn.
const PATIENCE: Duration = Duration::from_secs(2);

impl Engine {
    /// Has the script in the tab's document soon. What goes wrong shows with
    /// the first question.
    pub fn prepare_soon(&self) {
        let page = Arc::downgrade(self.page());
        tokio::spawn(async move {
            sleep(PAUSE).await;
            let Ok(_turn) = TURNS.acquire().await else { return };
            let frames = page.upgrade().map(|page| page.frames()).unwrap_or_default();
            let work = async {
                for frame in frames.into_iter().take(MOST) {
                    let Some(page) = page.upgrade() else { return };
                    if !is_prepared(&page, &frame) {
                        let _ = prepare(&page, &frame).await;
                    }
                }
            };
            let _ = timeout(PATIENCE, work).await;
        });
    }

    /// Whether the script is in the tab's document, or on its way there.
    pub fn is_prepared(&self) -> bool {
        is_prepared(self.page(), &self.page().main_frame())
    }
}

fn is_prepared(page: &Page, frame: &Frame) -> bool {
    page.known_world(frame, &SCRIPT).is_some_and(|world| world.has_engine())
}

async fn prepare(page: &Page, frame: &Frame) -> Result<()> {
    if frame.parent.is_some() && is_blank(page, frame).await? {
        return Ok(());
    }
    let world = page.world(&frame.id, &SCRIPT).await?;
    let answer = wire::ask(&world, "prepare", &json!({})).text().await?;
    if let Some(wants) = Wants::of(&answer) {
        wants.supply(page, &world).await;
    }
    kept::look_ahead(page, &world).await
}
