//! Where the elements of refs show in the main document.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::error::{RefusalKind, Result};
use crate::page::engine::Engine;
use crate::page::rect::Rect;
use crate::target::reference::Reference;
use crate::target::target::Target;
use browse_chromium::FrameId;

/// A box, or 0 for what does not show.
#[derive(Debug, Clone, Copy, Deserialize, Serialize)]
#[serde(untagged)]
enum RefBox {
    Shown(f64, f64, f64, f64),
    Hidden(u8),
}

#[derive(Deserialize)]
struct RefBoxes {
    boxes: Vec<RefBox>,
}

/// How the main document lies in its viewport, in CSS pixels.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
pub struct DocumentExtent {
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
    pub async fn extent(&self) -> Result<DocumentExtent> {
        let world = self.world(&self.page().main_frame().id).await?;
        self.send_command(&world, "extent", &json!({})).read().await
    }

    /// The visible boxes of elements, in the viewport of the main frame. Those
    /// that do not show, or left the page meanwhile, are left out.
    pub async fn ref_boxes(&self, references: &[Reference]) -> Result<Vec<(Reference, Rect)>> {
        let mut by_frame: BTreeMap<String, (FrameId, Vec<Reference>)> = BTreeMap::new();
        for reference in references {
            let world = match self.world_for(&Target::from_ref(*reference)).await {
                Ok(world) => world,
                Err(error) if error.kind() == Some(RefusalKind::RefStale) => continue,
                Err(error) => return Err(error),
            };
            let frame = world.frame();
            let entry = by_frame.entry(frame.to_string());
            entry.or_insert_with(|| (frame.clone(), Vec::new())).1.push(*reference);
        }
        let mut found = Vec::new();
        for (frame, references) in by_frame.into_values() {
            let boxes = match self.ref_boxes_in(&frame, &references).await {
                Ok(boxes) => boxes,
                // A frame that left while we looked shows nothing.
                Err(error)
                    if error.is_stale_document() || error.kind() == Some(RefusalKind::Missed) =>
                {
                    continue;
                }
                Err(error) => return Err(error),
            };
            for (reference, mark) in references.into_iter().zip(boxes) {
                if let RefBox::Shown(x, y, width, height) = mark {
                    found.push((reference, Rect { x, y, width, height }));
                }
            }
        }
        Ok(found)
    }

    /// The boxes in the viewport of the main frame.
    async fn ref_boxes_in(&self, frame: &FrameId, references: &[Reference]) -> Result<Vec<RefBox>> {
        let numbers: Vec<_> = references.iter().map(|reference| reference.number).collect();
        let world = self.world(frame).await?;
        let answer = self.send_command(&world, "marks", &json!({ "numbers": numbers }));
        let mut boxes = answer.read::<RefBoxes>().await?.boxes;
        let mut inner = frame.clone();
        while let Some(parent) = self.page().frame(&inner)?.parent {
            let outer = self.world(&parent).await?;
            let owner = self.frame_owner_number(&outer, &inner).await?;
            let argument = json!({ "owner": owner, "boxes": boxes });
            boxes =
                self.send_command(&outer, "mapMarks", &argument).read::<RefBoxes>().await?.boxes;
            inner = parent;
        }
        Ok(boxes)
    }
}
