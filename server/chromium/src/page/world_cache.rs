//! Which worlds a tab has already.
//!
//! The key is the document, not only the frame: a document that comes back
//! from the back-forward cache has its world, and the refs in it, again.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::json;

use super::frames::Frame;
use super::page::Page;
use crate::connection::call::CdpCall;
use crate::error::{Error, Result};
use crate::ids::{FrameId, LoaderId, SessionId};
use crate::world::contexts::ExecutionContext;
use crate::world::world::{InjectedScript, World};
use browse_base::Lock;

/// Worlds kept for documents that may come back.
const MAX_WORLDS: usize = 512;

#[derive(Clone, PartialEq, Eq, Hash)]
struct WorldKey {
    session: SessionId,
    frame: FrameId,
    loader: LoaderId,
    world: &'static str,
}

/// The worlds of one tab.
#[derive(Default)]
pub(crate) struct WorldCache(Lock<HashMap<WorldKey, Arc<World>>>);

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CreateIsolatedWorldResult {
    execution_context_id: i64,
}

impl Page {
    /// The world of `engine` in the frame's current document, made on first
    /// use. Ends at once with `NavigationPending` while Chromium would queue.
    pub async fn world(
        &self,
        frame: &FrameId,
        engine: &'static InjectedScript,
    ) -> Result<Arc<World>> {
        loop {
            self.ensure_answering()?;
            let before = self.frame(frame)?;
            let key = WorldKey {
                session: before.session.id().clone(),
                frame: frame.clone(),
                loader: before.loader.clone(),
                world: engine.world_name,
            };
            if let Some(world) = self.worlds.0.lock().get(&key) {
                return Ok(Arc::clone(world));
            }
            // A script that runs first in every document has had it made.
            if let Some(context) = before.contexts.isolated(engine.world_name) {
                let context = context.clone();
                let world =
                    World::new(before.session, frame.clone(), before.loader, context, engine);
                return Ok(self.worlds.insert(key, Arc::new(world)));
            }
            let params = json!({
                "frameId": frame,
                "worldName": engine.world_name,
                "grantUniveralAccess": false,
            });
            let created: CdpCall<CreateIsolatedWorldResult> =
                before.session.call_method("Page.createIsolatedWorld", &params);
            let created = match created.await {
                Ok(created) => created,
                // The frame went away or moved between our look and the call.
                Err(Error::Protocol { .. }) => return Err(Error::StaleContext),
                Err(error) => return Err(error),
            };
            // The answer comes after the report of the commit it belongs to,
            // so an unchanged loader means that the context is its own.
            let after = self.frame(frame)?;
            if after.loader != before.loader || after.session != before.session {
                continue;
            }
            let number = created.execution_context_id;
            let reported = after.contexts.isolated(engine.world_name);
            let context = match reported.filter(|context| context.number == number) {
                Some(context) => context.clone(),
                None => ExecutionContext { number, unique_id: None },
            };
            let world = World::new(before.session, frame.clone(), before.loader, context, engine);
            return Ok(self.worlds.insert(key, Arc::new(world)));
        }
    }

    /// The world of a frame's current document, if it has been used before.
    pub fn cached_world(
        &self,
        frame: &Frame,
        engine: &'static InjectedScript,
    ) -> Option<Arc<World>> {
        let key = WorldKey {
            session: frame.session.id().clone(),
            frame: frame.id.clone(),
            loader: frame.loader.clone(),
            world: engine.world_name,
        };
        self.worlds.0.lock().get(&key).cloned()
    }

    /// Forgets a world that turned out to be gone.
    pub fn forget_world(&self, world: &World) {
        let mut worlds = self.worlds.0.lock();
        worlds.retain(|_, known| !std::ptr::eq(Arc::as_ptr(known), world));
        drop(worlds);
        // Chromium is asked for the next one.
        if let Some(frame) = self.state.lock().frames.get_mut(world.frame()) {
            frame.contexts.forget(world.execution_context());
        }
    }
}

impl WorldCache {
    /// Keeps the first of two that were made at the same time.
    fn insert(&self, key: WorldKey, world: Arc<World>) -> Arc<World> {
        let mut worlds = self.0.lock();
        if worlds.len() >= MAX_WORLDS {
            // Rare, and cheap to make again; no need to pick.
            worlds.clear();
        }
        Arc::clone(worlds.entry(key).or_insert(world))
    }
}
