//! Requests that an action began: what its receipt waits for.
//!
//! A request counts when it begins between the input and the answer to the question
//! what became of it, which the page gives once it has handled the event. Only what a
//! script asks for counts (fetch and XHR); what a page asks for regularly does not,
//! whenever it happens to begin, and neither does a stream, once it is known for one.

use std::collections::VecDeque;

use super::network::{ObservedRequest, RequestState};

/// Requests that are remembered, to know what a page asks for regularly.
const MAX_REMEMBERED_REQUESTS: usize = 64;

/// What began so long ago does not tell of regularity, in milliseconds.
const REMEMBERED_MS: f64 = 60_000.0;

/// Milliseconds between requests of a page that asks all the time.
const CONSTANT_POLLING_MS: f64 = 250.0;

/// Requests of the same that make a habit.
const MIN_POLLING_REQUESTS: usize = 4;

/// The requests of one tab that an action began.
#[derive(Debug, Default)]
pub(crate) struct ActionRequests {
    /// Whether an action is at work.
    is_recording: bool,
    has_any: bool,
    /// Id, method and address of those that are open.
    open: Vec<(String, String, String)>,
    /// Method and address without query of requests that no action began, and when.
    background_requests: VecDeque<(String, f64)>,
}

impl ActionRequests {
    /// An action begins.
    pub(crate) fn begin(&mut self) {
        let others = std::mem::take(&mut self.background_requests);
        *self = Self { is_recording: true, background_requests: others, ..Self::default() };
    }

    /// The page has handled it; whether it began any.
    pub(crate) fn finish_action(&mut self) -> bool {
        self.is_recording = false;
        self.has_any
    }

    /// Whether all of them are over.
    pub(crate) fn are_finished(&self) -> bool {
        self.open.is_empty()
    }

    /// Method and address of those that are open.
    pub(crate) fn open(&self) -> impl Iterator<Item = (&str, &str)> {
        self.open.iter().map(|(_, method, url)| (method.as_str(), url.as_str()))
    }

    /// Notes a request that started or ended; whether that is news to who waits.
    pub(crate) fn record(&mut self, request: &ObservedRequest) -> bool {
        if request.state != RequestState::Started {
            return self.remove(&request.id);
        }
        if !matches!(request.kind.as_str(), "Fetch" | "XHR") {
            return false;
        }
        let address = request.url.split(['?', '#']).next().unwrap_or_default();
        let key = format!("{} {address}", request.method);
        if !self.is_recording || self.is_periodic(&key, request.started) {
            self.background_requests.push_back((key, request.started));
            if self.background_requests.len() > MAX_REMEMBERED_REQUESTS {
                self.background_requests.pop_front();
            }
        } else {
            self.has_any = true;
            let method = request.method.clone();
            self.open.push((request.id.clone(), method, address.to_owned()));
        }
        false
    }

    /// A request is over, or never will be.
    pub(crate) fn remove(&mut self, id: &str) -> bool {
        let before = self.open.len();
        self.open.retain(|(open, ..)| open != id);
        self.open.len() < before
    }

    /// Whether the page asked for the same at least twice, without an action, with
    /// about as much time between as has passed since. Of what it asked for more
    /// often the next one may be late, as the page was busy, and what it asks for
    /// all the time may come at any time.
    fn is_periodic(&self, key: &str, now: f64) -> bool {
        let earlier = self.background_requests.iter().rev().filter(|(other, _)| other == key);
        let times: Vec<f64> = earlier
            .map(|(_, time)| *time)
            .take_while(|time| now - time < REMEMBERED_MS)
            .take(MIN_POLLING_REQUESTS)
            .collect();
        let (Some(last), Some(first), true) = (times.first(), times.last(), times.len() > 1) else {
            return false;
        };
        let gap = (last - first) / (times.len() - 1) as f64;
        let (early, late) = match times.len() < MIN_POLLING_REQUESTS {
            true => (gap * 0.5, 50.0),
            false if gap < CONSTANT_POLLING_MS => (0.0, 500.0),
            false => (gap * 0.5, 500.0),
        };
        let now_gap = now - last;
        now_gap >= early && now_gap < gap * 2.0 + late
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(id: &str, method: &str, url: &str, started: f64) -> ObservedRequest {
        ObservedRequest {
            id: id.to_owned(),
            frame: None,
            method: method.to_owned(),
            url: url.to_owned(),
            kind: "Fetch".to_owned(),
            status: None,
            mime_type: None,
            size: 0,
            from_cache: false,
            started,
            duration: None,
            state: RequestState::Started,
        }
    }

    #[test]
    fn what_an_action_begins_is_waited_for() {
        let mut begun = ActionRequests::default();
        begun.record(&request("0", "GET", "http://a/early", 0.0));
        begun.begin();
        assert!(!begun.finish_action(), "nothing began");
        begun.begin();
        begun.record(&request("1", "POST", "http://a/save?token=x", 5.0));
        begun.record(&ObservedRequest {
            kind: "Ping".into(),
            ..request("2", "POST", "http://a/b", 5.0)
        });
        assert!(begun.finish_action());
        begun.record(&request("3", "GET", "http://a/late", 9.0));
        assert_eq!(begun.open().collect::<Vec<_>>(), [("POST", "http://a/save")]);
        let end =
            ObservedRequest { state: RequestState::Finished, ..request("1", "POST", "", 5.0) };
        assert!(begun.record(&end) && begun.are_finished());
    }

    #[test]
    fn what_a_page_asks_for_regularly_is_not() {
        let mut begun = ActionRequests::default();
        for time in [0.0, 1000.0, 2000.0] {
            begun.record(&request("p", "GET", &format!("http://a/poll?t={time}"), time));
        }
        begun.begin();
        begun.record(&request("q", "GET", "http://a/poll?t=9", 3010.0));
        assert!(!begun.finish_action());
        begun.begin();
        begun.record(&request("r", "GET", "http://a/poll?now=1", 3100.0));
        assert!(begun.finish_action(), "long before its time, it is of the action");
        begun.record(&request("s", "GET", "http://a/poll", 4000.0));
        begun.begin();
        begun.record(&request("t", "GET", "http://a/poll", 6400.0));
        assert!(!begun.finish_action(), "late, as on a busy machine");
    }
}
