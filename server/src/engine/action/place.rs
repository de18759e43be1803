//! From a point in a frame to a point of the tab, through all frames around it.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;

use super::aim::Guard;
use crate::chromium::{FrameId, World};
use crate::engine::error::{Error, Kind, Result};
use crate::engine::page::engine::Engine;
use crate::engine::page::owners;
use crate::engine::page::script::SCRIPT;
use crate::engine::page::wire::{self, Answer};
use crate::engine::read::facts::Rect;

/// How long the guards of other frames may take to stand.
const ARMING: Duration = Duration::from_millis(100);

/// Where a point lies in the tab.
pub(crate) struct Placed {
    pub x: f64,
    pub y: f64,
}

#[derive(Deserialize)]
struct Point {
    x: f64,
    y: f64,
}

impl Engine {
    /// Maps a point outwards, frame by frame. Each frame around must show the
    /// inner frame at the point.
    pub(crate) async fn place(&self, world: &World, x: f64, y: f64) -> Result<Placed> {
        let mut placed = Placed { x, y };
        let mut inner = world.frame().clone();
        while let Some(parent) = self.parent(&inner)? {
            let outer = self.world(&parent).await?;
            let owner = self.owner(&outer, &inner).await?;
            let argument = json!({ "owner": owner, "x": placed.x, "y": placed.y });
            let point: Point = self.ask(&outer, "place", &argument).read().await.map_err(gone)?;
            placed = Placed { x: point.x, y: point.y };
            inner = parent;
        }
        Ok(placed)
    }

    /// Arms the guards of all other frames that have been looked into: one of
    /// them may slide over the target in the last moment. Written at once.
    pub(crate) fn arm_others(&self, world: &World, guard: Guard) -> Vec<(Arc<World>, Answer)> {
        let frames = self.page().frames();
        let others = frames.iter().filter(|frame| frame.id != *world.frame());
        let worlds = others.filter_map(|frame| self.page().known_world(frame, &SCRIPT));
        let arm = |other: Arc<World>| {
            let argument = json!({ "token": guard.token, "life": guard.life_ms() });
            let answer = self.ask(&other, "armEmpty", &argument);
            (other, answer)
        };
        worlds.map(arm).collect()
    }

    /// Waits until those guards stand. A frame that hangs handles no click either.
    pub(crate) async fn armed(&self, others: Vec<(Arc<World>, Answer)>) -> Vec<Arc<World>> {
        let (worlds, answers): (Vec<_>, Vec<_>) = others.into_iter().unzip();
        let standing = futures::future::join_all(answers.into_iter().map(Answer::text));
        let _ = timeout(ARMING, standing).await;
        worlds
    }

    /// A box of a frame in the viewport of the main frame.
    pub(crate) async fn rect_in_main(&self, world: &World, rect: Rect) -> Result<Rect> {
        let mut rect = rect;
        let mut inner = world.frame().clone();
        while let Some(parent) = self.parent(&inner)? {
            let outer = self.world(&parent).await?;
            let owner = self.owner(&outer, &inner).await?;
            let argument = json!({ "owner": owner, "x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height });
            rect = self.ask(&outer, "mapRect", &argument).read().await.map_err(gone)?;
            inner = parent;
        }
        Ok(rect)
    }

    fn parent(&self, frame: &FrameId) -> Result<Option<FrameId>> {
        Ok(self.page().frame(frame)?.parent)
    }

    /// The number of the element that holds a frame.
    pub(crate) async fn owner(&self, outer: &World, inner: &FrameId) -> Result<u32> {
        let document = Engine::document_of(outer);
        if let Some(owner) = self.state().owners.lock().element(&document, inner) {
            return Ok(owner);
        }
        let call = owners::ask(outer, "findOwners");
        self.learn_owners(outer, call).await?;
        let owner = self.state().owners.lock().element(&document, inner);
        owner.ok_or_else(|| gone(Error::refused(Kind::RefStale, "the frame left the page")))
    }

    /// Takes the guards of other frames down again.
    pub(crate) fn disarm(&self, worlds: &[Arc<World>], token: u64) {
        for world in worlds {
            wire::tell(world, &format!("browseEngine.call('settle',{{token:{token}}})"));
        }
    }
}

/// A frame that went away while it was aimed at takes its elements along, but
/// the ref that was asked for is judged by its own document.
fn gone(error: Error) -> Error {
    match error.kind() {
        Some(Kind::RefStale) => {
            Error::refused(Kind::Missed, "the frame of the element was moved or removed")
        }
        _ => error,
    }
}
