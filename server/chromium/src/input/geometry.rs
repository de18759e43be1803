//! From a frame's coordinates to those of the main frame.
//!
//! Input goes to the main session, which thinks in the main frame's viewport.
//! A frame's own viewport is the content box of the element that holds it, and
//! that box may be scaled, rotated or skewed by CSS; so points are
//! interpolated inside its quad. Chromium gives the quad in the coordinates of
//! the topmost frame of the same process, so one step crosses all frames of a
//! process at once.

use serde::Deserialize;
use serde::de::IgnoredAny;
use serde_json::json;

use crate::connection::call::CdpCall;
use crate::error::{Error, Result};
use crate::ids::FrameId;
use crate::page::page::Page;

/// A point in CSS pixels.
pub type Point = (f64, f64);

/// Maps points of one frame's viewport into the main frame's. It holds until
/// something scrolls, resizes or animates.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct FrameMapping {
    /// From the frame outwards.
    quads: Vec<FrameQuad>,
}

/// The content box of a frame's element.
#[derive(Debug, Clone, PartialEq)]
struct FrameQuad {
    quad: [Point; 4],
    width: f64,
    height: f64,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct FrameOwner {
    backend_node_id: i64,
}

#[derive(Deserialize)]
struct GetBoxModelResult {
    model: BoxModelQuads,
}

#[derive(Deserialize)]
struct BoxModelQuads {
    content: Vec<f64>,
    border: Vec<f64>,
    width: f64,
    height: f64,
}

impl FrameMapping {
    /// The point as the main frame sees it.
    pub fn to_main(&self, point: Point) -> Point {
        self.quads.iter().fold(point, |point, step| step.to_parent(point))
    }
}

impl FrameQuad {
    fn new(model: &BoxModelQuads) -> Result<Self> {
        let degenerate = || Error::Protocol {
            method: "DOM.getBoxModel".to_owned(),
            message: "the frame's element has no box".to_owned(),
        };
        let content = quad(&model.content).ok_or_else(degenerate)?;
        let border = quad(&model.border).ok_or_else(degenerate)?;
        // Width and height are those of the border box before any transform;
        // along an edge a transform keeps ratios, which gives the content box.
        let ratio = |from: usize, to: usize| {
            let whole = distance(border[from], border[to]);
            if whole > 0.0 { distance(content[from], content[to]) / whole } else { 0.0 }
        };
        let width = model.width * ratio(0, 1);
        let height = model.height * ratio(0, 3);
        if width <= 0.0 || height <= 0.0 {
            return Err(degenerate());
        }
        Ok(Self { quad: content, width, height })
    }

    /// Bilinear interpolation: exact for every affine transform.
    fn to_parent(&self, (x, y): Point) -> Point {
        let (u, v) = (x / self.width, y / self.height);
        let [top_left, top_right, bottom_right, bottom_left] = self.quad;
        let mix = |a: Point, b: Point, t: f64| (a.0 + (b.0 - a.0) * t, a.1 + (b.1 - a.1) * t);
        mix(mix(top_left, top_right, u), mix(bottom_left, bottom_right, u), v)
    }
}

fn quad(numbers: &[f64]) -> Option<[Point; 4]> {
    let &[a, b, c, d, e, f, g, h] = numbers else {
        return None;
    };
    Some([(a, b), (c, d), (e, f), (g, h)])
}

fn distance(a: Point, b: Point) -> f64 {
    (a.0 - b.0).hypot(a.1 - b.1)
}

impl Page {
    /// How points of a frame's viewport are seen from the main frame. The main
    /// frame's own mapping changes nothing and costs nothing.
    pub async fn frame_mapping(&self, frame: &FrameId) -> Result<FrameMapping> {
        let mut steps = Vec::new();
        let mut inner = self.frame(frame)?;
        while let Some(parent) = inner.parent.clone() {
            let outer = self.frame(&parent)?;
            let session = &outer.session;
            let owner: FrameOwner =
                session.call_method("DOM.getFrameOwner", &json!({ "frameId": inner.id })).await?;
            let params = json!({ "backendNodeId": owner.backend_node_id });
            let model: GetBoxModelResult = session.call_method("DOM.getBoxModel", &params).await?;
            steps.push(FrameQuad::new(&model.model)?);
            // The quad is already as seen from the top of that process.
            inner = outer;
            while let Some(parent) = &inner.parent {
                let outer = self.frame(parent)?;
                if outer.session != inner.session {
                    break;
                }
                inner = outer;
            }
        }
        Ok(FrameMapping { quads: steps })
    }

    /// Scrolls an element into view in its frame and in all frames around it.
    /// The object must belong to the frame's session.
    pub fn scroll_into_view(&self, frame: &FrameId, object: &str) -> Result<CdpCall<IgnoredAny>> {
        self.ensure_answering()?;
        let session = self.frame(frame)?.session;
        let params = json!({ "objectId": object });
        Ok(session.call_method("DOM.scrollIntoViewIfNeeded", &params))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn step(content: [f64; 8], border: [f64; 8], width: f64, height: f64) -> FrameQuad {
        let model = BoxModelQuads { content: content.into(), border: border.into(), width, height };
        FrameQuad::new(&model).expect("a box")
    }

    #[test]
    fn a_plain_frame_is_an_offset() {
        // A 300x150 frame with a border of 2 at (10, 20).
        let content = [12., 22., 312., 22., 312., 172., 12., 172.];
        let border = [10., 20., 314., 20., 314., 174., 10., 174.];
        let mapping = FrameMapping { quads: vec![step(content, border, 304., 154.)] };
        assert_eq!(mapping.to_main((5.0, 6.0)), (17.0, 28.0));
    }

    #[test]
    fn a_scaled_frame_inside_a_shifted_one() {
        let twice = [0., 0., 200., 0., 200., 200., 0., 200.];
        let shifted = [50., 0., 450., 0., 450., 400., 50., 400.];
        let mapping = FrameMapping {
            quads: vec![step(twice, twice, 100., 100.), step(shifted, shifted, 400., 400.)],
        };
        assert_eq!(mapping.to_main((10.0, 20.0)), (70.0, 40.0));
    }

    #[test]
    fn a_frame_without_a_box_is_an_error() {
        let model =
            BoxModelQuads { content: vec![0.; 8], border: vec![0.; 8], width: 0., height: 0. };
        assert!(FrameQuad::new(&model).is_err());
    }
}
