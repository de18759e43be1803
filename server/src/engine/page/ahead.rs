//! The script in a document ahead of the first question about it.
//!
//! Compiling it in a process that has not seen it takes longer than most answers
//! do. An agent thinks for a while after it has gone somewhere: that is when it
//! is done.

use std::sync::Arc;
use std::time::Duration;

use serde::de::IgnoredAny;
use tokio::sync::Semaphore;
use tokio::time::{sleep, timeout};

use super::{engine::Engine, script::SCRIPT};
use crate::chromium::Page;

/// After the arrival: whoever asks at once brings the script along, and whoever
/// leaves at once is not slowed down.
const PAUSE: Duration = Duration::from_millis(100);

/// Of many tabs that arrive together each has its turn: the script is large, and
/// nobody waits for it.
static TURNS: Semaphore = Semaphore::const_new(1);

/// A page that is busy for so long gets the script with the first question.
const PATIENCE: Duration = Duration::from_secs(2);

impl Engine {
    /// Has the script in the tab's document soon. What goes wrong shows with
    /// the first question.
    pub fn prepare_soon(&self) {
        let page = Arc::downgrade(self.page());
        tokio::spawn(async move {
            sleep(PAUSE).await;
            let Ok(_turn) = TURNS.acquire().await else { return };
            let Some(page) = page.upgrade() else { return };
            if !is_prepared(&page) {
                let _ = timeout(PATIENCE, prepare(&page)).await;
            }
        });
    }

    /// Whether the script is in the tab's document, or on its way there.
    pub fn is_prepared(&self) -> bool {
        is_prepared(self.page())
    }
}

fn is_prepared(page: &Page) -> bool {
    let world = page.known_world(&page.main_frame(), &SCRIPT);
    world.is_some_and(|world| world.has_engine())
}

async fn prepare(page: &Page) {
    if let Ok(world) = page.world(&page.main_frame().id, &SCRIPT).await {
        let _ = world.evaluate::<IgnoredAny>("0").await;
    }
}
