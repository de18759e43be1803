//! Evaluation in the page's own world, where its scripts see what is done.

use serde::de::IgnoredAny;
use serde_json::{Value, json};

use super::frames::Frame;
use super::page::Page;
use crate::connection::call::CdpCall;
use crate::error::{Error, Result};
use crate::ids::FrameId;
use crate::world::outcome;

/// How to evaluate.
#[derive(Debug, Clone, Copy)]
pub struct EvaluateOptions {
    /// Counts as done by the user: popups, fullscreen, clipboard.
    pub user_gesture: bool,
    /// Waits for a promise.
    pub await_promise: bool,
    /// Allows `await` at top level and redeclaring `let` and `const`.
    pub repl: bool,
}

impl Default for EvaluateOptions {
    fn default() -> Self {
        Self { user_gesture: true, await_promise: true, repl: false }
    }
}

/// What an expression came to.
pub type EvaluatedValue = Value;

impl Page {
    /// Evaluates an expression in the page's world of a frame and answers its
    /// value as JSON (`null` for `undefined`).
    pub fn evaluate(
        &self,
        frame: &FrameId,
        expression: &str,
        options: EvaluateOptions,
    ) -> Result<CdpCall<EvaluatedValue>> {
        self.ensure_answering()?;
        let frame = self.frame(frame)?;
        if options.user_gesture {
            self.record_user_activation();
        }
        let mut params = json!({
            "expression": expression,
            "returnByValue": true,
            "userGesture": options.user_gesture,
            "awaitPromise": options.await_promise,
            "replMode": options.repl,
        });
        in_main_world(&frame, &mut params)?;
        let call: CdpCall<Value> = frame.session.call_method("Runtime.evaluate", &params);
        Ok(call.decode_with(outcome::value))
    }

    /// The remote object of a frame's document in the page's own world. No script
    /// of the page runs. It lives as long as the document, or until its group is
    /// released.
    pub fn document_object(&self, frame: &FrameId, group: &str) -> Result<CdpCall<Option<String>>> {
        self.ensure_answering()?;
        let frame = self.frame(frame)?;
        let mut params = json!({ "expression": "document", "objectGroup": group });
        in_main_world(&frame, &mut params)?;
        let call: CdpCall<IgnoredAny> = frame.session.call_method("Runtime.evaluate", &params);
        Ok(call.decode_with(outcome::object))
    }
}

/// Adds to the parameters of `Runtime.evaluate` in which context it is to run.
fn in_main_world(frame: &Frame, params: &mut Value) -> Result<()> {
    match frame.contexts.main() {
        Some(context) => {
            let (key, context) = context.evaluate_parameter();
            params[key] = context;
        }
        // Without a context Chromium takes the root frame of the session.
        None if frame.out_of_process || frame.parent.is_none() => {}
        None => return Err(Error::StaleContext),
    }
    Ok(())
}
