//! The connections of the listener: how many there may be, and which go when
//! they do nothing, or when there is no room.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use tokio_util::sync::CancellationToken;

use browse_policy::layer::AuthenticatedFlag;

/// Connections at a time.
const MAX_CONNECTIONS: usize = 256;
/// Time that a connection may be silent before it showed a token, its greeting
/// included.
const UNAUTHENTICATED_IDLE_TIMEOUT: Duration = Duration::from_secs(10);
/// The same for one that did.
const AUTHENTICATED_IDLE_TIMEOUT: Duration = Duration::from_secs(5 * 60);
/// Time that one call may take, its answer included.
pub const MAX_CALL_DURATION: Duration = Duration::from_secs(6 * 60);

/// The connections.
#[derive(Default)]
pub struct TunnelConnections(Mutex<Vec<Arc<TunnelConnection>>>);

/// One connection.
pub struct TunnelConnection {
    authentication: AuthenticatedFlag,
    activity: Mutex<ConnectionActivity>,
    cancel: CancellationToken,
}

#[derive(Clone, Copy, Debug)]
struct ConnectionActivity {
    /// Calls in flight.
    calls: u32,
    /// Since when there are that many, or none.
    since: Instant,
}

/// A call in flight on a connection.
pub struct ConnectionPermit(Arc<TunnelConnection>);

impl TunnelConnections {
    /// Takes a new connection in. When there is no room, the anonymous caller that has
    /// been silent longest goes, else the one that has taken longest for a call:
    /// who crowds in cannot keep out who is paired. Nothing when nobody can go.
    pub fn admit(&self) -> Option<Arc<TunnelConnection>> {
        let mut lines = self.lock();
        lines.retain(|line| !line.cancel.is_cancelled());
        if lines.len() >= MAX_CONNECTIONS {
            let unknown_peers =
                lines.iter().enumerate().filter(|(_, line)| !line.authentication.is_set());
            let (at, _) = unknown_peers.min_by_key(|(_, line)| {
                let ConnectionActivity { calls, since } = line.activity();
                (calls > 0, since)
            })?;
            lines.swap_remove(at).cancel.cancel();
        }
        let line = Arc::new(TunnelConnection::new());
        lines.push(Arc::clone(&line));
        Some(line)
    }

    /// Forgets a connection that has ended.
    pub fn remove(&self, line: &Arc<TunnelConnection>) {
        self.lock().retain(|other| !Arc::ptr_eq(other, line));
    }

    /// Cuts those that have been silent, or busy with one call, for too long.
    pub fn cancel_stale(&self, now: Instant) {
        self.lock()
            .iter()
            .filter(|line| line.is_timed_out(now))
            .for_each(|line| line.cancel.cancel());
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Arc<TunnelConnection>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl TunnelConnection {
    fn new() -> Self {
        let activity = Mutex::new(ConnectionActivity { calls: 0, since: Instant::now() });
        Self {
            authentication: AuthenticatedFlag::default(),
            activity,
            cancel: CancellationToken::new(),
        }
    }

    /// Notes that a call began; it ends when the answer is dropped.
    pub fn begin_call(self: &Arc<Self>) -> ConnectionPermit {
        self.update_calls(|calls| calls.saturating_add(1));
        ConnectionPermit(Arc::clone(self))
    }

    /// What learns whether the other end has shown a good token.
    pub fn authentication(&self) -> &AuthenticatedFlag {
        &self.authentication
    }

    /// Waits until it has to go.
    pub async fn cancelled(&self) {
        self.cancel.cancelled().await;
    }

    fn update_calls(&self, of: impl FnOnce(u32) -> u32) {
        let mut activity = self.activity.lock().unwrap_or_else(PoisonError::into_inner);
        *activity = ConnectionActivity { calls: of(activity.calls), since: Instant::now() };
    }

    fn activity(&self) -> ConnectionActivity {
        *self.activity.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn is_timed_out(&self, now: Instant) -> bool {
        let activity = self.activity();
        let limit = match (activity.calls, self.authentication.is_set()) {
            (0, true) => AUTHENTICATED_IDLE_TIMEOUT,
            (0, false) => UNAUTHENTICATED_IDLE_TIMEOUT,
            _ => MAX_CALL_DURATION,
        };
        now.saturating_duration_since(activity.since) > limit
    }
}

impl Drop for ConnectionPermit {
    fn drop(&mut self) {
        self.0.update_calls(|calls| calls.saturating_sub(1));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strangers_make_room_and_those_who_work_stay() {
        let lines = TunnelConnections::default();
        let known = lines.admit().expect("there is room");
        known.authentication().set();
        let busy = lines.admit().expect("there is room");
        let call = busy.begin_call();
        let first = lines.admit().expect("there is room");
        for _ in 0..2 * MAX_CONNECTIONS {
            assert!(lines.admit().is_some());
        }
        assert!(first.cancel.is_cancelled());
        assert!(!known.cancel.is_cancelled() && !busy.cancel.is_cancelled());
        assert_eq!(lines.lock().len(), MAX_CONNECTIONS);
        drop(call);
    }

    #[test]
    fn strangers_who_are_slow_keep_nobody_out_and_those_who_are_paired_stay() {
        let lines = TunnelConnections::default();
        let all: Vec<_> = (0..MAX_CONNECTIONS).filter_map(|_| lines.admit()).collect();
        let calls: Vec<_> = all.iter().map(TunnelConnection::begin_call).collect();
        let agent = lines.admit().expect("the slowest anonymous caller goes");
        assert!(all[0].cancel.is_cancelled() && !all[1].cancel.is_cancelled());
        agent.authentication().set();
        let call = agent.begin_call();
        for _ in 0..2 * MAX_CONNECTIONS {
            let line = lines.admit().expect("anonymous callers go for anonymous callers");
            std::mem::forget(line.begin_call());
        }
        assert!(!agent.cancel.is_cancelled(), "a call of who is paired goes on");
        drop((calls, call));
        for line in lines.lock().iter() {
            line.authentication().set();
        }
        assert!(lines.admit().is_none(), "there is no room beside those who are paired");
    }

    #[test]
    fn silence_and_endless_calls_end() {
        let lines = TunnelConnections::default();
        let (unknown_peer, known, busy) = (lines.admit(), lines.admit(), lines.admit());
        let [unknown_peer, known, busy] =
            [unknown_peer, known, busy].map(|line| line.expect("room"));
        known.authentication().set();
        let _call = busy.begin_call();
        let cut = |after: Duration| {
            lines.cancel_stale(Instant::now() + after);
            [&unknown_peer, &known, &busy].map(|line| line.cancel.is_cancelled())
        };
        assert_eq!(cut(Duration::from_secs(9)), [false, false, false]);
        assert_eq!(cut(Duration::from_secs(11)), [true, false, false]);
        assert_eq!(cut(Duration::from_secs(301)), [true, true, false]);
        assert_eq!(cut(Duration::from_secs(361)), [true, true, true]);
    }
}
