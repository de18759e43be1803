//! The handlers of steps. A context carries them, since what runs a step lies below the
//! handlers, and some handlers run steps.

use std::sync::Arc;

use futures::future::BoxFuture;
use prost_types::Any;
use serde_json::Value;

use super::CallContext;
use browse_base::Result;

/// The response to a step, and whether it has page-derived content.
type StepResponse = Result<(Any, bool)>;

/// How a step is run once it is permitted.
pub struct StepHandlers {
    /// Runs the step that the command of the context names.
    pub run: for<'a> fn(&'a CallContext, &'a Any) -> BoxFuture<'a, StepResponse>,
    /// Runs a command that saves a file with a request of these bytes; returns what is
    /// known of the file.
    pub save: for<'a> fn(&'a Arc<CallContext>, &'a [u8]) -> BoxFuture<'a, Result<Value>>,
}
