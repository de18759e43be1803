//! Dragging one element onto another.

use std::time::Duration;

use browse_proto::{Reason, v1};

use super::{engine_for, parse_target, run_action};
use crate::dispatch::CallContext;
use browse_base::{Error, Result};
use browse_engine::{DragOptions, Engine};

/// Moves of the pointer that a caller may ask for.
pub(super) const MAX_STEPS: u32 = 200;

/// Moves when the caller names no number: enough for a page to notice.
const DEFAULT_STEPS: u32 = 10;

/// Longest press before the first move, in milliseconds.
const MAX_HOLD_MS: u32 = 10_000;

/// Drags an element onto another.
pub async fn drag(cx: &CallContext, request: v1::DragRequest) -> Result<v1::DragResponse> {
    let (source, onto) = (parse_target(&request.target)?, parse_target(&request.onto)?);
    let hold = request.hold.unwrap_or(0);
    if hold > MAX_HOLD_MS {
        let message = format!("`--hold` is {hold}, and can be 0 to {MAX_HOLD_MS}");
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "drag"));
    }
    let steps = parse_steps(request.steps, DEFAULT_STEPS)?;
    let how = DragOptions { steps, press_delay: Duration::from_millis(u64::from(hold)) };
    let until = cx.deadline();
    let drag = |engine: Engine| async move { engine.drag(&source, &onto, how, until).await };
    Ok(v1::DragResponse {
        receipt: Some(run_action(cx, engine_for(cx, request.no_wait), drag).await?),
    })
}

/// The number of moves, or why it is none.
pub(super) fn parse_steps(asked: Option<u32>, usual: u32) -> Result<u32> {
    let steps = asked.unwrap_or(usual);
    if (1..=MAX_STEPS).contains(&steps) {
        return Ok(steps);
    }
    let message = format!("`--steps` is {steps}, and can be 1 to {MAX_STEPS}");
    Err(Error::new(Reason::ArgumentInvalid, message))
}
