//! Dragging one element onto another.

use std::time::Duration;

use browse_proto::{Reason, v1};

use super::{act, engine, target};
use crate::{
    dispatch::Context,
    engine::{Drag, Engine},
    error::{Error, Result},
};

/// Moves of the pointer that a caller may ask for.
pub(super) const MOST_STEPS: u32 = 200;

/// Moves when the caller names no number: enough for a page to notice.
const STEPS: u32 = 10;

/// Longest press before the first move, in milliseconds.
const MOST_HOLD: u32 = 10_000;

/// Drags an element onto another.
pub async fn drag(cx: &Context, request: v1::DragRequest) -> Result<v1::DragResponse> {
    let (source, onto) = (target(&request.target)?, target(&request.onto)?);
    let hold = request.hold.unwrap_or(0);
    if hold > MOST_HOLD {
        let message = format!("`--hold` is {hold}, and can be 0 to {MOST_HOLD}");
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", "drag"));
    }
    let steps = steps(request.steps, STEPS)?;
    let how = Drag { steps, hold: Duration::from_millis(u64::from(hold)) };
    let until = cx.deadline();
    let drag = |engine: Engine| async move { engine.drag(&source, &onto, how, until).await };
    Ok(v1::DragResponse { receipt: Some(act(cx, engine(cx, request.no_wait), drag).await?) })
}

/// The number of moves, or why it is none.
pub(super) fn steps(asked: Option<u32>, usual: u32) -> Result<u32> {
    let steps = asked.unwrap_or(usual);
    if (1..=MOST_STEPS).contains(&steps) {
        return Ok(steps);
    }
    let message = format!("`--steps` is {steps}, and can be 1 to {MOST_STEPS}");
    Err(Error::new(Reason::ArgumentInvalid, message))
}
