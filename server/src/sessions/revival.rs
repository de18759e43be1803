//! A session whose browser ended: it has its tabs again in the next one, with what
//! was kept of it.

use std::{
    collections::HashMap,
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::Duration,
};

use browse_proto::Reason;
use tokio::{sync::OnceCell, time::Instant};

use super::{Kept, Place, Session, Sessions, Tab};
use crate::{
    chromium::Page,
    error::{Error, Result},
    policy::ClientId,
};

/// How often a session is kept at most.
const EVERY: Duration = Duration::from_secs(10);

/// Clients of a session that are remembered.
const MAX_CLIENTS: usize = 64;

/// How a session is kept, and who knows that its browser ended.
#[derive(Default)]
pub(super) struct Keeping {
    kept: Mutex<Kept>,
    /// Whether something happened since it was kept.
    changed: AtomicBool,
    last: Mutex<Option<Instant>>,
    /// How often the browser ended that it was in.
    ends: AtomicU64,
    /// Of each client, which of these ends it knows of.
    told: Mutex<HashMap<ClientId, u64>>,
}

impl Sessions {
    /// The browser ended: notes what the sessions had in it. May be said twice.
    pub(crate) fn lose_browser(&self, reason: &str) {
        self.all().iter().for_each(|session| session.lose());
        self.slot().lose(reason);
    }
}

impl Session {
    /// What it holds, as last kept.
    pub fn kept(&self) -> Kept {
        self.lock_kept().clone()
    }

    /// Something happened in it: it is kept again soon.
    pub fn keep_soon(&self) {
        let is_new = !self.keeping.changed.swap(true, Ordering::Relaxed);
        if is_new && let Ok(sessions) = self.all() {
            sessions.changed.notify_one();
        }
    }

    /// When it is to be kept, if something happened since it was.
    pub(super) fn is_due_at(&self) -> Option<Instant> {
        let last = *self.keeping.last.lock().unwrap_or_else(PoisonError::into_inner);
        let due = || last.map_or_else(Instant::now, |last| last + EVERY);
        self.keeping.changed.load(Ordering::Relaxed).then(due)
    }

    /// Keeps what it holds. One that a person sees is kept with its window.
    pub async fn keep(&self) {
        self.keeping.changed.store(false, Ordering::Relaxed);
        *self.keeping.last.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        let Some(context) = self.context().filter(|_| self.is_hidden()) else { return };
        let before = self.kept();
        let kept = Kept::of(&context, &self.tabs(), &before).await;
        // A browser that is ending may answer with less than there was.
        if self.is_hidden() && !context.browser().is_gone() {
            *self.lock_kept() = kept;
        }
    }

    /// Notes what it had in its browser, if that has ended. What was kept comes back
    /// when it is used.
    pub(super) fn lose(&self) {
        {
            let mut context = self.lock_context();
            let is_gone = context.get().is_some_and(|context| context.browser().is_gone());
            // The end of a window is its own affair.
            if !is_gone || !self.is_hidden() {
                return;
            }
            *context = Arc::new(OnceCell::new());
        }
        self.keeping.ends.fetch_add(1, Ordering::SeqCst);
        let kept = self.kept();
        self.tabs().iter().for_each(|tab| tab.lose(kept.of_tab(tab.id())));
    }

    /// A blank page in its context, which is made when there is none, with what was
    /// kept of it. One that meets the end of its browser is made in the next one:
    /// nothing was done with it yet.
    ///
    /// # Errors
    /// The browser is not there.
    pub(super) async fn blank_page(&self) -> Result<Arc<Page>> {
        loop {
            self.lose();
            let is_new = self.context().is_none();
            if is_new {
                self.all()?.slot().browser().await?;
            }
            match self.blank_page_now().await {
                Err(error) if error.reason() == Reason::BrowserGone && self.is_hidden() => {}
                done => return done,
            }
        }
    }

    async fn blank_page_now(&self) -> Result<Arc<Page>> {
        let sessions = self.all()?;
        let mut first = None;
        let lease = async {
            let (context, page) = sessions.lease(self).await?;
            self.kept().put_into(&context, &page).await?;
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
    pub async fn revive(&self, tab: &Tab) -> Result<Arc<Tab>> {
        let _opening = self.opening.lock().await;
        loop {
            // Somebody else may have done so.
            let now = self.tab(tab.id())?;
            if !now.page().lost_browser() {
                return Ok(now);
            }
            let page = self.blank_page().await?;
            if now.remains().is_none() {
                now.lose(self.kept().of_tab(now.id()));
            }
            let moved = now.moved_to(page);
            now.page().allowed_files().iter().for_each(|file| moved.page().allow_file(file));
            moved.keep_recorded(now.page().take_recording());
            // A tab that was closed meanwhile is missing at the next look.
            let _ = self.put_in_place(&moved);
        }
    }

    /// Whether its browser ended since `client` last used it; said once.
    pub fn lost_since(&self, client: &ClientId) -> bool {
        let ends = self.keeping.ends.load(Ordering::SeqCst);
        let mut told = self.keeping.told.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= MAX_CLIENTS && !told.contains_key(client) {
            told.clear();
        }
        told.insert(client.clone(), ends).is_some_and(|known| known != ends)
    }

    /// Whether it is in the browser that nobody sees.
    pub(crate) fn is_hidden(&self) -> bool {
        *self.place.borrow() == Place::Hidden
    }

    fn lock_kept(&self) -> MutexGuard<'_, Kept> {
        self.keeping.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
