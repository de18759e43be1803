//! How many sessions a tenant may open a minute.

use std::{
    collections::{HashMap, VecDeque},
    time::{Duration, Instant},
};

use browse_fleet::Tenant;

const WINDOW: Duration = Duration::from_secs(60);

/// When the tenants opened sessions, in the last minute.
#[derive(Default)]
pub struct SessionRates(HashMap<Tenant, VecDeque<Instant>>);

impl SessionRates {
    /// Counts a session of `tenant`, which may open `limit` a minute.
    ///
    /// # Errors
    /// The time after which it may open another.
    pub fn count(&mut self, tenant: &Tenant, limit: u32, now: Instant) -> Result<(), Duration> {
        let is_old = |at: &Instant| now.duration_since(*at) >= WINDOW;
        self.0.retain(|_, opened| opened.back().is_some_and(|last| !is_old(last)));
        let opened = self.0.entry(tenant.clone()).or_default();
        while opened.front().is_some_and(is_old) {
            opened.pop_front();
        }
        if opened.len() < limit as usize {
            opened.push_back(now);
            return Ok(());
        }
        Err(opened
            .front()
            .map_or(WINDOW, |first| WINDOW.saturating_sub(now.duration_since(*first))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_minute_after_the_first_there_is_room_again() {
        let (a, b) = (Tenant::new("a").expect("a name"), Tenant::new("b").expect("a name"));
        let mut rates = SessionRates::default();
        let begin = Instant::now();
        let at = |seconds: u64| begin + Duration::from_secs(seconds);
        assert_eq!(rates.count(&a, 2, at(0)), Ok(()));
        assert_eq!(rates.count(&a, 2, at(10)), Ok(()));
        assert_eq!(rates.count(&a, 2, at(20)), Err(Duration::from_secs(40)));
        assert_eq!(rates.count(&b, 2, at(20)), Ok(()), "each tenant has its own");
        assert_eq!(rates.count(&a, 2, at(60)), Ok(()));
        assert_eq!(rates.count(&a, 2, at(61)), Err(Duration::from_secs(9)));
        assert_eq!(rates.count(&a, 0, at(500)), Err(WINDOW));
    }
}
