//! From a point in a frame to a point of the tab, through all frames around it.

use std::sync::Arc;
use std::time::Duration;

use serde::Deserialize;
use serde_json::json;
use tokio::time::timeout;

use super::click_guard::ClickGuard;
use super::engine::Engine;
use super::frame_owners;
use super::rect::Rect;
use super::script::ENGINE_SCRIPT;
use super::script_call::{self, PendingAnswer};
use crate::error::{Error, RefusalKind, Result};
use browse_chromium::{FrameId, World};

/// How long the guards of other frames may take to stand.
const GUARD_INSTALL_TIMEOUT: Duration = Duration::from_millis(100);

/// Where a point lies in the tab.
pub(crate) struct ViewportPoint {
    pub x: f64,
    pub y: f64,
}

#[derive(Deserialize)]
struct FramePoint {
    x: f64,
    y: f64,
}

impl Engine {
    /// Maps a point outwards, frame by frame. Each frame around must show the
    /// inner frame at the point.
    pub(crate) async fn to_viewport(&self, world: &World, x: f64, y: f64) -> Result<ViewportPoint> {
        let mut placed = ViewportPoint { x, y };
        let mut inner = world.frame().clone();
        while let Some(parent) = self.parent_frame(&inner)? {
            let outer = self.world(&parent).await?;
            let owner = self.frame_owner_number(&outer, &inner).await?;
            let argument = json!({ "owner": owner, "x": placed.x, "y": placed.y });
            let point: FramePoint = self
                .send_command(&outer, "place", &argument)
                .read()
                .await
                .map_err(frame_gone_error)?;
            placed = ViewportPoint { x: point.x, y: point.y };
            inner = parent;
        }
        Ok(placed)
    }

    /// Arms the guards of all other frames that have been looked into: one of
    /// them may slide over the target in the last moment. Written at once.
    pub(crate) fn install_click_guards(
        &self,
        world: &World,
        guard: ClickGuard,
    ) -> Vec<(Arc<World>, PendingAnswer)> {
        let frames = self.page().frames();
        let others = frames.iter().filter(|frame| frame.id != *world.frame());
        let worlds = others.filter_map(|frame| self.page().cached_world(frame, &ENGINE_SCRIPT));
        let arm = |other: Arc<World>| {
            let argument = json!({ "token": guard.token, "life": guard.lifetime_ms() });
            let answer = self.send_command(&other, "armEmpty", &argument);
            (other, answer)
        };
        worlds.map(arm).collect()
    }

    /// Waits until those guards stand. A frame that hangs handles no click either.
    pub(crate) async fn await_click_guards(
        &self,
        others: Vec<(Arc<World>, PendingAnswer)>,
    ) -> Vec<Arc<World>> {
        let (worlds, answers): (Vec<_>, Vec<_>) = others.into_iter().unzip();
        let standing = futures::future::join_all(answers.into_iter().map(PendingAnswer::text));
        let _ = timeout(GUARD_INSTALL_TIMEOUT, standing).await;
        worlds
    }

    /// A box of a frame in the viewport of the main frame.
    pub(crate) async fn rect_in_main_frame(&self, world: &World, rect: Rect) -> Result<Rect> {
        let mut rect = rect;
        let mut inner = world.frame().clone();
        while let Some(parent) = self.parent_frame(&inner)? {
            let outer = self.world(&parent).await?;
            let owner = self.frame_owner_number(&outer, &inner).await?;
            let argument = json!({ "owner": owner, "x": rect.x, "y": rect.y, "width": rect.width, "height": rect.height });
            rect = self
                .send_command(&outer, "mapRect", &argument)
                .read()
                .await
                .map_err(frame_gone_error)?;
            inner = parent;
        }
        Ok(rect)
    }

    fn parent_frame(&self, frame: &FrameId) -> Result<Option<FrameId>> {
        Ok(self.page().frame(frame)?.parent)
    }

    /// The number of the element that holds a frame.
    pub(crate) async fn frame_owner_number(&self, outer: &World, inner: &FrameId) -> Result<u32> {
        let document = Engine::document_of(outer);
        if let Some(owner) = self.state().frame_owners.lock().element(&document, inner) {
            return Ok(owner);
        }
        let call = frame_owners::request_frame_owners(outer, "findOwners");
        self.record_frame_owners(outer, call).await?;
        let owner = self.state().frame_owners.lock().element(&document, inner);
        owner.ok_or_else(|| {
            frame_gone_error(Error::refused(RefusalKind::RefStale, "the frame left the page"))
        })
    }

    /// Takes the guards of other frames down again.
    pub(crate) fn remove_click_guards(&self, worlds: &[Arc<World>], token: u64) {
        for world in worlds {
            script_call::notify(world, &format!("browseEngine.call('settle',{{token:{token}}})"));
        }
    }
}

/// A frame that went away while it was aimed at takes its elements along, but
/// the ref that was asked for is judged by its own document.
fn frame_gone_error(error: Error) -> Error {
    match error.kind() {
        Some(RefusalKind::RefStale) => {
            Error::refused(RefusalKind::Missed, "the frame of the element was moved or removed")
        }
        _ => error,
    }
}
