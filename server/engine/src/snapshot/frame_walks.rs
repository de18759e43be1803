//! Walks all frames of a tab at once, and gives out refs.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::options::SnapshotOptions;
use super::walk_answer::WalkAnswer;
use crate::error::Result;
use crate::page::engine::Engine;
use crate::page::fan_out::{FrameAnswer, FrameQuery};
use crate::page::hidden_parts::HiddenParts;
use crate::page::ref_table::ElementLabel;
use browse_chromium::{FrameId, World};

/// The walk of one document, with its refs given out.
pub(crate) struct FrameWalk {
    pub world: Arc<World>,
    pub walked: WalkAnswer,
    pub base: u32,
}

/// All walks by frame, and frames that did not answer.
pub(crate) struct FrameWalks {
    pub root: FrameId,
    pub walks: HashMap<FrameId, FrameWalk>,
    pub unresponsive: HashSet<FrameId>,
    pub hidden_parts: HiddenParts,
}

impl FrameAnswer for WalkAnswer {
    const IS_VISUAL: bool = true;

    fn closed_root_candidates(&self) -> u32 {
        self.suspects
    }

    fn transition_time(&self) -> Duration {
        Duration::from_millis(self.fading)
    }

    fn hidden_parts(&self) -> &HiddenParts {
        &self.unseen
    }
}

impl Engine {
    /// Walks the tab, or what lies in the scope.
    pub(crate) async fn walk_frames(&self, options: &SnapshotOptions) -> Result<FrameWalks> {
        let root = match &options.scope {
            Some(scope) => self.world_for(scope).await?.frame().clone(),
            None => self.page().main_frame().id,
        };
        let question = FrameQuery {
            command: "snapshot",
            argument: json!({
                "interactive": options.interactive,
                "cursor": options.cursor || options.interactive,
                "detail": options.details,
                "seen": options.visible_only,
            }),
            target: options.scope.as_ref(),
            needs_listeners: options.interactive || options.cursor,
        };
        let gathered = self.query_frames::<WalkAnswer>(&question, root).await?;
        let unseen = gathered.hidden_parts();
        let walks = gathered.answers.into_iter().map(|(frame, (world, walked))| {
            let base = self.assign_refs(&world, walked.serial, labels(&walked));
            (frame, FrameWalk { world, walked, base })
        });
        let walks = walks.collect();
        Ok(FrameWalks {
            root: gathered.root,
            walks,
            unresponsive: gathered.unresponsive,
            hidden_parts: unseen,
        })
    }
}

/// Role and name of the new elements, by their index.
fn labels(walked: &WalkAnswer) -> Vec<ElementLabel> {
    let mut labels: Vec<ElementLabel> = vec![(Arc::from(""), Box::default()); walked.fresh];
    let mut roles: HashMap<&str, Arc<str>> = HashMap::new();
    for line in &walked.nodes.0 {
        let Ok(index) = usize::try_from(-line.reference - 1) else { continue };
        if let Some(label) = labels.get_mut(index) {
            let role = roles.entry(&line.role).or_insert_with(|| Arc::from(line.role.as_str()));
            *label = (Arc::clone(role), clip_name(&line.name));
        }
    }
    labels
}

/// Names are kept for messages only.
fn clip_name(name: &str) -> Box<str> {
    match name.char_indices().nth(60) {
        Some((end, _)) => name[..end].into(),
        None => name.into(),
    }
}
