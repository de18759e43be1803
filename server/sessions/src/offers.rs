//! What was offered in a session: skills and notes, when a tab arrives at another host.

use std::{
    collections::{HashMap, HashSet},
    sync::{Mutex, PoisonError},
};

/// Offers that are remembered; a session with more hears of some again.
const MAX_OFFERS: usize = 1000;

/// The offers of a session.
#[derive(Debug, Default)]
pub struct Offers(Mutex<OfferState>);

#[derive(Debug, Default)]
struct OfferState {
    offered: HashSet<(String, String, String)>,
    /// The host that each tab showed in the last answer about it.
    hosts_by_tab: HashMap<u64, String>,
}

impl Offers {
    /// Notes that `tab`, one of the `open` ones, shows `host` at the end of a command.
    /// Answers whether the session just arrived there: no tab of it showed that host.
    pub fn record_host(&self, tab: u64, host: &str, open: &[u64]) -> bool {
        let mut state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let hosts = &mut state.hosts_by_tab;
        hosts.retain(|tab, _| open.contains(tab));
        let is_shown = hosts.values().any(|shown| shown == host);
        hosts.insert(tab, host.to_owned());
        !is_shown && !host.is_empty()
    }

    /// Whether `tab` showed `host` in the last answer about it.
    pub fn is_recorded(&self, tab: u64, host: &str) -> bool {
        let state = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        state.hosts_by_tab.get(&tab).is_some_and(|shown| shown == host)
    }

    /// Whether this was not offered for `host` before; from now on it was.
    pub fn is_first_offer(&self, host: &str, kind: &str, id: &str) -> bool {
        let offers = &mut self.0.lock().unwrap_or_else(PoisonError::into_inner).offered;
        if offers.len() >= MAX_OFFERS {
            offers.clear();
        }
        offers.insert((host.to_owned(), kind.to_owned(), id.to_owned()))
    }
}

#[cfg(test)]
mod tests {
    use super::Offers;

    #[test]
    fn each_is_offered_once_for_a_host() {
        let offers = Offers::default();
        let first = ["a", "a", "b"].map(|id| offers.is_first_offer("one.example", "global", id));
        assert_eq!(first, [true, false, true]);
        assert!(offers.is_first_offer("two.example", "global", "a"));
    }

    #[test]
    fn an_arrival_is_at_a_host_that_no_tab_shows() {
        let offers = Offers::default();
        assert!(offers.record_host(1, "a.example", &[1]));
        assert!(!offers.record_host(1, "a.example", &[1]), "a further page");
        assert!(!offers.record_host(2, "a.example", &[1, 2]), "another tab");
        assert!(offers.record_host(1, "b.example", &[1, 2]));
        assert!(!offers.record_host(1, "a.example", &[1, 2]), "tab 2 is there");
        assert!(offers.record_host(1, "b.example", &[1, 2]), "back again");
        assert!(offers.record_host(1, "a.example", &[1]), "tab 2 was closed");
        assert!(!offers.record_host(1, "", &[1]), "a blank page");
        assert!(offers.record_host(1, "a.example", &[1]));
        assert!(offers.is_recorded(1, "a.example") && !offers.is_recorded(2, "a.example"));
    }
}
