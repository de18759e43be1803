//! A page laid out for a picture, and put back.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use crate::error::Result;
use crate::page::engine::Engine;
use crate::target::target::Target;
use browse_chromium::World;

/// Changes to a page; undone when it is dropped.
pub struct ScreenshotLayout<'a> {
    engine: &'a Engine,
    worlds: Vec<Arc<World>>,
}

#[derive(Deserialize)]
struct HiddenCount {
    hidden: u32,
}

#[derive(Deserialize)]
struct ScrollAnswer {
    #[allow(dead_code, reason = "the answer has a shape, like all answers")]
    top: f64,
}

impl Engine {
    /// A page with no changes yet.
    pub fn screenshot_layout(&self) -> ScreenshotLayout<'_> {
        ScreenshotLayout { engine: self, worlds: Vec::new() }
    }
}

impl ScreenshotLayout<'_> {
    /// Hides every element that matches, and answers how many did.
    pub async fn hide(&mut self, target: &Target) -> Result<u32> {
        self.track_target(target).await?;
        let hidden: HiddenCount = self.engine.query_target(target, "hideAll", json!({})).await?;
        Ok(hidden.hidden)
    }

    /// Hides what lies over the content of the main document.
    pub async fn declutter(&mut self) -> Result<u32> {
        let world = self.engine.world(&self.engine.page().main_frame().id).await?;
        self.track_world(&world);
        let hidden: HiddenCount =
            self.engine.send_command(&world, "declutter", &json!({})).read().await?;
        Ok(hidden.hidden)
    }

    /// Scrolls an element to the top.
    pub async fn scroll_to_element(&mut self, target: &Target) -> Result<()> {
        self.track_target(target).await?;
        self.engine.query_target::<ScrollAnswer>(target, "showAt", json!({})).await.map(drop)
    }

    /// Scrolls the page to so many CSS pixels from its top.
    pub async fn scroll_to(&mut self, top: f64) -> Result<()> {
        let world = self.engine.world(&self.engine.page().main_frame().id).await?;
        self.track_world(&world);
        self.engine
            .send_command(&world, "showAt", &json!({ "top": top }))
            .read::<ScrollAnswer>()
            .await
            .map(drop)
    }

    /// Undoes everything, and waits until it is undone.
    pub async fn restore(mut self) -> Result<()> {
        let worlds = std::mem::take(&mut self.worlds);
        // All are written before the first is awaited, so none is forgotten.
        let answers: Vec<_> = worlds
            .iter()
            .map(|world| self.engine.send_command(world, "putBack", &json!({})))
            .collect();
        for answer in answers {
            answer.read::<serde_json::Value>().await?;
        }
        Ok(())
    }

    async fn track_target(&mut self, target: &Target) -> Result<()> {
        let world = self.engine.world_for(target).await?;
        self.track_world(&world);
        Ok(())
    }

    fn track_world(&mut self, world: &Arc<World>) {
        if !self.worlds.iter().any(|known| known.context() == world.context()) {
            self.worlds.push(Arc::clone(world));
        }
    }
}

impl Drop for ScreenshotLayout<'_> {
    fn drop(&mut self) {
        for world in &self.worlds {
            // Written at once; a document that is gone needs nothing undone.
            drop(self.engine.send_command(world, "putBack", &json!({})));
        }
    }
}
