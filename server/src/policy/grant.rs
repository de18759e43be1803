//! A capability that is in force.

use std::{
    fmt,
    time::{Duration, SystemTime},
};

use browse_proto::Reason;
use tokio_util::sync::CancellationToken;

use super::{Audience, Capability, rate::Limiter};
use crate::error::{Error, Result};

/// A capability in force, until it expires or is revoked.
pub struct Grant {
    capability: Capability,
    audience: Option<Audience>,
    expires: Option<SystemTime>,
    revoked: CancellationToken,
    limiter: Limiter,
}

impl Grant {
    /// The grant of the root token, which lives as long as the daemon.
    pub(super) fn root() -> Self {
        Self::new(Capability::root(), None, None)
    }

    /// A grant that ends by itself after `lifetime`.
    pub(super) fn temporary(
        capability: Capability,
        audience: Audience,
        lifetime: Duration,
    ) -> Self {
        Self::new(capability, Some(audience), Some(SystemTime::now() + lifetime))
    }

    fn new(
        capability: Capability,
        audience: Option<Audience>,
        expires: Option<SystemTime>,
    ) -> Self {
        let limiter = Limiter::new(capability.rate);
        Self { capability, audience, expires, revoked: CancellationToken::new(), limiter }
    }

    /// What it allows.
    pub fn capability(&self) -> &Capability {
        &self.capability
    }

    /// The listener it is for; none for root, which is told apart by its token.
    pub(super) fn audience(&self) -> Option<Audience> {
        self.audience
    }

    /// When it ends by itself.
    pub(super) fn expires(&self) -> Option<SystemTime> {
        self.expires
    }

    /// Ends it now: new calls are refused, those in flight end.
    pub(super) fn revoke(&self) {
        self.revoked.cancel();
    }

    /// Whether it is in force.
    ///
    /// # Errors
    /// It was revoked, or is over.
    pub fn alive(&self) -> Result<()> {
        if self.revoked.is_cancelled() {
            Err(revoked())
        } else if self.expires.is_some_and(|end| SystemTime::now() >= end) {
            Err(expired())
        } else {
            Ok(())
        }
    }

    /// Waits until it is revoked or over, and says which.
    pub async fn ended(&self) -> Error {
        let over = async {
            match self.expires {
                Some(end) => {
                    let left = end.duration_since(SystemTime::now()).unwrap_or_default();
                    tokio::time::sleep(left).await;
                }
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            () = self.revoked.cancelled() => revoked(),
            () = over => expired(),
        }
    }

    /// Counts one call.
    ///
    /// # Errors
    /// The caller makes too many.
    pub fn count(&self) -> Result<()> {
        self.limiter.check()
    }
}

impl fmt::Debug for Grant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Grant").field(&self.capability.client).finish()
    }
}

pub(super) fn revoked() -> Error {
    Error::new(Reason::TokenRevoked, "the token was revoked")
}

pub(super) fn expired() -> Error {
    Error::new(Reason::TokenExpired, "the token has expired")
}
