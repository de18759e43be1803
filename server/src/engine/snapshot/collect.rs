//! Walks all frames of a tab at once, and gives out refs.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::json;

use super::options::SnapshotOptions;
use super::walked::Walked;
use crate::chromium::{FrameId, World};
use crate::engine::error::Result;
use crate::engine::page::engine::Engine;
use crate::engine::page::gather::{Question, Survey};
use crate::engine::page::refs::Label;
use crate::engine::page::sheets::ClosedSheet;
use crate::engine::read::unseen::{self, Unseen};

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
    pub unseen: Unseen,
}

impl Survey for Walked {
    const SHOWS: bool = true;

    fn suspects(&self) -> u32 {
        self.suspects
    }

    fn fading(&self) -> Duration {
        Duration::from_millis(self.fading)
    }

    fn unseen(&self) -> &Unseen {
        &self.unseen
    }

    fn closed_sheets(&self) -> &[ClosedSheet] {
        &self.closed
    }
}

impl Engine {
    /// Walks the tab, or what lies in the scope.
    pub(crate) async fn collect(&self, options: &SnapshotOptions) -> Result<Collected> {
        let root = match &options.scope {
            Some(scope) => self.world_for(scope).await?.frame().clone(),
            None => self.page().main_frame().id,
        };
        let question = Question {
            command: "snapshot",
            argument: json!({
                "interactive": options.interactive,
                "cursor": options.cursor || options.interactive,
                "detail": options.details,
                "seen": options.seen,
            }),
            target: options.scope.as_ref(),
            listeners: options.interactive || options.cursor,
        };
        let gathered = self.gather::<Walked>(&question, root).await?;
        let unseen = unseen::of(&gathered);
        let walks = gathered.answers.into_iter().map(|(frame, (world, walked))| {
            let base = self.commit(&world, walked.serial, labels(&walked));
            (frame, FrameWalk { world, walked, base })
        });
        let walks = walks.collect();
        Ok(Collected { root: gathered.root, walks, silent: gathered.silent, unseen })
    }
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
