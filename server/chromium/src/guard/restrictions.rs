//! The restricted contexts.

use std::collections::HashMap;
use std::sync::Arc;

use super::live_rules::LiveRules;
use super::proxy::Proxy;
use crate::ids::BrowserContextId;
use browse_base::Lock;

/// What holds for one restricted context.
#[derive(Clone)]
pub(crate) struct Restriction {
    pub rules: LiveRules,
    /// Lives exactly as long as the context.
    pub proxy: Arc<Proxy>,
}

/// All restricted contexts.
#[derive(Default)]
pub(crate) struct Policies(Lock<HashMap<BrowserContextId, Restriction>>);

impl Policies {
    pub(crate) fn insert(&self, context: BrowserContextId, restriction: Restriction) {
        self.0.lock().insert(context, restriction);
    }

    pub(crate) fn remove(&self, context: &BrowserContextId) {
        self.0.lock().remove(context);
    }

    pub(crate) fn get(&self, context: &BrowserContextId) -> Option<Restriction> {
        self.0.lock().get(context).cloned()
    }

    /// The proxy at this address.
    pub(crate) fn proxy(&self, url: &str) -> Option<Arc<Proxy>> {
        let restrictions = self.0.lock();
        let mut proxies = restrictions.values().map(|restriction| &restriction.proxy);
        proxies.find(|proxy| proxy.url() == url).map(Arc::clone)
    }

    /// Whether there are any.
    pub(crate) fn has_any(&self) -> bool {
        !self.0.lock().is_empty()
    }
}
