//! The runtimes that the skills of this machine get, as a listing names them.

use futures::future::join_all;

use super::{ALL, Runtime, RuntimeFinder};
use browse_base::Result;

/// A label of each runtime, or why it is missing.
pub struct RuntimeLabels(Vec<(&'static str, Result<String>)>);

impl RuntimeLabels {
    /// Looks for all of them.
    pub async fn find(programs: &RuntimeFinder) -> Self {
        let found = ALL.map(|runtime| async { (runtime.name(), runtime.find(programs).await) });
        Self(join_all(found).await)
    }

    /// What the skills of this runtime get.
    ///
    /// # Errors
    /// `RUNTIME_MISSING`.
    pub fn get(&self, runtime: &dyn Runtime) -> Result<String> {
        let label = self.0.iter().find(|(name, _)| *name == runtime.name());
        label.map_or_else(|| Ok(runtime.name().to_owned()), |(_, label)| label.clone())
    }
}
