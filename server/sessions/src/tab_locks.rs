//! Who may work in a tab: many commands together, or one raw protocol call
//! alone. A call that concerns the whole browser is alone in all tabs.

use std::{sync::Arc, time::Duration};

use browse_proto::Reason;
use tokio::{
    sync::{OwnedRwLockReadGuard, OwnedRwLockWriteGuard, RwLock},
    time::{Instant, timeout_at},
};

use super::Tab;
use browse_base::{Error, Result};

/// Time that a call waits until it is alone.
const ACQUIRE_TIMEOUT: Duration = Duration::from_secs(5);

/// What is left of the caller's time for the answer.
const RESPONSE_MARGIN: Duration = Duration::from_millis(100);

/// A lock that many share, or one has alone.
pub type AccessLock = Arc<RwLock<()>>;

/// A share in a tab, for a command.
pub struct SharedGuard {
    _all: OwnedRwLockReadGuard<()>,
    _tab: OwnedRwLockReadGuard<()>,
}

/// A tab, or the whole browser, for one call alone.
#[allow(dead_code, reason = "the guards are held, not read")]
pub enum ExclusiveGuard {
    /// One tab.
    Tab(OwnedRwLockReadGuard<()>, OwnedRwLockWriteGuard<()>),
    /// All of them.
    All(OwnedRwLockWriteGuard<()>),
}

impl SharedGuard {
    /// Waits for a share in `tab`.
    pub async fn acquire(all: &AccessLock, tab: &Tab) -> Self {
        let all = Arc::clone(all).read_owned().await;
        Self { _all: all, _tab: Arc::clone(tab.access_lock()).read_owned().await }
    }
}

impl ExclusiveGuard {
    /// Waits until no command works in `tab`.
    ///
    /// # Errors
    /// `TAB_LOCKED` after 5 s, or when the call is nearly over.
    pub async fn acquire_tab(all: &AccessLock, tab: &Tab, deadline: Instant) -> Result<Self> {
        let both = async {
            let all = Arc::clone(all).read_owned().await;
            Self::Tab(all, Arc::clone(tab.access_lock()).write_owned().await)
        };
        let taken = acquire_within(deadline, both).await;
        taken.map_err(|budget| {
            lock_timeout_error(&format!("tab {}", tab.id()), budget).with("tab", tab.id())
        })
    }

    /// Waits until no command works in any tab.
    ///
    /// # Errors
    /// As [`Alone::in_tab`].
    pub async fn acquire_browser(all: &AccessLock, deadline: Instant) -> Result<Self> {
        let taken = acquire_within(deadline, Arc::clone(all).write_owned()).await;
        taken.map(Self::All).map_err(|budget| lock_timeout_error("every tab", budget))
    }
}

/// Waits for `lock`; the time that it got when that was not enough.
async fn acquire_within<T>(
    deadline: Instant,
    lock: impl Future<Output = T>,
) -> Result<T, Duration> {
    let begun = Instant::now();
    let end = (begun + ACQUIRE_TIMEOUT)
        .min(deadline.checked_sub(RESPONSE_MARGIN).unwrap_or(begun))
        .max(begun);
    timeout_at(end, lock).await.map_err(|_| end - begun)
}

fn lock_timeout_error(what: &str, budget: Duration) -> Error {
    // The clock ran on a little since the time was set.
    let budget = budget.as_millis().div_ceil(100) * 100;
    let message = format!("{what} was not free within the budget of {budget} ms");
    Error::new(Reason::TabLocked, message).with("budget_ms", budget)
}
