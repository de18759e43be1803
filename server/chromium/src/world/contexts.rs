//! The execution contexts of a frame's document, as Chromium reports them.
//!
//! A context has a number, which is one of its process: when a document of
//! another process takes its place, the same number may mean the page's own
//! world there. Its unique id means nothing else ever, so a script that was
//! written for one world never runs in another.

use std::sync::Arc;

use serde_json::{Value, json};

/// One execution context.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ExecutionContext {
    /// Its number in its process.
    pub number: i64,
    /// Its id; none where Chromium has not reported it.
    pub unique_id: Option<Arc<str>>,
}

impl ExecutionContext {
    /// The parameter that names it to `Runtime.evaluate`.
    pub fn evaluate_parameter(&self) -> (&'static str, Value) {
        self.parameter("contextId")
    }

    /// The parameter that names it to `Runtime.callFunctionOn`.
    pub fn call_parameter(&self) -> (&'static str, Value) {
        self.parameter("executionContextId")
    }

    fn parameter(&self, by_number: &'static str) -> (&'static str, Value) {
        match &self.unique_id {
            Some(unique) => ("uniqueContextId", json!(**unique)),
            None => (by_number, json!(self.number)),
        }
    }
}

/// What is known of a document's contexts.
#[derive(Debug, Clone, Default)]
pub(crate) struct ExecutionContexts {
    main: Option<ExecutionContext>,
    isolated: Vec<(Arc<str>, ExecutionContext)>,
}

/// Isolated worlds of one document that are remembered; there are as many as
/// the daemon makes, and those of extensions.
const MAX_ISOLATED_WORLDS: usize = 16;

impl ExecutionContexts {
    /// The page's own world.
    pub fn main(&self) -> Option<&ExecutionContext> {
        self.main.as_ref()
    }

    /// The isolated world of this name.
    pub fn isolated(&self, name: &str) -> Option<&ExecutionContext> {
        self.isolated.iter().rev().find(|(known, _)| &**known == name).map(|(_, context)| context)
    }

    /// A context was made; `name` is that of an isolated world.
    pub fn insert(&mut self, name: Option<&str>, context: ExecutionContext) {
        match name {
            None => self.main = Some(context),
            Some(name) => {
                if self.isolated.len() >= MAX_ISOLATED_WORLDS {
                    self.isolated.remove(0);
                }
                self.isolated.push((name.into(), context));
            }
        }
    }

    /// The context with this number is gone.
    pub fn remove(&mut self, number: i64) {
        self.main.take_if(|context| context.number == number);
        self.isolated.retain(|(_, context)| context.number != number);
    }

    /// This isolated world turned out to be gone.
    pub fn forget(&mut self, gone: &ExecutionContext) {
        self.isolated.retain(|(_, context)| context != gone);
    }

    /// All of them are gone.
    pub fn clear(&mut self) {
        *self = Self::default();
    }
}

#[cfg(test)]
mod tests {
    use super::{ExecutionContext, ExecutionContexts, MAX_ISOLATED_WORLDS};

    fn context(number: i64) -> ExecutionContext {
        ExecutionContext { number, unique_id: Some(format!("{number}.0").into()) }
    }

    #[test]
    fn the_last_world_of_a_name_counts_until_it_is_gone() {
        let mut contexts = ExecutionContexts::default();
        contexts.insert(None, context(1));
        contexts.insert(Some("browse"), context(2));
        contexts.insert(Some("other"), context(3));
        contexts.insert(Some("browse"), context(4));
        assert_eq!(contexts.isolated("browse"), Some(&context(4)));
        contexts.remove(4);
        assert_eq!(contexts.isolated("browse"), Some(&context(2)));
        contexts.remove(1);
        assert_eq!(contexts.main(), None);
        // The same number in another process is another context.
        contexts.forget(&ExecutionContext { number: 2, unique_id: Some("9.9".into()) });
        assert_eq!(contexts.isolated("browse"), Some(&context(2)));
        contexts.forget(&context(2));
        assert_eq!(contexts.isolated("browse"), None);
        contexts.clear();
        assert_eq!(contexts.isolated("other"), None);
    }

    #[test]
    fn a_document_cannot_have_more_remembered_than_there_is_room_for() {
        let mut contexts = ExecutionContexts::default();
        (0..100).for_each(|number| contexts.insert(Some("x"), context(number)));
        assert_eq!(contexts.isolated.len(), MAX_ISOLATED_WORLDS);
        assert_eq!(contexts.isolated("x"), Some(&context(99)));
    }

    #[test]
    fn a_context_is_named_by_its_unique_id_where_that_is_known() {
        assert_eq!(context(7).evaluate_parameter().0, "uniqueContextId");
        let bare = ExecutionContext { number: 7, unique_id: None };
        assert_eq!(bare.evaluate_parameter(), ("contextId", 7.into()));
        assert_eq!(bare.call_parameter(), ("executionContextId", 7.into()));
    }
}
