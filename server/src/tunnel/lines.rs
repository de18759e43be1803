//! The connections of the listener: how many there may be, and which go when
//! they do nothing, or when there is no room.

use std::{
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

/// Connections at a time.
const MOST: usize = 256;
/// Time that a connection may be silent before it showed a token, its greeting
/// included.
const STRANGER: Duration = Duration::from_secs(10);
/// The same for one that did.
const KNOWN: Duration = Duration::from_secs(5 * 60);
/// Time that one call may take, its answer included.
pub const LONGEST_CALL: Duration = Duration::from_secs(6 * 60);

/// The connections.
#[derive(Default)]
pub struct Lines(Mutex<Vec<Arc<Line>>>);

/// One connection.
pub struct Line {
    known: AtomicBool,
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
    /// been silent longest goes; nothing when nobody can go.
    pub fn admit(&self) -> Option<Arc<Line>> {
        let mut lines = self.lock();
        lines.retain(|line| !line.cut.is_cancelled());
        if lines.len() >= MOST {
            let silent = lines.iter().enumerate().filter(|(_, line)| line.is_idle_stranger());
            let (at, _) = silent.min_by_key(|(_, line)| line.activity().since)?;
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
        Self { known: AtomicBool::new(false), activity, cut: CancellationToken::new() }
    }

    /// Notes that a call began; it ends when the answer is dropped.
    pub fn begin(self: &Arc<Self>) -> Busy {
        self.change(|calls| calls.saturating_add(1));
        Busy(Arc::clone(self))
    }

    /// Notes that the other end has shown a good token.
    pub fn now_known(&self) {
        self.known.store(true, Ordering::Relaxed);
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

    fn is_idle_stranger(&self) -> bool {
        !self.known.load(Ordering::Relaxed) && self.activity().calls == 0
    }

    fn is_over(&self, now: Instant) -> bool {
        let activity = self.activity();
        let limit = match (activity.calls, self.known.load(Ordering::Relaxed)) {
            (0, true) => KNOWN,
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
        known.now_known();
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
    fn there_is_no_room_beside_those_who_work() {
        let lines = Lines::default();
        let all: Vec<_> = (0..MOST).filter_map(|_| lines.admit()).collect();
        let calls: Vec<_> = all.iter().map(Line::begin).collect();
        assert!(lines.admit().is_none());
        drop(calls);
        assert!(lines.admit().is_some());
    }

    #[test]
    fn silence_and_endless_calls_end() {
        let lines = Lines::default();
        let (stranger, known, busy) = (lines.admit(), lines.admit(), lines.admit());
        let [stranger, known, busy] = [stranger, known, busy].map(|line| line.expect("room"));
        known.now_known();
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
