//! How often each command was called, how the calls ended, and how long they took, since the
//! daemon started.

use std::{
    collections::BTreeMap,
    sync::{Mutex, PoisonError},
    time::Duration,
};

/// Upper bounds of the buckets of durations, in seconds.
pub const DURATION_BUCKETS: [f64; 11] =
    [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 10.0, 30.0];

/// The counts of all commands.
#[derive(Default)]
pub struct CallCounters(Mutex<BTreeMap<&'static str, CommandCounts>>);

/// The counts of one command.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CommandCounts {
    /// Calls by how they ended: `ok`, or the reason of the error.
    pub outcomes: BTreeMap<&'static str, u64>,
    /// Calls that took at most each of [`DURATION_BUCKETS`].
    pub durations: [u64; DURATION_BUCKETS.len()],
    /// Seconds of all calls.
    pub seconds: f64,
}

impl CommandCounts {
    /// Calls in all.
    pub fn calls(&self) -> u64 {
        self.outcomes.values().sum()
    }
}

impl CallCounters {
    /// Counts a call of `command`.
    pub fn count(&self, command: &'static str, outcome: &'static str, took: Duration) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let counts = all.entry(command).or_default();
        *counts.outcomes.entry(outcome).or_default() += 1;
        let seconds = took.as_secs_f64();
        counts.seconds += seconds;
        for (count, bound) in counts.durations.iter_mut().zip(DURATION_BUCKETS) {
            *count += u64::from(seconds <= bound);
        }
    }

    /// The counts so far, by command.
    pub fn snapshot(&self) -> BTreeMap<&'static str, CommandCounts> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_cumulative() {
        let counters = CallCounters::default();
        counters.count("click", "ok", Duration::from_millis(7));
        counters.count("click", "REF_STALE", Duration::from_secs(60));
        let counts = counters.snapshot().remove("click").expect("it was called");
        assert_eq!(counts.calls(), 2);
        assert_eq!(counts.outcomes, BTreeMap::from([("REF_STALE", 1), ("ok", 1)]));
        assert_eq!(counts.durations, [0, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]);
        assert!((counts.seconds - 60.007).abs() < 1e-9);
    }
}
