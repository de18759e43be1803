//! The rules of a context, which may change while they are in force.

use std::sync::Arc;

use browse_base::Lock;
use browse_net::HostRules;

/// Rules that may be replaced while they are in force.
#[derive(Debug, Clone, Default)]
pub(crate) struct LiveRules(Arc<Lock<HostRules>>);

impl LiveRules {
    pub(crate) fn new(rules: HostRules) -> Self {
        Self(Arc::new(Lock::new(rules)))
    }

    /// What holds now.
    pub(crate) fn get(&self) -> HostRules {
        self.0.lock().clone()
    }

    /// From now on these hold.
    pub(crate) fn set(&self, rules: HostRules) {
        *self.0.lock() = rules;
    }
}
