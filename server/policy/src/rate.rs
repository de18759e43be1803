//! How many calls a grant may make.

use std::num::NonZeroU32;

use browse_proto::Reason;
use governor::{DefaultDirectRateLimiter, Quota, clock::Clock as _, clock::DefaultClock};

use browse_base::{Error, Result};

/// Calls a second. The default is none.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Rate {
    /// No call at all.
    #[default]
    None,
    /// So many a second, and as many in a burst; 0 means none.
    PerSecond(u32),
    /// As many as come.
    Unlimited,
}

/// Counts the calls of one grant.
pub struct GrantLimiter(LimiterState);

enum LimiterState {
    Closed,
    Limited(DefaultDirectRateLimiter),
    Open,
}

impl GrantLimiter {
    /// Counts against `rate`.
    pub fn new(rate: Rate) -> Self {
        Self(match rate {
            Rate::None => LimiterState::Closed,
            Rate::Unlimited => LimiterState::Open,
            Rate::PerSecond(rate) => match NonZeroU32::new(rate) {
                Some(rate) => {
                    LimiterState::Limited(DefaultDirectRateLimiter::direct(Quota::per_second(rate)))
                }
                None => LimiterState::Closed,
            },
        })
    }

    /// Counts one call.
    ///
    /// # Errors
    /// [`Reason::RateLimited`], with the time after which to try again.
    pub fn check(&self) -> Result<()> {
        match &self.0 {
            LimiterState::Open => Ok(()),
            LimiterState::Closed => {
                Err(Error::new(Reason::RateLimited, "the token allows no calls")
                    .with("retry_ms", 1000))
            }
            LimiterState::Limited(limiter) => limiter.check().map_err(|until| {
                let wait = until.wait_time_from(DefaultClock::default().now());
                rate_limited(u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1))
            }),
        }
    }
}

/// The error of a caller that must wait.
pub fn rate_limited(retry_ms: u64) -> Error {
    Error::new(Reason::RateLimited, "too many calls").with("retry_ms", retry_ms)
}

#[cfg(test)]
mod tests {
    use super::{GrantLimiter, Rate};

    #[test]
    fn zero_means_none() {
        for rate in [Rate::default(), Rate::None, Rate::PerSecond(0)] {
            assert!(GrantLimiter::new(rate).check().is_err());
        }
    }

    #[test]
    fn a_burst_is_one_second_of_calls() {
        let limiter = GrantLimiter::new(Rate::PerSecond(5));
        let allowed = (0..50).filter(|_| limiter.check().is_ok()).count();
        assert!((5..=6).contains(&allowed), "{allowed}");
        let error = limiter.check().expect_err("the burst is spent");
        assert!(error.metadata().contains_key("retry_ms"));
    }

    #[test]
    fn unlimited_is_spelled_out() {
        let limiter = GrantLimiter::new(Rate::Unlimited);
        assert!((0..10_000).all(|_| limiter.check().is_ok()));
    }
}
