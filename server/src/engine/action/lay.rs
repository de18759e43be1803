//! A page laid out for a picture, and put back.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use crate::chromium::World;
use crate::engine::error::Result;
use crate::engine::page::engine::Engine;
use crate::engine::target::target::Target;

/// Changes to a page; undone when it is dropped.
pub struct Laid<'a> {
    engine: &'a Engine,
    worlds: Vec<Arc<World>>,
}

#[derive(Deserialize)]
struct Hidden {
    hidden: u32,
}

#[derive(Deserialize)]
struct Shown {
    #[allow(dead_code, reason = "the answer has a shape, like all answers")]
    top: f64,
}

impl Engine {
    /// A page with no changes yet.
    pub fn lay(&self) -> Laid<'_> {
        Laid { engine: self, worlds: Vec::new() }
    }
}

impl Laid<'_> {
    /// Hides every element that matches, and answers how many did.
    pub async fn hide(&mut self, target: &Target) -> Result<u32> {
        self.touch(target).await?;
        let hidden: Hidden = self.engine.ask_about(target, "hideAll", json!({})).await?;
        Ok(hidden.hidden)
    }

    /// Hides what lies over the content of the main document.
    pub async fn declutter(&mut self) -> Result<u32> {
        let world = self.engine.world(&self.engine.page().main_frame().id).await?;
        self.keep(&world);
        let hidden: Hidden = self.engine.ask(&world, "declutter", &json!({})).read().await?;
        Ok(hidden.hidden)
    }

    /// Scrolls an element to the top.
    pub async fn show(&mut self, target: &Target) -> Result<()> {
        self.touch(target).await?;
        self.engine.ask_about::<Shown>(target, "showAt", json!({})).await.map(drop)
    }

    /// Scrolls the page to so many CSS pixels from its top.
    pub async fn show_at(&mut self, top: f64) -> Result<()> {
        let world = self.engine.world(&self.engine.page().main_frame().id).await?;
        self.keep(&world);
        self.engine.ask(&world, "showAt", &json!({ "top": top })).read::<Shown>().await.map(drop)
    }

    /// Undoes everything, and waits until it is undone.
    pub async fn put_back(mut self) -> Result<()> {
        let worlds = std::mem::take(&mut self.worlds);
        // All are written before the first is awaited, so none is forgotten.
        let answers: Vec<_> =
            worlds.iter().map(|world| self.engine.ask(world, "putBack", &json!({}))).collect();
        for answer in answers {
            answer.read::<serde_json::Value>().await?;
        }
        Ok(())
    }

    async fn touch(&mut self, target: &Target) -> Result<()> {
        let world = self.engine.world_for(target).await?;
        self.keep(&world);
        Ok(())
    }

    fn keep(&mut self, world: &Arc<World>) {
        if !self.worlds.iter().any(|known| known.context() == world.context()) {
            self.worlds.push(Arc::clone(world));
        }
    }
}

impl Drop for Laid<'_> {
    fn drop(&mut self) {
        for world in &self.worlds {
            // Written at once; a document that is gone needs nothing undone.
            drop(self.engine.ask(world, "putBack", &json!({})));
        }
    }
}
