//! The element at a point of the viewport.

use serde::Deserialize;
use serde_json::json;

use crate::error::{Error, RefusalKind, Result};
use crate::page::engine::Engine;
use crate::page::ref_assignment::ref_number;
use crate::target::reference::{RefKind, Reference};

/// Frames and closed shadow trees within each other that are looked into.
const MAX_DEPTH: usize = 32;

#[derive(Deserialize)]
struct PointAnswer {
    #[serde(rename = "ref")]
    reference: Option<i64>,
    #[serde(default)]
    role: String,
    #[serde(default)]
    name: String,
    #[serde(default)]
    serial: u64,
    #[serde(default)]
    fresh: usize,
    /// Number of the frame that it holds; 0 for none.
    #[serde(default)]
    owner: u32,
    /// Whether it may hold a closed shadow tree that is not known yet.
    #[serde(default)]
    suspects: usize,
    #[serde(default)]
    x: f64,
    #[serde(default)]
    y: f64,
}

impl Engine {
    /// A ref for the innermost element at a point of the viewport of the main frame, in CSS
    /// pixels; through frames and shadow trees.
    ///
    /// # Errors
    /// `NOT_FOUND` where the page shows nothing; the page does not answer.
    pub async fn element_at(&self, x: f64, y: f64) -> Result<Reference> {
        let mut frame = self.page().main_frame().id;
        let point = (x, y);
        let (mut x, mut y) = point;
        let mut found = None;
        for _ in 0..MAX_DEPTH {
            let world = match self.world(&frame).await {
                Ok(world) => world,
                // A frame that does not answer: the element that holds it is named.
                Err(error) => return found.ok_or(error),
            };
            let argument = json!({ "x": x, "y": y });
            let answer = self.send_command(&world, "atPoint", &argument).read().await;
            let answer: PointAnswer = match (answer, found) {
                (Ok(answer), _) => answer,
                (Err(_), Some(holder)) => return Ok(holder),
                (Err(error), None) => return Err(error),
            };
            let Some(reference) = answer.reference else { break };
            let label = (answer.role.as_str().into(), answer.name.as_str().into());
            let base = self.assign_refs(&world, answer.serial, vec![label; answer.fresh]);
            let number = ref_number(reference, base);
            found = Some(Reference { kind: RefKind::Element, number });
            // With the closed tree in place the script sees into it.
            if answer.suspects > 0 && self.adopt_closed_roots(&world).await? > 0 {
                continue;
            }
            if answer.owner == 0 {
                break;
            }
            let Ok(Some(inner)) = self.frame_of_owner(&world, answer.owner).await else { break };
            (frame, x, y) = (inner, answer.x, answer.y);
        }
        found.ok_or_else(|| nothing_at(point))
    }
}

/// The refusal of a point: a ref or a wait, which help with other targets, do not help here.
fn nothing_at((x, y): (f64, f64)) -> Error {
    let message = format!("nothing is at the point {x},{y} of the viewport");
    Error::refused(RefusalKind::NotFound, message).with(
        "hint",
        "Give a point of the part of the page that shows, in CSS pixels from its top left corner: \
         `browse screenshot --viewport` shows that part",
    )
}
