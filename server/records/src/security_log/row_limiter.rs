//! At most so many rows a minute; the others are counted.

use std::time::{Duration, Instant};

/// Rows in a minute.
pub const MAX_ROWS_PER_MINUTE: u32 = 60;

const MINUTE: Duration = Duration::from_secs(60);

/// What was written since when.
#[derive(Debug, Default)]
pub struct RowLimiter {
    window_start: Option<Instant>,
    count: u32,
    dropped: u64,
}

impl RowLimiter {
    /// Room for a row now; answers how many were left out before it.
    pub fn acquire(&mut self) -> Option<u64> {
        self.acquire_at(Instant::now())
    }

    /// The row could not be written after all.
    pub fn give_back(&mut self, dropped: u64) {
        self.dropped += dropped + 1;
    }

    fn acquire_at(&mut self, now: Instant) -> Option<u64> {
        if self.window_start.is_none_or(|since| now.duration_since(since) >= MINUTE) {
            (self.window_start, self.count) = (Some(now), 0);
        }
        if self.count == MAX_ROWS_PER_MINUTE {
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
        let (mut limit, start) = (RowLimiter::default(), Instant::now());
        let written = (0..1000).filter(|_| limit.acquire_at(start).is_some()).count();
        assert_eq!(written, MAX_ROWS_PER_MINUTE as usize);
        assert_eq!(limit.acquire_at(start + Duration::from_secs(59)), None);
        assert_eq!(limit.acquire_at(start + MINUTE), Some(941));
        assert_eq!(limit.acquire_at(start + MINUTE), Some(0));
    }
}
