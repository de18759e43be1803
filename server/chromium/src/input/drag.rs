//! Drags that Chromium hands over to us.
//!
//! A headless browser has no system to drag with. While drags are intercepted
//! Chromium reports what a page wants to drag, and takes the rest of the drag
//! as events of its own, which reach frames of all processes.

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::geometry::Point;
use crate::connection::call::CdpCall;
use crate::error::Result;
use crate::page::page::Page;

/// A step of a drag.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DragStep {
    /// It comes into the page.
    Enter,
    /// It moves on.
    Over,
    /// It is let go.
    Drop,
    /// It is given up.
    Cancel,
}

impl Page {
    /// Whether drags are handed over to us.
    pub fn intercept_drags(&self, enabled: bool) -> CdpCall<IgnoredAny> {
        self.state.lock().drag_data = None;
        self.session().call_method("Input.setInterceptDrags", &json!({ "enabled": enabled }))
    }

    /// Waits for the data of a drag that has begun.
    pub async fn wait_drag_data(&self) -> Result<Value> {
        self.wait_until(|state| state.drag_data.clone()).await
    }

    /// Takes a drag on, at a point of the main frame's viewport.
    pub fn dispatch_drag(
        &self,
        step: DragStep,
        (x, y): Point,
        data: &Value,
    ) -> CdpCall<IgnoredAny> {
        let kind = match step {
            DragStep::Enter => "dragEnter",
            DragStep::Over => "dragOver",
            DragStep::Drop => "drop",
            DragStep::Cancel => "dragCancel",
        };
        let params = json!({ "type": kind, "x": x, "y": y, "data": data });
        self.session().call_method("Input.dispatchDragEvent", &params)
    }
}
