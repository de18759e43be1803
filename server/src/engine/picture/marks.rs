//! Where the elements of refs show in the main document.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::chromium::FrameId;
use crate::engine::error::{Kind, Result};
use crate::engine::page::engine::Engine;
use crate::engine::read::facts::Rect;
use crate::engine::target::reference::Reference;
use crate::engine::target::target::Target;

/// A box, or 0 for what does not show.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(untagged)]
enum Mark {
    Shown(f64, f64, f64, f64),
    Hidden(u8),
}

#[derive(Deserialize)]
struct Marks {
    boxes: Vec<Mark>,
}

/// How the main document lies in its viewport, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct Extent {
    /// Scrolled from the left.
    pub x: f64,
    /// Scrolled from the top.
    pub y: f64,
    /// Width of the document.
    pub width: f64,
    /// Height of the document.
    pub height: f64,
}

impl Engine {
    /// Size and scroll position of the main document.
    pub async fn extent(&self) -> Result<Extent> {
        let world = self.world(&self.page().main_frame().id).await?;
        self.ask(&world, "extent", &json!({})).read().await
    }

    /// The visible boxes of elements, in the viewport of the main frame. Those
    /// that do not show, or left the page meanwhile, are left out.
    pub async fn marks(&self, references: &[Reference]) -> Result<Vec<(Reference, Rect)>> {
        let mut by_frame: BTreeMap<String, (FrameId, Vec<Reference>)> = BTreeMap::new();
        for reference in references {
            let world = match self.world_for(&Target::reference(*reference)).await {
                Ok(world) => world,
                Err(error) if error.kind() == Some(Kind::RefStale) => continue,
                Err(error) => return Err(error),
            };
            let frame = world.frame();
            let entry = by_frame.entry(frame.to_string());
            entry.or_insert_with(|| (frame.clone(), Vec::new())).1.push(*reference);
        }
        let mut found = Vec::new();
        for (frame, references) in by_frame.into_values() {
            let boxes = match self.marks_in(&frame, &references).await {
                Ok(boxes) => boxes,
                // A frame that left while we looked shows nothing.
                Err(error) if error.is_stale_document() || error.kind() == Some(Kind::Missed) => {
                    continue;
                }
                Err(error) => return Err(error),
            };
            for (reference, mark) in references.into_iter().zip(boxes) {
                if let Mark::Shown(x, y, width, height) = mark {
                    found.push((reference, Rect { x, y, width, height }));
                }
            }
        }
        Ok(found)
    }

    /// The boxes in the viewport of the main frame.
    async fn marks_in(&self, frame: &FrameId, references: &[Reference]) -> Result<Vec<Mark>> {
        let numbers: Vec<_> = references.iter().map(|reference| reference.number).collect();
        let world = self.world(frame).await?;
        let answer = self.ask(&world, "marks", &json!({ "numbers": numbers }));
        let mut boxes = answer.read::<Marks>().await?.boxes;
        let mut inner = frame.clone();
        while let Some(parent) = self.page().frame(&inner)?.parent {
            let outer = self.world(&parent).await?;
            let owner = self.owner(&outer, &inner).await?;
            let argument = json!({ "owner": owner, "boxes": boxes });
            boxes = self.ask(&outer, "mapMarks", &argument).read::<Marks>().await?.boxes;
            inner = parent;
        }
        Ok(boxes)
    }
}
