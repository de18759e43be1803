//! What the pages of a session sent that may have changed something on a
//! server: requests of other methods than GET, HEAD and OPTIONS, and forms.

use std::{
    collections::VecDeque,
    fmt,
    sync::{Mutex, PoisonError},
};

use serde::{Deserialize, Serialize};
use url::Url;

/// Entries that are kept; whoever looks once a command loses none.
const MAX_ENTRIES: usize = 256;

/// Something that was sent.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum StateChangingRequest {
    /// A request.
    Request {
        /// `POST` and so on.
        method: String,
        /// Its host, with a port unless it is that of the scheme.
        host: String,
        /// Its path, without the query.
        path: String,
    },
    /// A form, by whatever method.
    Form {
        /// As that of a request.
        host: String,
        /// As that of a request.
        path: String,
    },
}

/// The log of a session. Positions in it grow by one with each entry.
#[derive(Debug, Default)]
pub struct StateChangingRequestLog(Mutex<StateChangingRequestLogState>);

#[derive(Debug, Default)]
struct StateChangingRequestLogState {
    entries: VecDeque<StateChangingRequest>,
    /// Position of the next entry.
    next: u64,
}

impl StateChangingRequestLog {
    /// Adds a request, such as `POST https://shop.example/cart`.
    pub(super) fn push_request(&self, method: &str, url: &str) {
        let (host, path) = host_and_path(url);
        self.push(StateChangingRequest::Request { method: method.to_owned(), host, path });
    }

    /// Adds a form that was submitted to `url`.
    pub(super) fn push_form(&self, url: &str) {
        let (host, path) = host_and_path(url);
        self.push(StateChangingRequest::Form { host, path });
    }

    /// Position of the next entry.
    pub fn next_position(&self) -> u64 {
        self.lock().next
    }

    /// The entries from `position` on, and the position of the next one.
    pub fn since(&self, position: u64) -> (Vec<StateChangingRequest>, u64) {
        let log = self.lock();
        let first = log.next - log.entries.len() as u64;
        let skipped = usize::try_from(position.saturating_sub(first)).unwrap_or(usize::MAX);
        (log.entries.iter().skip(skipped).cloned().collect(), log.next)
    }

    fn push(&self, entry: StateChangingRequest) {
        let mut log = self.lock();
        log.next += 1;
        log.entries.push_back(entry);
        if log.entries.len() > MAX_ENTRIES {
            log.entries.pop_front();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, StateChangingRequestLogState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl StateChangingRequest {
    /// The same without the path, which the page chose.
    pub fn without_path(&self) -> String {
        match self {
            Self::Request { method, host, .. } => format!("{method} to {host}"),
            Self::Form { host, .. } => format!("a form to {host}"),
        }
    }
}

impl fmt::Display for StateChangingRequest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Request { method, host, path } => write!(f, "{method} {host}{path}"),
            Self::Form { host, path } => write!(f, "a form to {host}{path}"),
        }
    }
}

/// Host and path of an address: a query may hold what nobody else should read.
fn host_and_path(url: &str) -> (String, String) {
    let Ok(url) = Url::parse(url) else { return Default::default() };
    let path = browse_secrets::redact(url.path()).chars().take(200).collect();
    (browse_net::host_and_port(&url), path)
}

#[cfg(test)]
mod tests {
    use super::{MAX_ENTRIES, StateChangingRequestLog};

    #[test]
    fn entries_are_found_by_position() {
        let sends = StateChangingRequestLog::default();
        sends.push_request("POST", "https://a.example/cart?key=1");
        let position = sends.next_position();
        sends.push_form("https://a.example/find?q=x");
        let words = |from: u64| {
            let all = sends.since(from).0;
            all.iter().map(ToString::to_string).collect::<Vec<_>>()
        };
        assert_eq!(words(0), ["POST a.example/cart", "a form to a.example/find"]);
        assert_eq!(words(position), ["a form to a.example/find"]);
        let next = sends.next_position();
        assert!(sends.since(next).0.is_empty());
        for _ in 0..MAX_ENTRIES {
            sends.push_request("PUT", "https://a.example/");
        }
        assert_eq!(sends.since(0).0.len(), MAX_ENTRIES);
        assert_eq!(sends.since(next).0.len(), MAX_ENTRIES);
    }
}
