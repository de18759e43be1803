//! Which origins a context has shown: the browser tells nobody whose storage
//! it holds.

use std::collections::HashMap;

use url::Url;

use super::page::Page;
use crate::ids::BrowserContextId;
use browse_base::Lock;

/// Origins that are remembered of one context; those shown the longest ago fall out.
const MAX_ORIGINS: usize = 300;

/// The origins of all contexts.
#[derive(Default)]
pub(crate) struct VisitedOrigins(Lock<HashMap<BrowserContextId, ContextOrigins>>);

/// The origins of one context.
#[derive(Default)]
struct ContextOrigins {
    /// How often an origin was shown.
    visits: u64,
    /// Each origin with its last visit, in the order of these.
    origins: Vec<(String, u64)>,
}

impl VisitedOrigins {
    /// Notes that a frame of `context` shows `url`.
    pub(crate) fn record(&self, context: &BrowserContextId, url: &str) {
        let Some(origin) = origin(url) else { return };
        let mut all = self.0.lock();
        let shown = all.entry(context.clone()).or_default();
        shown.visits += 1;
        match shown.origins.iter().rposition(|(known, _)| *known == origin) {
            Some(at) => drop(shown.origins.remove(at)),
            None if shown.origins.len() >= MAX_ORIGINS => drop(shown.origins.remove(0)),
            None => {}
        }
        shown.origins.push((origin, shown.visits));
    }

    /// Forgets a context.
    pub(crate) fn forget(&self, context: &BrowserContextId) {
        self.0.lock().remove(context);
    }

    /// The origins of `context` that were shown after its visit number `visit`.
    pub(crate) fn shown_after(&self, context: &BrowserContextId, visit: u64) -> Vec<String> {
        let all = self.0.lock();
        let origins = all.get(context).into_iter().flat_map(|shown| &shown.origins);
        let later = origins.filter(|(_, last)| *last > visit);
        later.map(|(origin, _)| origin.clone()).collect()
    }

    /// The number of the last visit in `context`.
    pub(crate) fn last_visit(&self, context: &BrowserContextId) -> u64 {
        self.0.lock().get(context).map_or(0, |shown| shown.visits)
    }
}

impl Page {
    /// Origins that frames of its context have shown, the one shown last at the end.
    pub fn visited_origins(&self) -> Vec<String> {
        self.shared.visited_origins.shown_after(self.context_id(), 0)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_origin_that_is_shown_again_counts_as_shown_later() {
        let (visited, context) = (VisitedOrigins::default(), BrowserContextId::from("c"));
        for url in ["https://a.example/1", "about:blank", "https://b.example/", "ftp://c.example"] {
            visited.record(&context, url);
        }
        let all = ["https://a.example", "https://b.example"];
        assert_eq!(visited.shown_after(&context, 0), all);
        let visit = visited.last_visit(&context);
        assert!(visited.shown_after(&context, visit).is_empty());
        visited.record(&context, "https://a.example/2");
        assert_eq!(visited.shown_after(&context, visit), ["https://a.example"]);
        assert_eq!(visited.shown_after(&context, 0), ["https://b.example", "https://a.example"]);
        visited.forget(&context);
        assert!(visited.shown_after(&context, 0).is_empty());
    }

    #[test]
    fn the_origin_shown_the_longest_ago_falls_out() {
        let (visited, context) = (VisitedOrigins::default(), BrowserContextId::from("c"));
        for number in 0..=MAX_ORIGINS {
            visited.record(&context, &format!("https://{number}.example/"));
        }
        let left = visited.shown_after(&context, 0);
        assert_eq!(left.len(), MAX_ORIGINS);
        assert_eq!(left[0], "https://1.example");
    }
}
