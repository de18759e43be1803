//! At most so many rows a minute; the others are counted.

use std::time::{Duration, Instant};

/// Rows in a minute.
pub const MOST: u32 = 60;

const MINUTE: Duration = Duration::from_secs(60);

/// What was written since when.
#[derive(Debug, Default)]
pub struct Limit {
    since: Option<Instant>,
    count: u32,
    dropped: u64,
}

impl Limit {
    /// Room for a row now; answers how many were left out before it.
    pub fn take(&mut self) -> Option<u64> {
        self.take_at(Instant::now())
    }

    /// The row could not be written after all.
    pub fn give_back(&mut self, dropped: u64) {
        self.dropped += dropped + 1;
    }

    fn take_at(&mut self, now: Instant) -> Option<u64> {
        if self.since.is_none_or(|since| now.duration_since(since) >= MINUTE) {
            (self.since, self.count) = (Some(now), 0);
        }
        if self.count == MOST {
            self.dropped += 1;
            return None;
        }
        self.count += 1;
        Some(std::mem::take(&mut self.dropped))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_counted_and_told_by_the_next_row() {
        let (mut limit, start) = (Limit::default(), Instant::now());
        let written = (0..1000).filter(|_| limit.take_at(start).is_some()).count();
        assert_eq!(written, MOST as usize);
        assert_eq!(limit.take_at(start + Duration::from_secs(59)), None);
        assert_eq!(limit.take_at(start + MINUTE), Some(941));
        assert_eq!(limit.take_at(start + MINUTE), Some(0));
    }
}
