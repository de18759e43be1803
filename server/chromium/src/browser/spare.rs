//! A context with a tab that waits to be used.
//!
//! A new context with its tab takes 66 ms in the shell and 244 ms in the full
//! browser; one that is ready takes none. At most one of each kind waits. The
//! tab of a spare is nobody's: it is in no list, and it is reported as opened
//! only when it is leased.

use std::sync::{Arc, Weak};
use std::time::Duration;

use tokio::sync::{Mutex, Notify};
use tokio::task::JoinHandle;

use super::browser::Browser;
use super::context::{BrowserContext, ContextOptions};
use crate::error::Result;
use crate::ids::BrowserContextId;
use crate::page::page::Page;
use browse_net::HostRules;

/// A lease is followed by work, which making the next spare would hold up: a
/// first navigation took 100 ms longer beside it. So it is made when a context
/// is disposed of, when somebody asks for it, or after this.
const REFILL_DELAY: Duration = Duration::from_secs(2);

/// How long a spare has waited when its script is compiled, which takes as long as
/// all the rest of its making: whoever wants one right after another is not to wait
/// for that too.
const WARM_UP_DELAY: Duration = Duration::from_secs(1);

/// Which spares are kept.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct SpareOptions {
    /// One without restrictions.
    pub unrestricted: bool,
    /// One with a proxy, whose hosts are named when it is leased.
    pub restricted: bool,
}

/// It must not hold the browser: the browser holds it.
struct SpareContext {
    context: BrowserContextId,
    page: Arc<Page>,
}

/// A place for one spare.
#[derive(Default)]
pub(crate) struct SpareSlot(Mutex<Option<SpareTask>>);

/// The task that makes a spare, or has made it.
struct SpareTask {
    task: JoinHandle<Result<SpareContext>>,
    /// Ends its rest.
    wake: Arc<Notify>,
}

impl SpareTask {
    fn start(browser: Weak<Browser>, rest: Duration, restricted: bool) -> Self {
        let wake = Arc::new(Notify::new());
        let woken = Arc::clone(&wake);
        let task = tokio::spawn(async move {
            let _ = tokio::time::timeout(rest, woken.notified()).await;
            make_spare(browser, restricted).await
        });
        Self { task, wake }
    }
}

impl Browser {
    /// A context with one empty tab, from the spare when there is one.
    pub async fn lease(
        self: &Arc<Self>,
        options: &ContextOptions,
    ) -> Result<(BrowserContext, Arc<Page>)> {
        let (slot, kept) = match &options.hosts {
            None => (self.unrestricted_spare(), self.spares().unrestricted),
            Some(_) => (self.restricted_spare(), self.spares().restricted),
        };
        if kept
            && options.proxy.is_none()
            && let Some(leased) = self.take_spare(slot, options.hosts.as_ref()).await
        {
            return Ok(leased);
        }
        let context = self.new_context(options).await?;
        let page = context.new_page().await?;
        Ok((context, page))
    }

    /// Starts making the spares that are to be kept.
    pub(crate) async fn fill_spares(self: &Arc<Self>) {
        if self.spares().unrestricted {
            self.fill_slot(self.unrestricted_spare(), Duration::ZERO, false).await;
        }
        if self.spares().restricted {
            self.fill_slot(self.restricted_spare(), REFILL_DELAY, true).await;
        }
    }

    /// Makes the next spares now: a context has just become free, and its work
    /// is over.
    pub(crate) fn wake_spares(&self) {
        for slot in [self.unrestricted_spare(), self.restricted_spare()] {
            // Whoever holds the lock is taking a spare, and wakes it.
            if let Ok(waiting) = slot.0.try_lock()
                && let Some(making) = waiting.as_ref()
            {
                making.wake.notify_one();
            }
        }
    }

    async fn fill_slot(self: &Arc<Self>, slot: &SpareSlot, after: Duration, restricted: bool) {
        *slot.0.lock().await = Some(SpareTask::start(Arc::downgrade(self), after, restricted));
    }

    /// Takes the spare, waiting for it if it is being made, and has the next
    /// one made. `None` when making it failed.
    async fn take_spare(
        self: &Arc<Self>,
        slot: &SpareSlot,
        hosts: Option<&HostRules>,
    ) -> Option<(BrowserContext, Arc<Page>)> {
        let mut waiting = slot.0.lock().await;
        // Left in place until it is done, so that a dropped lease loses nothing.
        let making = waiting.as_mut()?;
        making.wake.notify_one();
        let made = (&mut making.task).await;
        *waiting = Some(SpareTask::start(Arc::downgrade(self), REFILL_DELAY, hosts.is_some()));
        drop(waiting);
        let spare = made.ok()?.ok()?;
        if spare.page.ensure_answering().is_err() {
            return None;
        }
        if let Some(hosts) = hosts {
            self.registry().shared.policies.get(&spare.context)?.rules.set(hosts.clone());
        }
        self.registry().reveal(&spare.context);
        Some((BrowserContext::from_id(self, spare.context), spare.page))
    }
}

/// Makes a spare: with hosts it has none yet, so it can go nowhere.
async fn make_spare(browser: Weak<Browser>, restricted: bool) -> Result<SpareContext> {
    let gone = || crate::error::Error::BrowserGone { reason: "it was closed".to_owned() };
    let browser = browser.upgrade().ok_or_else(gone)?;
    let options =
        ContextOptions { hosts: restricted.then(HostRules::default), ..ContextOptions::default() };
    let context = browser.new_context(&options).await?;
    browser.registry().hide(context.id());
    let page = context.new_page().await?;
    tokio::spawn(warm_up_later(Arc::downgrade(&browser), Arc::downgrade(&page)));
    Ok(SpareContext { context: context.id().clone(), page })
}

/// Has the script compiled that the first document will want, where the spare is
/// still one. The renderer of an empty tab serves its first document too: making
/// the world and injecting take half as long there then. What goes wrong here
/// shows up there.
async fn warm_up_later(browser: Weak<Browser>, page: Weak<Page>) {
    tokio::time::sleep(WARM_UP_DELAY).await;
    let (Some(browser), Some(page)) = (browser.upgrade(), page.upgrade()) else { return };
    let Some(script) = page.shared.warm_up_script else { return };
    if !browser.registry().is_hidden(page.context_id()) {
        return;
    }
    drop(browser);
    if let Ok(world) = page.world(&page.main_frame().id, script).await {
        let _ = world.evaluate::<serde_json::Value>("0").await;
    }
}
