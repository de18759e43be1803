//! A tab whose browser ended: what is left of it, until it is loaded again.

use std::sync::{MutexGuard, PoisonError, atomic::Ordering};

use url::Url;

use super::{Tab, TabState};
use browse_chromium::{DocumentSnapshot, HarRecording, LoadState, Navigated, NavigationState};

/// What is left of a tab whose browser ended.
#[derive(Clone, Debug)]
pub struct PendingReload {
    /// Its address.
    pub url: String,
    /// What its documents kept.
    pub storage: Vec<DocumentSnapshot>,
    /// Whether it was loading, or acted on: only a caller who says so loads it again.
    pub interrupted: bool,
}

impl Tab {
    /// Its address; that which it is to load again after its browser ended.
    pub fn url(&self) -> String {
        match self.pending_reload() {
            Some(remains) => remains.url,
            None => self.page().url(),
        }
    }

    /// An action of ours begins in it.
    pub fn begin_action(&self) {
        self.running_actions.fetch_add(1, Ordering::SeqCst);
    }

    /// The action is over.
    pub fn end_action(&self) {
        if self.page().is_browser_gone() {
            self.lost_during_action.store(true, Ordering::SeqCst);
        }
        self.running_actions.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether it does not answer, or an action is under way in it.
    pub(super) fn is_busy(&self) -> bool {
        self.running_actions.load(Ordering::SeqCst) > 0 || self.state() != TabState::Idle
    }

    /// Its browser ended: notes what is to be loaded again, with what its documents
    /// kept.
    pub(super) fn mark_lost(&self, storages: Vec<DocumentSnapshot>) {
        let is_acted_on = self.running_actions.load(Ordering::SeqCst) > 0
            || self.lost_during_action.load(Ordering::SeqCst);
        let is_loading = match self.page().navigation() {
            NavigationState::Idle => false,
            NavigationState::AwaitingHeaders { .. } => true,
            NavigationState::Loading => !self.page().has_reached(LoadState::Load),
        };
        let mut remains = self.lock_pending_reload();
        match &mut *remains {
            // It was not loaded since the time before.
            Some(remains) => remains.interrupted |= is_acted_on,
            None => {
                *remains = Some(PendingReload {
                    url: self.page().intended_url(),
                    storage: storages,
                    interrupted: is_loading || is_acted_on,
                });
            }
        }
    }

    /// Whether a command acts on it, or did when its browser ended.
    pub(super) fn is_interrupted(&self) -> bool {
        self.running_actions.load(Ordering::SeqCst) > 0
            || self.lock_pending_reload().as_ref().is_some_and(|pending| pending.interrupted)
    }

    /// What is to be loaded again.
    pub fn pending_reload(&self) -> Option<PendingReload> {
        self.lock_pending_reload().clone()
    }

    /// Changes what is to be loaded again.
    pub fn set_pending_reload(&self, remains: Option<PendingReload>) {
        *self.lock_pending_reload() = remains;
    }

    pub(super) fn is_unloaded(&self) -> bool {
        self.lock_pending_reload().is_some() && self.page().navigation() == NavigationState::Idle
    }

    fn lock_pending_reload(&self) -> MutexGuard<'_, Option<PendingReload>> {
        self.pending_reload.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the requests that were recorded until its browser ended.
    pub(super) fn set_recorded_requests(&self, recording: Option<HarRecording>) {
        if recording.is_some() {
            *self.captured.recorded_requests.lock().unwrap_or_else(PoisonError::into_inner) =
                recording;
        }
    }

    /// The requests that were recorded until its browser ended.
    pub fn take_recorded_requests(&self) -> Option<HarRecording> {
        self.captured.recorded_requests.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// While a tab leaves what it showed before its browser ended, or loads it again.
pub struct ReloadGuard<'a>(&'a Tab);

impl Tab {
    /// What it showed before its browser ended is over, unless the browser ends once
    /// more before this is dropped.
    pub fn begin_reload(&self) -> ReloadGuard<'_> {
        if let Some(remains) = self.pending_reload() {
            self.set_pending_reload(Some(PendingReload { interrupted: true, ..remains }));
        }
        ReloadGuard(self)
    }

    /// Loads again, by GET, what it showed before its browser ended; answers when the
    /// server has answered, and nothing when there is nothing to load.
    ///
    /// # Errors
    /// The page does not load.
    pub async fn reload_pending(
        &self,
        remains: &PendingReload,
    ) -> browse_chromium::Result<Option<Navigated>> {
        let _loading = self.begin_reload();
        self.action_times().begin_navigation(self.page());
        let (scheme, _) = remains.url.split_once(':').unwrap_or_default();
        let went = match (scheme, remains.html()) {
            ("http" | "https" | "file", _) => {
                Some(self.page().open_with_storage(&remains.url, &remains.init_storage()).await?)
            }
            ("about", Some(html)) => {
                Some(Navigated::Document(self.page().set_content(html).await?))
            }
            // Nobody can open it again: it was made by a page.
            _ => None,
        };
        self.engine().schedule_preinject();
        self.clear_hung();
        Ok(went)
    }
}

impl Drop for ReloadGuard<'_> {
    fn drop(&mut self) {
        if !self.0.page().is_browser_gone() {
            self.0.set_pending_reload(None);
        }
    }
}

impl PendingReload {
    /// What the documents of the tab are given as they load again: the storage of
    /// the session, and that of frames from other origins, which is kept apart by
    /// the page around them. The rest is in the context already.
    pub fn init_storage(&self) -> Vec<DocumentSnapshot> {
        let main = self.storage.iter().find(|one| one.main).map(|one| site(&one.origin));
        let apart = |one: &DocumentSnapshot| !one.main && Some(site(&one.origin)) != main;
        let seed = |one: &DocumentSnapshot| DocumentSnapshot {
            local: one.local.clone().filter(|_| apart(one)),
            ..one.clone()
        };
        self.storage.iter().map(seed).collect()
    }

    /// The document itself, where it has no address.
    pub fn html(&self) -> Option<&str> {
        self.storage.iter().find(|one| one.main)?.html.as_deref()
    }
}

/// What decides whose storage a frame shares: scheme and registrable domain.
pub(super) fn site(origin: &str) -> String {
    let Some(url) = Url::parse(origin).ok() else { return origin.to_owned() };
    let host = url.host_str().unwrap_or_default();
    let domain = psl::domain_str(host).unwrap_or(host);
    format!("{}://{domain}", url.scheme())
}
