//! One finger on a touch screen.

use serde::de::IgnoredAny;
use serde_json::json;

use crate::connection::call::CdpCall;
use crate::page::page::Page;

/// What the finger does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TouchPhase {
    /// It touches the page.
    Start,
    /// It moves.
    Move,
    /// It is lifted.
    End,
}

impl Page {
    /// Sends a touch at a point of the viewport, in CSS pixels.
    pub fn send_touch(&self, phase: TouchPhase, x: f64, y: f64) -> CdpCall<IgnoredAny> {
        self.record_user_activation();
        let (kind, points) = match phase {
            TouchPhase::Start => ("touchStart", json!([{ "x": x, "y": y }])),
            TouchPhase::Move => ("touchMove", json!([{ "x": x, "y": y }])),
            TouchPhase::End => ("touchEnd", json!([])),
        };
        let params = json!({ "type": kind, "touchPoints": points });
        self.session().call_method("Input.dispatchTouchEvent", &params)
    }
}
