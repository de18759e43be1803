//! Which host each tab shows, as commands see it: what makes a visit.
//!
//! Only what a tab shows when a command ends counts: a page that sends its tab
//! to and fro between commands, or opens windows, makes no arrivals by itself.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use super::host::NoteHost;
use browse_sessions::TabId;

/// Tabs that are remembered; those of a daemon that opens more begin anew.
const MAX_TABS: usize = 4096;

/// The hosts of the tabs.
#[derive(Default)]
pub struct Visits {
    hosts_by_tab: Mutex<HashMap<TabId, NoteHost>>,
}

impl Visits {
    /// Notes that `tab` shows `host`; answers whether it just arrived there.
    pub fn record_visit(&self, tab: TabId, host: Option<&NoteHost>) -> bool {
        let mut at = self.hosts_by_tab.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(host) = host else {
            at.remove(&tab);
            return false;
        };
        if at.get(&tab) == Some(host) {
            return false;
        }
        if at.len() >= MAX_TABS {
            at.clear();
        }
        at.insert(tab, host.clone());
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_visit_is_one_arrival_in_one_tab() {
        let visits = Visits::default();
        let host = |text| NoteHost::parse(text, "context").expect("a host");
        let (a, b) = (host("a.example"), host("b.example"));
        assert!(visits.record_visit(1, Some(&a)));
        assert!(!visits.record_visit(1, Some(&a)), "a reload or a further page");
        assert!(visits.record_visit(2, Some(&a)), "another tab");
        assert!(visits.record_visit(1, Some(&b)));
        assert!(visits.record_visit(1, Some(&a)), "back again");
        assert!(!visits.record_visit(1, None));
        assert!(visits.record_visit(1, Some(&a)), "from a blank page");
    }
}
