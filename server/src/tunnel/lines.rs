//! The connections of the listener: how many there may be, and which go when
//! they do nothing, or when there is no room.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use crate::policy::layer::Known;

/// Connections at a time.
const MOST: usize = 256;
/// Time that a connection may be silent before it showed a token, its greeting
/// included.
const STRANGER: Duration = Duration::from_secs(10);
/// The same for one that did.
const ACQUAINTED: Duration = Duration::from_secs(5 * 60);
/// Time that one call may take, its answer included.
pub const LONGEST_CALL: Duration = Duration::from_secs(6 * 60);

/// The connections.
#[derive(Default)]
pub struct Lines(Mutex<Vec<Arc<Line>>>);

/// One connection.
pub struct Line {
    known: Known,
    activity: Mutex<Activity>,
    cut: CancellationToken,
}

#[derive(Clone, Copy, Debug)]
struct Activity {
    /// Calls in flight.
    calls: u32,
    /// Since when there are that many, or none.
    since: Instant,
}

/// A call in flight on a connection.
pub struct Busy(Arc<Line>);

impl Lines {
    /// Takes a new connection in. When there is no room, the stranger that has
    /// been silent longest goes, else the one that has taken longest for a call:
    /// who crowds in cannot keep out who is paired. Nothing when nobody can go.
    pub fn admit(&self) -> Option<Arc<Line>> {
        let mut lines = self.lock();
        lines.retain(|line| !line.cut.is_cancelled());
        if lines.len() >= MOST {
            let strangers = lines.iter().enumerate().filter(|(_, line)| !line.known.is());
            let (at, _) = strangers.min_by_key(|(_, line)| {
                let Activity { calls, since } = line.activity();
                (calls > 0, since)
            })?;
            lines.swap_remove(at).cut.cancel();
        }
        let line = Arc::new(Line::new());
        lines.push(Arc::clone(&line));
        Some(line)
    }

    /// Forgets a connection that has ended.
    pub fn forget(&self, line: &Arc<Line>) {
        self.lock().retain(|other| !Arc::ptr_eq(other, line));
    }

    /// Cuts those that have been silent, or busy with one call, for too long.
    pub fn tidy(&self, now: Instant) {
        self.lock().iter().filter(|line| line.is_over(now)).for_each(|line| line.cut.cancel());
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<Line>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Line {
    fn new() -> Self {
        let activity = Mutex::new(Activity { calls: 0, since: Instant::now() });
        Self { known: Known::default(), activity, cut: CancellationToken::new() }
    }

    /// Notes that a call began; it ends when the answer is dropped.
    pub fn begin(self: &Arc<Self>) -> Busy {
        self.change(|calls| calls.saturating_add(1));
        Busy(Arc::clone(self))
    }

    /// What learns whether the other end has shown a good token.
    pub fn known(&self) -> &Known {
        &self.known
    }

    /// Waits until it has to go.
    pub async fn cut(&self) {
        self.cut.cancelled().await;
    }

    fn change(&self, of: impl FnOnce(u32) -> u32) {
        let mut activity = self.activity.lock().unwrap_or_else(PoisonError::into_inner);
        *activity = Activity { calls: of(activity.calls), since: Instant::now() };
    }

    fn activity(&self) -> Activity {
        *self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_over(&self, now: Instant) -> bool {
        let activity = self.activity();
        let limit = match (activity.calls, self.known.is()) {
            (0, true) => ACQUAINTED,
            (0, false) => STRANGER,
            _ => LONGEST_CALL,
        };
        now.saturating_duration_since(activity.since) > limit
    }
}

impl Drop for Busy {
    fn drop(&mut self) {
        self.0.change(|calls| calls.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_make_room_and_those_who_work_stay() {
        let lines = Lines::default();
        let known = lines.admit().expect("there is room");
        known.known().now();
        let busy = lines.admit().expect("there is room");
        let call = busy.begin();
        let first = lines.admit().expect("there is room");
        for _ in 0..2 * MOST {
            assert!(lines.admit().is_some());
        }
        assert!(first.cut.is_cancelled());
        assert!(!known.cut.is_cancelled() && !busy.cut.is_cancelled());
        assert_eq!(lines.lock().len(), MOST);
        drop(call);
    }

    #[test]
    fn strangers_who_are_slow_keep_nobody_out_and_those_who_are_paired_stay() {
        let lines = Lines::default();
        let all: Vec<_> = (0..MOST).filter_map(|_| lines.admit()).collect();
        let calls: Vec<_> = all.iter().map(Line::begin).collect();
        let agent = lines.admit().expect("the slowest stranger goes");
        assert!(all[0].cut.is_cancelled() && !all[1].cut.is_cancelled());
        agent.known().now();
        let call = agent.begin();
        for _ in 0..2 * MOST {
            let line = lines.admit().expect("strangers go for strangers");
            std::mem::forget(line.begin());
        }
        assert!(!agent.cut.is_cancelled(), "a call of who is paired goes on");
        drop((calls, call));
        for line in lines.lock().iter() {
            line.known().now();
        }
        assert!(lines.admit().is_none(), "there is no room beside those who are paired");
    }

    #[test]
    fn silence_and_endless_calls_end() {
        let lines = Lines::default();
        let (stranger, known, busy) = (lines.admit(), lines.admit(), lines.admit());
        let [stranger, known, busy] = [stranger, known, busy].map(|line| line.expect("room"));
        known.known().now();
        let _call = busy.begin();
        let cut = |after: Duration| {
            lines.tidy(Instant::now() + after);
            [&stranger, &known, &busy].map(|line| line.cut.is_cancelled())
        };
        assert_eq!(cut(Duration::from_secs(9)), [false, false, false]);
        assert_eq!(cut(Duration::from_secs(11)), [true, false, false]);
        assert_eq!(cut(Duration::from_secs(301)), [true, true, false]);
        assert_eq!(cut(Duration::from_secs(361)), [true, true, true]);
    }
}
