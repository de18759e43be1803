//! The script in a document ahead of the first question about it.
//!
//! Compiling it in a process that has not seen it takes longer than most answers
//! do. An agent thinks for a while after it has gone somewhere: that is when it
//! is done.

use std::sync::Arc;
use std::time::Duration;

use serde::de::IgnoredAny;
use tokio::time::{sleep, timeout};

use super::{engine::Engine, script::SCRIPT};
use crate::chromium::Page;

/// After the arrival: whoever asks at once brings the script along, and whoever
/// leaves at once is not slowed down.
const PAUSE: Duration = Duration::from_millis(100);

/// A page that is busy for so long gets the script with the first question.
const PATIENCE: Duration = Duration::from_secs(2);

impl Engine {
    /// Has the script in the tab's document soon. What goes wrong shows with
    /// the first question.
    pub fn prepare_soon(&self) {
        let page = Arc::downgrade(self.page());
        tokio::spawn(async move {
            sleep(PAUSE).await;
            let Some(page) = page.upgrade() else { return };
            let _ = timeout(PATIENCE, prepare(&page)).await;
        });
    }
}

async fn prepare(page: &Page) {
    let Ok(world) = page.world(&page.main_frame().id, &SCRIPT).await else { return };
    if !world.has_engine() {
        let _ = world.evaluate::<IgnoredAny>("0").await;
    }
}
