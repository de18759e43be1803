//! Which host each tab shows, as commands see it: what makes a visit.
//!
//! Only what a tab shows when a command ends counts: a page that sends its tab
//! to and fro between commands, or opens windows, makes no arrivals by itself.

use std::{
    collections::HashMap,
    sync::{Mutex, PoisonError},
};

use super::host::NoteHost;
use crate::sessions::TabId;

/// Tabs that are remembered; those of a daemon that opens more begin anew.
const MOST: usize = 4096;

/// The hosts of the tabs.
#[derive(Default)]
pub struct Visits {
    at: Mutex<HashMap<TabId, NoteHost>>,
}

impl Visits {
    /// Notes that `tab` shows `host`; answers whether it just arrived there.
    pub fn see(&self, tab: TabId, host: Option<&NoteHost>) -> bool {
        let mut at = self.at.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(host) = host else {
            at.remove(&tab);
            return false;
        };
        if at.get(&tab) == Some(host) {
            return false;
        }
        if at.len() >= MOST {
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
        let host = |text| NoteHost::named(text, "context").expect("a host");
        let (a, b) = (host("a.example"), host("b.example"));
        assert!(visits.see(1, Some(&a)));
        assert!(!visits.see(1, Some(&a)), "a reload or a further page");
        assert!(visits.see(2, Some(&a)), "another tab");
        assert!(visits.see(1, Some(&b)));
        assert!(visits.see(1, Some(&a)), "back again");
        assert!(!visits.see(1, None));
        assert!(visits.see(1, Some(&a)), "from a blank page");
    }
}
