//! One isolated world of one document, with an engine in it.

use std::collections::HashMap;
use std::sync::Arc;

use serde::Serialize;
use serde::de::{DeserializeOwned, IgnoredAny};
use serde_json::{Value, json};

use super::argument::ScriptArgument;
use super::contexts::ExecutionContext;
use super::outcome;
use crate::connection::call::CdpCall;
use crate::connection::session::CdpSession;
use crate::error::Result;
use crate::ids::{FrameId, LoaderId};
use browse_base::Lock;

/// A script that is injected once into each document that it is used in.
/// It must bear being run twice in the same world.
#[derive(Debug)]
pub struct InjectedScript {
    /// Name of the isolated world; one world for each name.
    pub world_name: &'static str,
    /// The script.
    pub script: &'static str,
}

/// Parameters of `Runtime.evaluate` that copy the script when they are written and
/// not before: many tabs may be given it at once.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Injection {
    expression: &'static str,
    #[serde(flatten)]
    context: HashMap<&'static str, Value>,
    silent: bool,
}

/// An isolated world. It stays valid exactly as long as its document; calls
/// into a document that is gone end with `StaleContext`.
pub struct World {
    session: CdpSession,
    frame: FrameId,
    loader: LoaderId,
    context: ExecutionContext,
    injected_script: &'static InjectedScript,
    is_injected: Arc<Lock<bool>>,
}

impl World {
    pub(crate) fn new(
        session: CdpSession,
        frame: FrameId,
        loader: LoaderId,
        context: ExecutionContext,
        engine: &'static InjectedScript,
    ) -> Self {
        Self {
            session,
            frame,
            loader,
            context,
            injected_script: engine,
            is_injected: Arc::default(),
        }
    }

    /// The frame it is in.
    pub fn frame(&self) -> &FrameId {
        &self.frame
    }

    /// The document it is in.
    pub fn loader(&self) -> &LoaderId {
        &self.loader
    }

    /// The execution context's number, unique within its process.
    pub fn context(&self) -> i64 {
        self.context.number
    }

    /// The execution context.
    pub(crate) fn execution_context(&self) -> &ExecutionContext {
        &self.context
    }

    /// The parameter of `Runtime.evaluate` that names this world, and nothing
    /// else whatever became of the document: its key and its value.
    pub fn context_parameter(&self) -> (&'static str, Value) {
        self.context.evaluate_parameter()
    }

    /// The session that serves the frame.
    pub fn session(&self) -> &CdpSession {
        &self.session
    }

    /// Calls `function` (a declaration such as `(a) => a + 1`) and answers its
    /// JSON value as `T`. A promise is awaited. For large results let the
    /// function return a JSON string and take `String`: that is six times
    /// faster than returning the object.
    pub fn call<T: DeserializeOwned>(
        &self,
        function: &str,
        arguments: &[ScriptArgument],
    ) -> CdpCall<T> {
        let (key, context) = self.context.call_parameter();
        let params = json!({
            "functionDeclaration": function,
            (key): context,
            "arguments": arguments,
            "returnByValue": true,
            "awaitPromise": true,
        });
        self.call_injected::<IgnoredAny>("Runtime.callFunctionOn", &params)
            .decode_with(outcome::value_of_injected_script)
    }

    /// As [`World::call`], with an object of this world as `this`.
    pub fn call_on<T: DeserializeOwned>(
        &self,
        object: &str,
        function: &str,
        arguments: &[ScriptArgument],
    ) -> CdpCall<T> {
        let params = json!({
            "functionDeclaration": function,
            "objectId": object,
            "arguments": arguments,
            "returnByValue": true,
            "awaitPromise": true,
        });
        self.call_injected::<IgnoredAny>("Runtime.callFunctionOn", &params)
            .decode_with(outcome::value_of_injected_script)
    }

    /// Calls `function` and answers the id of the object it returns, `None`
    /// for a primitive. Objects live until [`World::release`] of their group
    /// or the end of the document.
    pub fn call_handle(
        &self,
        function: &str,
        arguments: &[ScriptArgument],
        group: &str,
    ) -> CdpCall<Option<String>> {
        let (key, context) = self.context.call_parameter();
        let params = json!({
            "functionDeclaration": function,
            (key): context,
            "arguments": arguments,
            "objectGroup": group,
            "awaitPromise": true,
        });
        self.call_injected::<IgnoredAny>("Runtime.callFunctionOn", &params)
            .decode_with(outcome::object)
    }

    /// Evaluates an expression and answers its JSON value.
    pub fn evaluate<T: DeserializeOwned>(&self, expression: &str) -> CdpCall<T> {
        let params = self.evaluate_params(expression);
        self.call_injected::<IgnoredAny>("Runtime.evaluate", &params)
            .decode_with(outcome::value_of_injected_script)
    }

    fn evaluate_params(&self, expression: &str) -> Value {
        let (key, context) = self.context_parameter();
        json!({
            "expression": expression,
            (key): context,
            "returnByValue": true,
            "awaitPromise": true,
        })
    }

    /// Whether the engine is in this document, or on its way there.
    pub fn has_injected_script(&self) -> bool {
        *self.is_injected.lock()
    }

    /// As [`World::evaluate`], without the engine.
    pub fn evaluate_without_script<T: DeserializeOwned>(&self, expression: &str) -> CdpCall<T> {
        let params = self.evaluate_params(expression);
        self.session
            .call_method::<IgnoredAny>("Runtime.evaluate", &params)
            .decode_with(outcome::value)
    }

    /// Sends any method to this world's session with the engine in place, for
    /// evaluations with options that the other functions do not have. The
    /// caller puts [`World::named`] into the parameters.
    pub fn call_method<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: &Value,
    ) -> CdpCall<T> {
        self.call_injected(method, params)
    }

    /// Lets go of the remote objects of a group.
    pub fn release(&self, group: &str) {
        let params = json!({ "objectGroup": group });
        self.session.call_method::<IgnoredAny>("Runtime.releaseObjectGroup", &params).ignore();
    }

    /// Writes a call, preceded by the engine if this document has none yet:
    /// both travel in one flight.
    fn call_injected<T: DeserializeOwned>(
        &self,
        method: &'static str,
        params: &Value,
    ) -> CdpCall<T> {
        // The lock orders a second caller's message behind the injection.
        let mut injected = self.is_injected.lock();
        if !*injected {
            *injected = true;
            self.inject_script();
        }
        self.session.call_method(method, params)
    }

    fn inject_script(&self) {
        let params = Injection {
            expression: self.injected_script.script,
            context: [self.context_parameter()].into(),
            silent: true,
        };
        let injected = Arc::clone(&self.is_injected);
        let world = self.injected_script.world_name;
        self.session.call_then("Runtime.evaluate", &params, move |answer: Result<Value>| {
            let problem = match &answer {
                Err(error) => error.to_string(),
                Ok(answer) => match answer.get("exceptionDetails") {
                    Some(details) => details.to_string(),
                    None => return,
                },
            };
            // Ended by `terminateExecution`, say: the next call tries again.
            tracing::debug!(world, %problem, "the engine was not injected");
            *injected.lock() = false;
        });
    }
}

impl std::fmt::Debug for World {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "World({} in {}, {})", self.context.number, self.frame, self.loader)
    }
}
