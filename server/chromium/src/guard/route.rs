//! What becomes of a tab's requests by the user's own choice. The guard decides
//! before: a route sees only what may be asked for anyway.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use bytes::Bytes;
use serde_json::{Value, json};

/// A rule about requests.
#[derive(Debug)]
pub struct Route {
    /// Addresses that it is about: `*` is any run of letters, `?` any letter.
    pub glob: String,
    /// Time that passes before anything else happens.
    pub delay: Duration,
    /// What happens then.
    pub action: RouteAction,
    hits: AtomicU64,
}

/// What a route does with a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum RouteAction {
    /// Sends it on.
    Continue,
    /// Ends it as a blocker would.
    Abort,
    /// The same for methods that may change something on the server; sends GET,
    /// HEAD and OPTIONS on.
    AbortUnsafe,
    /// Answers in the server's place.
    Fulfill {
        /// HTTP status.
        status: u16,
        /// Headers of the answer.
        headers: Vec<(String, String)>,
        /// Body of the answer.
        body: Bytes,
    },
}

/// Whether a request of this method only asks for something. Source: RFC 9110,
/// section 9.2.1, without TRACE.
pub fn is_safe_method(method: &str) -> bool {
    matches!(method, "GET" | "HEAD" | "OPTIONS")
}

impl Route {
    /// A route that was never taken.
    pub fn new(glob: &str, delay: Duration, action: RouteAction) -> Self {
        Self { glob: glob.to_owned(), delay, action, hits: AtomicU64::new(0) }
    }

    /// Requests that it was applied to.
    pub fn hits(&self) -> u64 {
        self.hits.load(Ordering::Relaxed)
    }

    pub(crate) fn count_hit(&self) {
        self.hits.fetch_add(1, Ordering::Relaxed);
    }
}

/// The routes of a tab; of those that match the newest counts.
#[derive(Debug, Clone, Default)]
pub(crate) struct TabRoutes(Vec<Arc<Route>>);

impl TabRoutes {
    pub(crate) fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Adds one, in the place of one for the same addresses.
    pub(crate) fn add(&mut self, route: Arc<Route>) {
        self.0.retain(|other| other.glob != route.glob);
        self.0.push(route);
    }

    /// Removes those for exactly these addresses, or all.
    pub(crate) fn remove(&mut self, glob: Option<&str>) {
        self.0.retain(|route| glob.is_some_and(|glob| glob != route.glob));
    }

    /// Oldest first.
    pub(crate) fn all(&self) -> &[Arc<Route>] {
        &self.0
    }

    /// The route of an address, whose fragment is none of its business.
    pub(crate) fn find(&self, url: &str) -> Option<Arc<Route>> {
        let url = url.split('#').next().unwrap_or_default();
        let matches = |route: &&Arc<Route>| matches_glob(route.glob.as_bytes(), url.as_bytes());
        self.0.iter().rev().find(matches).cloned()
    }

    /// For `Fetch.enable`: Chromium pauses only what one of the routes is about.
    pub(crate) fn fetch_params(&self) -> Value {
        json!({ "patterns": self.request_patterns() })
    }

    /// The patterns alone.
    pub(crate) fn request_patterns(&self) -> Vec<Value> {
        let pattern = |route: &Arc<Route>| {
            let glob = route.glob.replace('\\', "\\\\");
            json!({ "urlPattern": glob })
        };
        self.0.iter().map(pattern).collect()
    }
}

/// Matches in time that grows with pattern times text at most.
fn matches_glob(pattern: &[u8], text: &[u8]) -> bool {
    let (mut p, mut t) = (0, 0);
    // The last star, and how much of the text it takes.
    let mut star: Option<(usize, usize)> = None;
    while t < text.len() {
        match pattern.get(p) {
            Some(b'*') => {
                star = Some((p, t));
                p += 1;
            }
            Some(letter) if *letter == b'?' || *letter == text[t] => {
                p += 1;
                t += 1;
            }
            _ => match star {
                Some((at, taken)) => {
                    star = Some((at, taken + 1));
                    p = at + 1;
                    t = taken + 1;
                }
                None => return false,
            },
        }
    }
    pattern[p..].iter().all(|letter| *letter == b'*')
}

/// `Fetch.fulfillRequest` for a request of `method` with these headers.
pub(crate) fn fulfill_params(
    id: &str,
    request: &super::document::PausedRequest,
    status: u16,
    headers: &[(String, String)],
    body: &Bytes,
) -> Value {
    let asked = |name: &str| {
        let mut found = request.headers.iter();
        found
            .find(|(known, _)| known.eq_ignore_ascii_case(name))
            .and_then(|(_, value)| value.as_str())
    };
    let given = |name: &str| headers.iter().any(|(known, _)| known.eq_ignore_ascii_case(name));
    let mut answer: Vec<Value> =
        headers.iter().map(|(name, value)| json!({ "name": name, "value": value })).collect();
    let mut add = |name: &str, value: &str| answer.push(json!({ "name": name, "value": value }));
    // Whoever answers in the server's place means the page to read it.
    if let Some(origin) = asked("origin")
        && !given("access-control-allow-origin")
    {
        add("access-control-allow-origin", origin);
        add("access-control-allow-credentials", "true");
    }
    let preflight = asked("access-control-request-method");
    if request.method == "OPTIONS"
        && let Some(method) = preflight
    {
        add("access-control-allow-methods", method);
        if let Some(names) = asked("access-control-request-headers") {
            add("access-control-allow-headers", names);
        }
        return json!({ "requestId": id, "responseCode": 204, "responseHeaders": answer });
    }
    json!({
        "requestId": id,
        "responseCode": status,
        "responseHeaders": answer,
        "body": BASE64_STANDARD.encode(body),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn globs_cover_whole_addresses() {
        for (pattern, text, expected) in [
            ("*", "https://a.b/c", true),
            ("https://a.b/*", "https://a.b/", true),
            ("*.png", "https://a.b/c.png", true),
            ("*.png", "https://a.b/c.png?x", false),
            ("*/api/?", "https://a.b/api/1", true),
            ("*/api/?", "https://a.b/api/12", false),
            ("*a*b*c", "xxaxxbxxbc", true),
            ("a.b", "axb", false),
            ("[ab]", "a", false),
            ("", "", true),
        ] {
            assert_eq!(
                matches_glob(pattern.as_bytes(), text.as_bytes()),
                expected,
                "{pattern} {text}"
            );
        }
        let text = "a".repeat(5_000);
        assert!(!matches_glob("*a".repeat(500).as_bytes(), format!("{text}b").as_bytes()));
    }

    #[test]
    fn the_newest_route_counts() {
        let mut routes = TabRoutes::default();
        for (glob, action) in [("*", RouteAction::Abort), ("*.js", RouteAction::Continue)] {
            routes.add(Arc::new(Route::new(glob, Duration::ZERO, action)));
        }
        let action =
            |routes: &TabRoutes, url: &str| routes.find(url).map(|route| route.action.clone());
        assert_eq!(action(&routes, "https://a/b.js#c"), Some(RouteAction::Continue));
        routes.add(Arc::new(Route::new("*", Duration::ZERO, RouteAction::Abort)));
        assert_eq!(action(&routes, "https://a/b.js"), Some(RouteAction::Abort));
        routes.remove(Some("*"));
        assert_eq!((routes.all().len(), action(&routes, "https://a/b")), (1, None));
        routes.remove(None);
        assert!(routes.is_empty());
    }
}
