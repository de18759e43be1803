//! The numbers of refs: one counter for all tabs, so that a number says which
//! tab it belongs to.

use browse_base::Lock;

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
    use super::RefNumbers;

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
}
