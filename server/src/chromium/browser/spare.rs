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
use super::context::{Context, ContextOptions};
use crate::chromium::error::Result;
use crate::chromium::guard::rules::HostRules;
use crate::chromium::ids::BrowserContextId;
use crate::chromium::page::page::Page;

/// A lease is followed by work, which making the next spare would hold up: a
/// first navigation took 100 ms longer beside it. So it is made when a context
/// is disposed of, when somebody asks for it, or after this.
const REST: Duration = Duration::from_secs(2);

/// How long a spare has waited when its script is compiled, which takes as long as
/// all the rest of its making: whoever wants one right after another is not to wait
/// for that too.
const IDLE: Duration = Duration::from_secs(1);

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

/// A place for one spare.
#[derive(Default)]
pub(crate) struct Slot(Mutex<Option<Making>>);

/// The task that makes a spare, or has made it.
struct Making {
    task: JoinHandle<Result<Spare>>,
    /// Ends its rest.
    wake: Arc<Notify>,
}

impl Making {
    fn start(browser: Weak<Browser>, rest: Duration, restricted: bool) -> Self {
        let wake = Arc::new(Notify::new());
        let woken = Arc::clone(&wake);
        let task = tokio::spawn(async move {
            let _ = tokio::time::timeout(rest, woken.notified()).await;
            make(browser, restricted).await
        });
        Self { task, wake }
    }
}

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

    /// Makes the next spares now: a context has just become free, and its work
    /// is over.
    pub(crate) fn wake_spares(&self) {
        for slot in [self.free_spare(), self.restricted_spare()] {
            // Whoever holds the lock is taking a spare, and wakes it.
            if let Ok(waiting) = slot.0.try_lock()
                && let Some(making) = waiting.as_ref()
            {
                making.wake.notify_one();
            }
        }
    }

    async fn fill(self: &Arc<Self>, slot: &Slot, after: Duration, restricted: bool) {
        *slot.0.lock().await = Some(Making::start(Arc::downgrade(self), after, restricted));
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
        let making = waiting.as_mut()?;
        making.wake.notify_one();
        let made = (&mut making.task).await;
        *waiting = Some(Making::start(Arc::downgrade(self), REST, hosts.is_some()));
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
async fn make(browser: Weak<Browser>, restricted: bool) -> Result<Spare> {
    let gone = || crate::chromium::error::Error::BrowserGone { reason: "it was closed".to_owned() };
    let browser = browser.upgrade().ok_or_else(gone)?;
    let options =
        ContextOptions { hosts: restricted.then(HostRules::default), ..ContextOptions::default() };
    let context = browser.new_context(&options).await?;
    browser.registry().hide(context.id());
    let page = context.new_page().await?;
    tokio::spawn(warm_later(Arc::downgrade(&browser), Arc::downgrade(&page)));
    Ok(Spare { context: context.id().clone(), page })
}

/// Has the script compiled that the first document will want, where the spare is
/// still one. The renderer of an empty tab serves its first document too: making
/// the world and injecting take half as long there then. What goes wrong here
/// shows up there.
async fn warm_later(browser: Weak<Browser>, page: Weak<Page>) {
    tokio::time::sleep(IDLE).await;
    let (Some(browser), Some(page)) = (browser.upgrade(), page.upgrade()) else { return };
    let Some(script) = page.shared.warm_script else { return };
    if !browser.registry().is_hidden(page.context_id()) {
        return;
    }
    drop(browser);
    if let Ok(world) = page.world(&page.main_frame().id, script).await {
        let _ = world.evaluate::<serde_json::Value>("0").await;
    }
}
