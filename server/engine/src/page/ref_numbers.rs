//! The numbers of refs: one counter for all tabs, so that a number says which
//! tab it belongs to.

use browse_base::Lock;

/// Stands for the tabs of another daemon, from which a session came here.
pub(crate) const MOVED_TAB: u64 = 0;

/// Who got which numbers. Shared by all tabs of a daemon.
#[derive(Debug, Default)]
pub struct RefNumbers(Lock<RefRanges>);

#[derive(Debug, Default)]
struct RefRanges {
    /// First number and tab, in rising order; a range ends where the next begins.
    starts: Vec<(u32, u64)>,
    last_allocated: u32,
}

impl RefNumbers {
    /// Gives a tab as many numbers, and answers the first.
    pub(crate) fn allocate(&self, tab: u64, count: u32) -> u32 {
        let mut ranges = self.0.lock();
        let base = ranges.last_allocated + 1;
        if count > 0 && ranges.starts.last().is_none_or(|(_, last)| *last != tab) {
            ranges.starts.push((base, tab));
        }
        ranges.last_allocated = ranges.last_allocated.saturating_add(count);
        base
    }

    /// The last number that was given out; 0 before the first.
    pub fn last(&self) -> u32 {
        self.0.lock().last_allocated
    }

    /// Gives out no number up to `last` from now on: another daemon did, for a session that came
    /// here, and a ref of before must not name another element.
    pub fn skip_to(&self, last: u32) {
        let mut ranges = self.0.lock();
        let begin = match ranges.last_allocated.checked_add(1) {
            Some(begin) if begin <= last => begin,
            _ => return,
        };
        if ranges.starts.last().is_none_or(|(_, tab)| *tab != MOVED_TAB) {
            ranges.starts.push((begin, MOVED_TAB));
        }
        ranges.last_allocated = last;
    }

    /// The tab that got a number.
    pub fn tab_of(&self, number: u32) -> Option<u64> {
        let ranges = self.0.lock();
        if number == 0 || number > ranges.last_allocated {
            return None;
        }
        let index = ranges.starts.partition_point(|(start, _)| *start <= number).checked_sub(1)?;
        Some(ranges.starts[index].1)
    }
}

#[cfg(test)]
mod tests {
    use super::{MOVED_TAB, RefNumbers};

    #[test]
    fn a_number_names_its_tab() {
        let numbers = RefNumbers::default();
        assert_eq!(numbers.allocate(1, 3), 1);
        assert_eq!(numbers.allocate(2, 0), 4);
        assert_eq!(numbers.allocate(2, 2), 4);
        assert_eq!(numbers.allocate(1, 1), 6);
        let tabs: Vec<_> = (0..8).map(|number| numbers.tab_of(number)).collect();
        assert_eq!(tabs, [None, Some(1), Some(1), Some(1), Some(2), Some(2), Some(1), None]);
    }

    #[test]
    fn numbers_of_another_daemon_are_not_given_out_again() {
        let numbers = RefNumbers::default();
        assert_eq!((numbers.allocate(1, 2), numbers.last()), (1, 2));
        numbers.skip_to(5);
        numbers.skip_to(4);
        assert_eq!(numbers.allocate(1, 1), 6);
        let tabs: Vec<_> = (1..8).map(|number| numbers.tab_of(number)).collect();
        let moved = Some(MOVED_TAB);
        assert_eq!(tabs, [Some(1), Some(1), moved, moved, moved, Some(1), None]);
    }
}
