//! The script in the documents of a tab ahead of the first question about them.
//!
//! Compiling it in a process that has not seen it takes longer than most answers
//! do, and so does the first scan for hidden text. An agent thinks for a while after
//! it has gone somewhere: that is when it is done.

use std::sync::Arc;
use std::time::Duration;

use serde_json::json;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::blank_frame::is_blank;
use super::{engine::Engine, script::ENGINE_SCRIPT, script_call};
use crate::error::Result;
use browse_chromium::{Frame, Page};

/// After the arrival: whoever asks at once brings the script along, and whoever
/// leaves at once is not slowed down.
const PREINJECT_DELAY: Duration = Duration::from_millis(100);

/// Of many tabs that arrive together each has its turn: the script is large, and
/// nobody waits for it.
static PREINJECT_PERMITS: Semaphore = Semaphore::const_new(1);

/// Frames of one tab that are made ready: the main one, and those around what is
/// read. Others bring the script along.
const MAX_PREINJECTED_FRAMES: usize = 8;

/// A page that is busy for so long gets the script with the first question: others
/// wait for their turn.
const PREINJECT_TIMEOUT: Duration = Duration::from_secs(2);

impl Engine {
    /// Has the script in the tab's document soon. What goes wrong shows with
    /// the first question.
    pub fn schedule_preinject(&self) {
        let page = Arc::downgrade(self.page());
        tokio::spawn(async move {
            sleep(PREINJECT_DELAY).await;
            let Ok(_turn) = PREINJECT_PERMITS.acquire().await else { return };
            let frames = page.upgrade().map(|page| page.frames()).unwrap_or_default();
            let work = async {
                for frame in frames.into_iter().take(MAX_PREINJECTED_FRAMES) {
                    let Some(page) = page.upgrade() else { return };
                    if !has_script(&page, &frame) {
                        let _ = preinject(&page, &frame).await;
                    }
                }
            };
            let _ = timeout(PREINJECT_TIMEOUT, work).await;
        });
    }

    /// Whether the script is in the tab's document, or on its way there.
    pub fn is_preinjected(&self) -> bool {
        has_script(self.page(), &self.page().main_frame())
    }
}

fn has_script(page: &Page, frame: &Frame) -> bool {
    page.cached_world(frame, &ENGINE_SCRIPT).is_some_and(|world| world.has_injected_script())
}

async fn preinject(page: &Page, frame: &Frame) -> Result<()> {
    if frame.parent.is_some() && is_blank(page, frame).await? {
        return Ok(());
    }
    let world = page.world(&frame.id, &ENGINE_SCRIPT).await?;
    script_call::send_command(&world, "prepare", &json!({})).text().await.map(drop)
}
