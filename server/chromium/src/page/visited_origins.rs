//! Which origins a context has shown: the browser tells nobody whose storage
//! it holds.

use std::collections::HashMap;

use url::Url;

use super::page::Page;
use crate::ids::BrowserContextId;
use browse_base::Lock;

/// Origins that are remembered of one context; the oldest fall out.
const MAX_ORIGINS: usize = 300;

/// The origins of all contexts.
#[derive(Default)]
pub(crate) struct VisitedOrigins(Lock<HashMap<BrowserContextId, Vec<String>>>);

impl VisitedOrigins {
    /// Notes that a frame of `context` shows `url`.
    pub(crate) fn record(&self, context: &BrowserContextId, url: &str) {
        let Some(origin) = origin(url) else { return };
        let mut all = self.0.lock();
        let origins = all.entry(context.clone()).or_default();
        if origins.iter().rev().any(|known| *known == origin) {
            return;
        }
        if origins.len() >= MAX_ORIGINS {
            origins.remove(0);
        }
        origins.push(origin);
    }

    /// Forgets a context.
    pub(crate) fn forget(&self, context: &BrowserContextId) {
        self.0.lock().remove(context);
    }

    fn get(&self, context: &BrowserContextId) -> Vec<String> {
        self.0.lock().get(context).cloned().unwrap_or_default()
    }
}

impl Page {
    /// Origins that frames of its context have shown, oldest first.
    pub fn visited_origins(&self) -> Vec<String> {
        self.shared.visited_origins.get(self.context_id())
    }
}

/// The origin of a page of the web.
fn origin(url: &str) -> Option<String> {
    if !url.starts_with("http") {
        return None;
    }
    let url = Url::parse(url).ok()?;
    matches!(url.scheme(), "http" | "https").then(|| url.origin().ascii_serialization())
}
