//! Sessions of MCP that their clients have ended.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use browse_fleet::SessionKey;

/// Sessions that are remembered after their clients have ended them.
const MAX_ENDED: usize = 10_000;

/// Sessions that their clients have ended, as this replica knows. One that was not used before could
/// be opened by its id else.
#[derive(Default)]
pub struct EndedSessions(Mutex<HashMap<SessionKey, Instant>>);

impl EndedSessions {
    /// Remembers one, for `time` at least while there are few.
    pub fn add(&self, key: SessionKey, now: Instant, time: Duration) {
        let mut ended = self.lock();
        ended.retain(|_, until| *until > now);
        if ended.len() >= MAX_ENDED {
            let next = ended.iter().min_by_key(|(_, until)| **until);
            if let Some(next) = next.map(|(key, _)| key.clone()) {
                ended.remove(&next);
            }
        }
        ended.insert(key, now + time);
    }

    /// Whether its client has ended it.
    pub fn contains(&self, key: &SessionKey) -> bool {
        self.lock().contains_key(key)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionKey, Instant>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use browse_fleet::Tenant;

    use super::*;

    #[test]
    fn as_many_ended_sessions_are_remembered() {
        let (ended, now) = (EndedSessions::default(), Instant::now());
        let tenant = Tenant::new("acme").expect("a name");
        let key = |number: usize| SessionKey {
            tenant: tenant.clone(),
            session: format!("agent-{number}"),
        };
        let time = Duration::from_secs(60);
        ended.add(key(0), now, time);
        assert!(ended.contains(&key(0)) && !ended.contains(&key(1)));
        ended.add(key(1), now + time, time);
        assert!(!ended.contains(&key(0)), "its time is over");
        for number in 2..=MAX_ENDED + 1 {
            ended.add(key(number), now + time + Duration::from_millis(1), time);
        }
        assert!(!ended.contains(&key(1)) && ended.contains(&key(2)));
        assert!(ended.contains(&key(MAX_ENDED + 1)));
    }
}
