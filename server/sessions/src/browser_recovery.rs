//! A session whose browser ended: it has its tabs again in the next one, with what
//! was kept of it.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, SystemTime},
};

use browse_proto::Reason;
use tokio::{sync::OnceCell, time::Instant};

use super::{DisplayMode, Session, SessionSnapshot, Sessions, Tab, TabId};
use browse_base::{Error, Result};
use browse_chromium::{DocumentSnapshot, Page};
use browse_policy::ClientId;

/// How often a session is kept at most.
const MIN_SNAPSHOT_INTERVAL: Duration = Duration::from_secs(10);

/// Clients of a session that are remembered.
const MAX_CLIENTS: usize = 64;

/// How a session is kept, and who knows that its browser ended.
#[derive(Default)]
pub(super) struct SnapshotState {
    snapshot: Mutex<SessionSnapshot>,
    /// Whether something happened since it was kept.
    is_dirty: AtomicBool,
    last_taken: Mutex<Option<Instant>>,
    /// How often the browser ended that it was in.
    browser_exits: AtomicU64,
    /// Of each client, which of these ends it knows of.
    reported_exits: Mutex<HashMap<ClientId, u64>>,
}

impl Sessions {
    /// The browser ended: notes what the sessions had in it. May be reported twice.
    pub fn mark_browser_lost(&self, reason: &str) {
        self.all().iter().for_each(|session| session.mark_browser_lost());
        self.browser_handle().mark_gone(reason);
    }
}

impl Session {
    /// What it holds, as last kept.
    pub fn snapshot(&self) -> SessionSnapshot {
        self.lock_snapshot().clone()
    }

    /// Something happened in it: it is kept again soon.
    pub fn schedule_snapshot(&self) {
        let is_new = !self.snapshot_state.is_dirty.swap(true, Ordering::Relaxed);
        if is_new && let Ok(sessions) = self.registry() {
            sessions.snapshot_requested.notify_one();
        }
    }

    /// When it is to be kept, if something happened since it was.
    pub(super) fn snapshot_due_at(&self) -> Option<Instant> {
        let last = *self.snapshot_state.last_taken.lock().unwrap_or_else(PoisonError::into_inner);
        let due = || last.map_or_else(Instant::now, |last| last + MIN_SNAPSHOT_INTERVAL);
        self.snapshot_state.is_dirty.load(Ordering::Relaxed).then(due)
    }

    /// Keeps what it holds. One that a person sees is kept with its window.
    pub async fn take_snapshot(&self) {
        self.snapshot_state.is_dirty.store(false, Ordering::Relaxed);
        *self.snapshot_state.last_taken.lock().unwrap_or_else(PoisonError::into_inner) =
            Some(Instant::now());
        let Some(context) = self.context().filter(|_| self.is_headless()) else { return };
        // What a person does is not kept before it is given back.
        if self.control().is_held() {
            return self.schedule_snapshot();
        }
        let (before, begun) = (self.snapshot(), SystemTime::now());
        let mut kept = SessionSnapshot::capture(&context, &self.tabs(), &before).await;
        if self.is_kept() {
            kept.add_closed_origins(&before);
        }
        // A person took it meanwhile.
        if self.control().was_held_since(begun) {
            return self.schedule_snapshot();
        }
        // A browser that is ending may answer with less than there was.
        if self.is_headless() && !context.browser().is_gone() {
            *self.lock_snapshot() = kept;
            self.note_snapshot();
        }
    }

    /// Notes what documents of its tabs keep, for tabs that do not answer when it is kept next:
    /// they are just being opened again.
    pub fn note_documents(
        &self,
        documents: impl IntoIterator<Item = (TabId, Vec<DocumentSnapshot>)>,
    ) {
        self.lock_snapshot().set_documents(documents);
    }

    /// Notes what it had in its browser, if that has ended. What was kept comes back
    /// when it is used.
    pub(super) fn mark_browser_lost(&self) {
        {
            let mut context = self.lock_context();
            let is_gone = context.get().is_some_and(|context| context.browser().is_gone());
            // The end of a window is its own affair.
            if !is_gone || !self.is_headless() {
                return;
            }
            *context = Arc::new(OnceCell::new());
        }
        self.snapshot_state.browser_exits.fetch_add(1, Ordering::SeqCst);
        let kept = self.snapshot();
        self.tabs().iter().for_each(|tab| tab.mark_lost(kept.tab_storage(tab.id())));
    }

    /// A blank page in its context, which is made when there is none, with what was
    /// kept of it. One that meets the end of its browser is made in the next one:
    /// nothing was done with it yet.
    ///
    /// # Errors
    /// The browser is not there.
    pub(super) async fn blank_page(&self) -> Result<Arc<Page>> {
        loop {
            self.mark_browser_lost();
            let is_new = self.context().is_none();
            if is_new && !self.is_attached() {
                self.registry()?.browser_handle().browser().await?;
            }
            match self.try_blank_page().await {
                Err(error) if error.reason() == Reason::BrowserGone && self.is_headless() => {}
                done => return done,
            }
        }
    }

    async fn try_blank_page(&self) -> Result<Arc<Page>> {
        let sessions = self.registry()?;
        let mut first = None;
        let lease = async {
            let (context, page) = sessions.lease_context(self).await?;
            // A browser that is not ours has its own cookies.
            if !self.is_attached() {
                self.snapshot().restore_into(&context, &page).await?;
            }
            first = Some(page);
            Ok::<_, Error>(context)
        };
        let context = Arc::clone(&*self.lock_context());
        let context = context.get_or_try_init(|| lease).await?;
        match first {
            Some(page) => Ok(page),
            None => Ok(context.new_page().await?),
        }
    }

    /// Gives a tab whose browser ended a blank page in the next one. What it showed
    /// is not loaded yet.
    ///
    /// # Errors
    /// The browser is not there; the tab was closed.
    pub async fn reattach(&self, tab: &Tab) -> Result<Arc<Tab>> {
        let _opening = self.first_tab_lock.lock().await;
        loop {
            // Somebody else may have done so.
            let now = self.tab(tab.id())?;
            if !now.page().is_browser_gone() {
                return Ok(now);
            }
            let page = self.blank_page().await?;
            if now.pending_reload().is_none() {
                now.mark_lost(self.snapshot().tab_storage(now.id()));
            }
            let moved = now.with_page(page);
            now.page().allowed_files().iter().for_each(|file| moved.page().allow_file(file));
            moved.set_recorded_requests(now.page().take_har());
            // A tab that was closed meanwhile is missing at the next look.
            let _ = self.replace_tab(&moved);
            self.update_privacy();
        }
    }

    /// Whether its browser ended since `client` last used it; reported once.
    pub fn take_browser_loss(&self, client: &ClientId) -> bool {
        let ends = self.snapshot_state.browser_exits.load(Ordering::SeqCst);
        let mut reported =
            self.snapshot_state.reported_exits.lock().unwrap_or_else(PoisonError::into_inner);
        if reported.len() >= MAX_CLIENTS && !reported.contains_key(client) {
            reported.clear();
        }
        reported.insert(client.clone(), ends).is_some_and(|known| known != ends)
    }

    /// Whether it is in the browser that nobody sees.
    pub fn is_headless(&self) -> bool {
        *self.display_mode.borrow() == DisplayMode::Headless
    }

    pub(super) fn lock_snapshot(&self) -> MutexGuard<'_, SessionSnapshot> {
        self.snapshot_state.snapshot.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
