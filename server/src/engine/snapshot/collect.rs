//! Walks all frames of a tab at once.
//!
//! One flight when the worlds are there already: every frame's walk and the
//! question for its frame owners are written before anything is awaited.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use futures::future::join_all;
use serde_json::json;

use super::options::SnapshotOptions;
use super::walked::Walked;
use crate::chromium::{self, Frame, FrameId, World};
use crate::engine::error::{Error, Result};
use crate::engine::page::engine::Engine;
use crate::engine::page::owners;
use crate::engine::page::refs::Label;

/// How long a frame of another process may take before its tab goes on without
/// it: an advertisement that hangs must not hide the page around it.
const FRAME_PATIENCE: Duration = Duration::from_secs(2);

/// The walk of one document, with its refs given out.
pub(crate) struct FrameWalk {
    pub world: Arc<World>,
    pub walked: Walked,
    pub base: u32,
}

/// All walks by frame, and frames that did not answer.
pub(crate) struct Collected {
    pub root: FrameId,
    pub walks: HashMap<FrameId, FrameWalk>,
    pub silent: HashSet<FrameId>,
}

impl Engine {
    /// Walks the tab, or what lies in the scope.
    pub(crate) async fn collect(&self, options: &SnapshotOptions) -> Result<Collected> {
        let frames = self.page().frames();
        let root = match &options.scope {
            Some(scope) => self.world_for(scope).await?.frame().clone(),
            None => self.page().main_frame().id,
        };
        let within = below(&frames, &root);
        let walks =
            join_all(within.iter().map(|frame| self.walk_patiently(frame, &root, options))).await;
        let mut collected =
            Collected { root: root.clone(), walks: HashMap::new(), silent: HashSet::new() };
        for (frame, walk) in within.iter().zip(walks) {
            match walk {
                Ok(Some((world, walked))) => {
                    let base = self.commit(&world, walked.serial, labels(&walked));
                    collected.walks.insert(frame.id.clone(), FrameWalk { world, walked, base });
                }
                Ok(None) => {
                    collected.silent.insert(frame.id.clone());
                }
                Err(error) if frame.id == root => return Err(error),
                // A frame that left while we looked is no part of the tab.
                Err(error) if error.is_stale_document() => {}
                Err(error) => {
                    tracing::debug!(frame = %frame.id, %error, "a frame could not be read");
                    collected.silent.insert(frame.id.clone());
                }
            }
        }
        Ok(collected)
    }

    /// None when a frame does not answer in time.
    async fn walk_patiently(
        &self,
        frame: &Frame,
        root: &FrameId,
        options: &SnapshotOptions,
    ) -> Result<Option<(Arc<World>, Walked)>> {
        let has_children =
            self.page().frames().iter().any(|other| other.parent.as_ref() == Some(&frame.id));
        let walk = self.walk(frame, frame.id == *root, has_children, options);
        if frame.session == *self.page().session() || frame.id == *root {
            return walk.await.map(Some);
        }
        match tokio::time::timeout(FRAME_PATIENCE, walk).await {
            Ok(walk) => walk.map(Some),
            Err(_) => Ok(None),
        }
    }

    async fn walk(
        &self,
        frame: &Frame,
        is_root: bool,
        has_children: bool,
        options: &SnapshotOptions,
    ) -> Result<(Arc<World>, Walked)> {
        let mut argument = json!({
            "interactive": options.interactive,
            "cursor": options.cursor || options.interactive,
            "detail": options.details,
        });
        if let (true, Some(scope)) = (is_root, &options.scope) {
            argument["scope"] = serde_json::to_value(&scope.query).map_err(Error::internal)?;
        }
        let mut again = true;
        loop {
            let world = self.world(&frame.id).await?;
            let walk = self.ask(&world, "snapshot", &argument);
            let owners = has_children.then(|| owners::ask(&world, "ownerWindows"));
            let text = match (walk.text().await, again) {
                // The document was replaced between two calls: look at the new one.
                (Err(Error::Browser(chromium::Error::StaleContext)), true) => {
                    again = false;
                    continue;
                }
                (text, _) => text,
            };
            let walked: Walked = match (&options.scope, is_root) {
                (Some(scope), true) => self.understand(scope, &world, text).await?,
                _ => crate::engine::page::wire::decode(&text?)?,
            };
            if let Some(owners) = owners {
                self.learn_owners(&world, owners).await?;
            }
            if walked.suspects == 0 || self.adopt_closed_roots(&world).await? == 0 {
                return Ok((world, walked));
            }
            // With the closed trees in place the walk sees them too.
        }
    }
}

/// A frame and all frames below it, parents first.
fn below(frames: &[Frame], root: &FrameId) -> Vec<Frame> {
    let mut ids = HashSet::from([root.clone()]);
    let mut within = Vec::new();
    for frame in frames {
        if frame.id == *root || frame.parent.as_ref().is_some_and(|parent| ids.contains(parent)) {
            ids.insert(frame.id.clone());
            within.push(frame.clone());
        }
    }
    within
}

/// Role and name of the new elements, by their index.
fn labels(walked: &Walked) -> Vec<Label> {
    let mut labels: Vec<Label> = vec![(Arc::from(""), Box::default()); walked.fresh];
    let mut roles: HashMap<&str, Arc<str>> = HashMap::new();
    for line in &walked.nodes.0 {
        let Ok(index) = usize::try_from(-line.reference - 1) else { continue };
        if let Some(label) = labels.get_mut(index) {
            let role = roles.entry(&line.role).or_insert_with(|| Arc::from(line.role.as_str()));
            *label = (Arc::clone(role), clipped(&line.name));
        }
    }
    labels
}

/// Names are kept for messages only.
fn clipped(name: &str) -> Box<str> {
    match name.char_indices().nth(60) {
        Some((end, _)) => name[..end].into(),
        None => name.into(),
    }
}
