//! A context with a tab that waits to be used.
//!
//! A new context with its tab takes 66 ms in the shell and 244 ms in the full
//! browser; one that is ready takes none. At most one of each kind waits. The
//! tab of a spare is nobody's: it is in no list, and it is reported as opened
//! only when it is leased.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::Mutex;
use tokio::task::JoinHandle;

use super::browser::Browser;
use super::context::{Context, ContextOptions};
use crate::chromium::error::Result;
use crate::chromium::guard::rules::HostRules;
use crate::chromium::ids::BrowserContextId;
use crate::chromium::page::page::Page;

/// A lease is followed by work; the next spare is made a little later, so as
/// not to compete with it.
const REST: Duration = Duration::from_millis(100);

/// Which spares are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Spares {
    /// One without restrictions.
    pub free: bool,
    /// One with a proxy, whose hosts are named when it is leased.
    pub restricted: bool,
}

/// It must not hold the browser: the browser holds it.
struct Spare {
    context: BrowserContextId,
    page: Arc<Page>,
}

/// A place for one spare: the task that makes it, or has made it.
#[derive(Default)]
pub(crate) struct Slot(Mutex<Option<JoinHandle<Result<Spare>>>>);

impl Browser {
    /// A context with one empty tab, from the spare when there is one.
    pub async fn lease(self: &Arc<Self>, options: &ContextOptions) -> Result<(Context, Arc<Page>)> {
        let (slot, kept) = match &options.hosts {
            None => (self.free_spare(), self.spares().free),
            Some(_) => (self.restricted_spare(), self.spares().restricted),
        };
        if kept
            && options.proxy.is_none()
            && let Some(leased) = self.take(slot, options.hosts.as_ref()).await
        {
            return Ok(leased);
        }
        let context = self.new_context(options).await?;
        let page = context.new_page().await?;
        Ok((context, page))
    }

    /// Starts making the spares that are to be kept.
    pub(crate) async fn fill_spares(self: &Arc<Self>) {
        if self.spares().free {
            self.fill(self.free_spare(), Duration::ZERO, false).await;
        }
        if self.spares().restricted {
            self.fill(self.restricted_spare(), REST, true).await;
        }
    }

    async fn fill(self: &Arc<Self>, slot: &Slot, after: Duration, restricted: bool) {
        *slot.0.lock().await = Some(tokio::spawn(make(Arc::downgrade(self), after, restricted)));
    }

    /// Takes the spare, waiting for it if it is being made, and has the next
    /// one made. `None` when making it failed.
    async fn take(
        self: &Arc<Self>,
        slot: &Slot,
        hosts: Option<&HostRules>,
    ) -> Option<(Context, Arc<Page>)> {
        let mut waiting = slot.0.lock().await;
        // Left in place until it is done, so that a dropped lease loses nothing.
        let made = waiting.as_mut()?.await;
        let next = make(Arc::downgrade(self), REST, hosts.is_some());
        *waiting = Some(tokio::spawn(next));
        drop(waiting);
        let spare = made.ok()?.ok()?;
        if spare.page.ensure_answering().is_err() {
            return None;
        }
        if let Some(hosts) = hosts {
            self.registry().shared.policies.get(&spare.context)?.rules.set(hosts.clone());
        }
        self.registry().reveal(&spare.context);
        Some((Context::of(self, spare.context), spare.page))
    }
}

/// Makes a spare: with hosts it has none yet, so it can go nowhere.
async fn make(browser: Weak<Browser>, after: Duration, restricted: bool) -> Result<Spare> {
    tokio::time::sleep(after).await;
    let gone = || crate::chromium::error::Error::BrowserGone { reason: "it was closed".to_owned() };
    let browser = browser.upgrade().ok_or_else(gone)?;
    let options =
        ContextOptions { hosts: restricted.then(HostRules::default), ..ContextOptions::default() };
    let context = browser.new_context(&options).await?;
    browser.registry().hide(context.id());
    let page = context.new_page().await?;
    Ok(Spare { context: context.id().clone(), page })
}
