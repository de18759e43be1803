//! A session that moves to another daemon keeps the numbers that its callers know.
//!
//! Refs of before name no element there: their numbers are skipped. Tabs keep their ids where no
//! tab of that daemon has had one of them; otherwise all of them get new ids, and those of before
//! are skipped, so that an id never names another tab of the session.

use std::sync::atomic::Ordering;

use serde::{Deserialize, Serialize};

use super::{KeptSession, Session, Sessions, TabId};
use browse_base::Result;

/// Numbers of refs that are skipped beyond the last one that was saved: a daemon that is killed
/// has given out others since.
const REF_MARGIN: u32 = 100_000;

/// The numbers of a session that its callers know.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct SessionNumbers {
    /// The last number of a ref that the daemon gave out.
    pub last_ref: u32,
    /// The ids of the saved tabs, in their order.
    pub tabs: Vec<TabId>,
}

impl Session {
    /// As [`Session::kept_contents`], with the numbers that callers know.
    ///
    /// # Errors
    /// `SHUTTING_DOWN`.
    pub fn portable_contents(&self) -> Result<KeptSession> {
        let sessions = self.registry()?;
        let (mut contents, tabs) = self.contents_with_tab_ids();
        contents.numbers = Some(SessionNumbers { last_ref: sessions.numbers.last(), tabs });
        Ok(contents)
    }

    /// Whether it may hold something else than in the snapshot of this version.
    pub fn has_changed_since(&self, version: Option<u64>) -> bool {
        version != Some(self.snapshot_version()) || self.snapshot_due_at().is_some()
    }
}

impl Sessions {
    /// Skips the numbers of refs that another daemon gave out, and answers the ids that the tabs
    /// of a session keep; none when they get new ones.
    pub(super) fn continue_numbers(&self, numbers: &SessionNumbers) -> Vec<TabId> {
        self.numbers.skip_to(numbers.last_ref.saturating_add(REF_MARGIN));
        let is_rising = numbers.tabs.is_sorted_by(|a, b| a < b);
        let next = self.next_tab.load(Ordering::Relaxed);
        if is_rising && numbers.tabs.first().is_some_and(|first| *first >= next) {
            return numbers.tabs.clone();
        }
        if let Some(last) = numbers.tabs.iter().max() {
            self.skip_tab_ids_to(last.saturating_add(1));
        }
        Vec::new()
    }

    /// Gives no tab an id below `id` from now on.
    pub(super) fn skip_tab_ids_to(&self, id: TabId) {
        self.next_tab.fetch_max(id, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(tabs: &[TabId]) -> SessionNumbers {
        SessionNumbers { last_ref: 7, tabs: tabs.to_vec() }
    }

    #[test]
    fn tabs_keep_their_ids_where_no_other_tab_had_one() {
        let sessions = Sessions::new();
        assert_eq!(sessions.continue_numbers(&numbers(&[3, 5])), [3, 5]);
        sessions.skip_tab_ids_to(5);
        assert!(sessions.continue_numbers(&numbers(&[4, 9])).is_empty(), "4 may be another tab");
        assert_eq!(sessions.next_tab.load(Ordering::Relaxed), 10);
        assert!(sessions.continue_numbers(&numbers(&[])).is_empty());
    }

    #[test]
    fn refs_of_before_are_not_given_out_again() {
        let sessions = Sessions::new();
        sessions.continue_numbers(&numbers(&[]));
        assert_eq!(sessions.numbers.last(), 7 + REF_MARGIN);
        assert_eq!(sessions.numbers.tab_of(7), Some(0), "of no tab here");
    }
}
