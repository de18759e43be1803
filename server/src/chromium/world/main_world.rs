//! Evaluation in the page's own world, where its scripts see what is done.

use serde_json::{Value, json};

use super::outcome;
use crate::chromium::connection::call::Call;
use crate::chromium::error::{Error, Result};
use crate::chromium::ids::FrameId;
use crate::chromium::page::page::Page;

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
pub type Evaluated = Value;

impl Page {
    /// Evaluates an expression in the page's world of a frame and answers its
    /// value as JSON (`null` for `undefined`).
    pub fn evaluate(
        &self,
        frame: &FrameId,
        expression: &str,
        options: EvaluateOptions,
    ) -> Result<Call<Evaluated>> {
        self.ensure_answering()?;
        let frame = self.frame(frame)?;
        let mut params = json!({
            "expression": expression,
            "returnByValue": true,
            "userGesture": options.user_gesture,
            "awaitPromise": options.await_promise,
            "replMode": options.repl,
        });
        match frame.contexts.main() {
            Some(context) => {
                let (key, context) = context.for_evaluate();
                params[key] = context;
            }
            // Without a context Chromium takes the root frame of the session.
            None if frame.out_of_process || frame.parent.is_none() => {}
            None => return Err(Error::StaleContext),
        }
        let call: Call<Value> = frame.session.call_method("Runtime.evaluate", &params);
        Ok(call.decode_with(outcome::value))
    }
}
