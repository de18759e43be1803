//! What one call sends, and what came of it. The session keeps it until the next act,
//! because a page may request documents after the call has ended.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, MutexGuard, PoisonError},
};

use browse_guard::egress::Site;

use browse_base::Error;

/// Addresses of one call that were checked before it began.
const MAX_CHECKED: usize = 256;

/// Notices of one call.
const MAX_NOTICES: usize = 64;

/// What one call sends.
#[derive(Debug, Default)]
pub struct Outgoing(Mutex<OutgoingState>);

#[derive(Debug, Default)]
struct OutgoingState {
    checked: Vec<String>,
    /// Hashes of the texts that were reported or approved, by the site they go to.
    reported: HashMap<Site, HashSet<u64>>,
    notices: Vec<String>,
    refusal: Option<Error>,
}

impl Outgoing {
    /// Records that the address `url`, which the caller named, was checked.
    pub fn add_checked(&self, url: &str) {
        let mut state = self.lock();
        if state.checked.len() < MAX_CHECKED {
            state.checked.push(without_fragment(url).to_owned());
        }
    }

    /// Whether `url` was checked before the call began. Each address counts once.
    pub fn take_checked(&self, url: &str) -> bool {
        let mut state = self.lock();
        let at = state.checked.iter().position(|checked| checked == without_fragment(url));
        at.map(|at| state.checked.swap_remove(at)).is_some()
    }

    /// Records that the caller was warned of a text that goes to `site`, or that the
    /// owner approved it; `hashes` are those of [`browse_guard::egress::Memory::hashes`].
    pub fn add_reported(&self, site: &Site, hashes: HashSet<u64>) {
        self.lock().reported.entry(site.clone()).or_default().extend(hashes);
    }

    /// The hashes of the texts that were reported for `site`.
    pub fn reported(&self, site: &Site) -> HashSet<u64> {
        self.lock().reported.get(site).cloned().unwrap_or_default()
    }

    /// Adds a notice for the caller.
    pub fn add_notice(&self, words: String) {
        let mut state = self.lock();
        if state.notices.len() < MAX_NOTICES {
            state.notices.push(words);
        }
    }

    /// Records why a document was refused; the first reason is kept.
    pub fn refuse(&self, error: Error) {
        self.lock().refusal.get_or_insert(error);
    }

    /// Takes the notices, and the reason why a document was refused.
    pub fn take_outcome(&self) -> (Vec<String>, Option<Error>) {
        let mut state = self.lock();
        (std::mem::take(&mut state.notices), state.refusal.take())
    }

    fn lock(&self) -> MutexGuard<'_, OutgoingState> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// An address as it is sent.
fn without_fragment(url: &str) -> &str {
    url.split('#').next().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_checked_address_passes_once() {
        let outgoing = Outgoing::default();
        outgoing.add_checked("http://a.test/b#c");
        assert!(outgoing.take_checked("http://a.test/b"));
        assert!(!outgoing.take_checked("http://a.test/b"));
        assert!(!outgoing.take_checked("http://a.test/"));
    }

    #[test]
    fn an_outcome_is_taken_once_and_reports_stay() {
        let outgoing = Outgoing::default();
        let site = Site::of_host("a.test", 443);
        outgoing.add_notice("one".to_owned());
        outgoing.add_reported(&site, HashSet::from([7]));
        assert_eq!(outgoing.take_outcome().0, ["one"]);
        assert!(outgoing.take_outcome().0.is_empty());
        assert_eq!(outgoing.reported(&site), HashSet::from([7]));
        assert!(outgoing.reported(&Site::of_host("b.test", 443)).is_empty());
    }
}
