//! Sessions of MCP that their clients have ended.

use std::{
    collections::{HashMap, VecDeque},
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use browse_fleet::{SessionKey, Tenant};

/// Sessions of one tenant that are remembered.
const MAX_OF_TENANT: usize = 1_000;

/// Sessions that their clients have ended, as this replica knows. One that was not used before could
/// be opened by its id else.
#[derive(Default)]
pub struct EndedSessions(Mutex<HashMap<Tenant, VecDeque<EndedSession>>>);

struct EndedSession {
    name: String,
    until: Instant,
}

/// The mark of a session that is being ended. Dropped, it takes itself away: the session goes on.
pub struct EndMark<'a> {
    ended: &'a EndedSessions,
    key: &'a SessionKey,
    is_kept: bool,
}

impl EndedSessions {
    /// Marks a session. When the mark is kept, it is remembered for `time`, which is the same for all,
    /// or until its tenant has ended too many others.
    pub fn begin<'a>(&'a self, key: &'a SessionKey, now: Instant, time: Duration) -> EndMark<'a> {
        let mut tenants = self.lock();
        tenants.retain(|_, ended| {
            while ended.front().is_some_and(|first| first.until <= now) {
                ended.pop_front();
            }
            !ended.is_empty()
        });
        let ended = tenants.entry(key.tenant.clone()).or_default();
        if ended.len() >= MAX_OF_TENANT {
            ended.pop_front();
        }
        ended.push_back(EndedSession { name: key.session.clone(), until: now + time });
        EndMark { ended: self, key, is_kept: false }
    }

    /// Whether its client has ended it.
    pub fn contains(&self, key: &SessionKey) -> bool {
        let tenants = self.lock();
        let ended = tenants.get(&key.tenant);
        ended.is_some_and(|ended| ended.iter().any(|ended| ended.name == key.session))
    }

    fn remove(&self, key: &SessionKey) {
        if let Some(ended) = self.lock().get_mut(&key.tenant) {
            ended.retain(|ended| ended.name != key.session);
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Tenant, VecDeque<EndedSession>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl EndMark<'_> {
    /// The session has ended.
    pub fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for EndMark<'_> {
    fn drop(&mut self) {
        if !self.is_kept {
            self.ended.remove(self.key);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TIME: Duration = Duration::from_secs(60);

    fn key(tenant: &str, number: usize) -> SessionKey {
        let tenant = Tenant::new(tenant).expect("a name");
        SessionKey { tenant, session: format!("agent-{number}") }
    }

    #[test]
    fn an_ended_session_is_remembered_for_a_time() {
        let (ended, now) = (EndedSessions::default(), Instant::now());
        let (first, second, other) = (key("acme", 0), key("acme", 1), key("beta", 0));
        ended.begin(&first, now, TIME).keep();
        assert!(ended.contains(&first) && !ended.contains(&second) && !ended.contains(&other));
        ended.begin(&other, now + TIME, TIME).keep();
        assert!(!ended.contains(&first) && ended.contains(&other));
        assert_eq!(ended.lock().len(), 1, "nothing is left of a tenant");
    }

    #[test]
    fn a_session_that_was_not_closed_goes_on() {
        let (ended, key) = (EndedSessions::default(), key("acme", 0));
        let mark = ended.begin(&key, Instant::now(), TIME);
        assert!(ended.contains(&key));
        drop(mark);
        assert!(!ended.contains(&key));
    }

    #[test]
    fn a_tenant_displaces_its_own_sessions_alone() {
        let (ended, now) = (EndedSessions::default(), Instant::now());
        ended.begin(&key("beta", 0), now, TIME).keep();
        for number in 0..=MAX_OF_TENANT {
            ended.begin(&key("acme", number), now, TIME).keep();
        }
        assert!(!ended.contains(&key("acme", 0)) && ended.contains(&key("acme", 1)));
        assert!(ended.contains(&key("acme", MAX_OF_TENANT)) && ended.contains(&key("beta", 0)));
    }
}
