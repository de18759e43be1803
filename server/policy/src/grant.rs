//! A capability that is in force.

use std::{
    fmt,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant, SystemTime},
};

use browse_proto::Reason;
use tokio_util::sync::CancellationToken;

use super::{Audience, Capability, DeniedCommands, rate::GrantLimiter};
use browse_base::{Error, Result};

/// A capability in force, until it expires or is revoked.
pub struct Grant {
    capability: Capability,
    audience: Option<Audience>,
    expires: Option<SystemTime>,
    /// Time without a call after which it ends before that.
    idle_timeout: Option<Duration>,
    revoked: CancellationToken,
    limiter: GrantLimiter,
    usage: Mutex<GrantUsage>,
    created_at: Instant,
    denied: Arc<DeniedCommands>,
}

/// What was done with a grant.
#[derive(Clone, Copy, Debug)]
pub struct GrantUsage {
    /// How many calls were made.
    pub call_count: u64,
    /// When the last one was; when the grant was made before the first.
    pub last_call: SystemTime,
}

impl Grant {
    /// The grant of the root token, which lives as long as the daemon.
    pub(super) fn root() -> Self {
        Self::new(Capability::root(), None, None)
    }

    /// The grant of whoever has no token, where anonymous callers may call.
    pub(super) fn anonymous() -> Self {
        Self::new(Capability::anonymous(), None, None)
    }

    /// A grant that ends by itself after `lifetime`.
    pub(super) fn temporary(
        capability: Capability,
        audience: Audience,
        lifetime: Duration,
    ) -> Self {
        Self::new(capability, Some(audience), Some(SystemTime::now() + lifetime))
    }

    /// The same, which ends also when `slide` has gone by without a call.
    pub(super) fn with_idle_timeout(self, slide: Option<Duration>) -> Self {
        Self { idle_timeout: slide, ..self }
    }

    /// The same, without these commands.
    pub(super) fn with_denied_commands(self, denied: &Arc<DeniedCommands>) -> Self {
        Self { denied: Arc::clone(denied), ..self }
    }

    /// Commands that nobody may call.
    pub(super) fn denied(&self) -> &DeniedCommands {
        &self.denied
    }

    fn new(
        capability: Capability,
        audience: Option<Audience>,
        expires: Option<SystemTime>,
    ) -> Self {
        let limiter = GrantLimiter::new(capability.rate);
        let calls = Mutex::new(GrantUsage { call_count: 0, last_call: SystemTime::now() });
        let (slide, revoked) = (None, CancellationToken::new());
        let (begun, denied) = (Instant::now(), Arc::default());
        Self {
            capability,
            audience,
            expires,
            idle_timeout: slide,
            revoked,
            limiter,
            usage: calls,
            created_at: begun,
            denied,
        }
    }

    /// What it allows.
    pub fn capability(&self) -> &Capability {
        &self.capability
    }

    /// The listener it is for; none for root, which is distinguished by its token.
    pub(super) fn audience(&self) -> Option<Audience> {
        self.audience
    }

    /// When it ends by itself at the latest.
    pub(super) fn latest_expiry(&self) -> Option<SystemTime> {
        self.expires
    }

    /// When it ends by itself if nobody calls meanwhile.
    pub fn expires_at(&self) -> Option<SystemTime> {
        let slid = self.idle_timeout.map(|slide| self.usage().last_call + slide);
        self.expires.into_iter().chain(slid).min()
    }

    /// When it was made.
    pub fn created_at(&self) -> Instant {
        self.created_at
    }

    /// What was done with it.
    pub fn usage(&self) -> GrantUsage {
        *self.lock_usage()
    }

    fn lock_usage(&self) -> MutexGuard<'_, GrantUsage> {
        self.usage.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Ends it now: new calls are refused, those in flight end.
    pub(crate) fn revoke(&self) {
        self.revoked.cancel();
    }

    /// Whether it is in force.
    ///
    /// # Errors
    /// It was revoked, or is over.
    pub fn check_alive(&self) -> Result<()> {
        if self.revoked.is_cancelled() {
            Err(revoked_error())
        } else if self.expires_at().is_some_and(|end| SystemTime::now() >= end) {
            Err(expired_error())
        } else {
            Ok(())
        }
    }

    /// Waits until it is revoked or over, and says which.
    pub async fn wait_until_ended(&self) -> Error {
        let over = async {
            // A call meanwhile puts the end off.
            while let Some(end) = self.expires_at() {
                match end.duration_since(SystemTime::now()) {
                    Ok(left) if !left.is_zero() => tokio::time::sleep(left).await,
                    _ => return,
                }
            }
            std::future::pending().await
        };
        tokio::select! {
            () = self.revoked.cancelled() => revoked_error(),
            () = over => expired_error(),
        }
    }

    /// Counts one call.
    ///
    /// # Errors
    /// The caller makes too many.
    pub fn count_call(&self) -> Result<()> {
        self.limiter.check()?;
        let mut calls = self.lock_usage();
        calls.call_count += 1;
        calls.last_call = SystemTime::now();
        Ok(())
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Grant").field(&self.capability.client).finish()
    }
}

pub(super) fn revoked_error() -> Error {
    Error::new(Reason::TokenRevoked, "the token was revoked")
}

pub(super) fn expired_error() -> Error {
    Error::new(Reason::TokenExpired, "the token has expired")
}
