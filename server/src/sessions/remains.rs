//! A tab whose browser ended: what is left of it, until it is loaded again.

use std::sync::{MutexGuard, PoisonError, atomic::Ordering};

use url::Url;

use super::{Tab, TabState};
use crate::chromium::{self, Belongings, LoadState, Navigated, NavigationState, Recording};

/// What is left of a tab whose browser ended.
#[derive(Clone, Debug)]
pub struct Remains {
    /// Its address.
    pub url: String,
    /// What its documents kept.
    pub belongings: Vec<Belongings>,
    /// Whether it was loading, or acted on: only a caller who says so loads it again.
    pub interrupted: bool,
}

impl Tab {
    /// Its address; that which it is to load again after its browser ended.
    pub fn url(&self) -> String {
        match self.remains() {
            Some(remains) => remains.url,
            None => self.page().url(),
        }
    }

    /// An action of ours begins in it.
    pub(crate) fn begin_action(&self) {
        self.acting.fetch_add(1, Ordering::SeqCst);
    }

    /// The action is over.
    pub(crate) fn end_action(&self) {
        if self.page().lost_browser() {
            self.ended_acting.store(true, Ordering::SeqCst);
        }
        self.acting.fetch_sub(1, Ordering::SeqCst);
    }

    /// Whether it does not answer, or an action is under way in it.
    pub(super) fn is_busy(&self) -> bool {
        self.acting.load(Ordering::SeqCst) > 0 || self.state() != TabState::Idle
    }

    /// Its browser ended: notes what is to be loaded again, with what its documents
    /// kept.
    pub(super) fn lose(&self, belongings: Vec<Belongings>) {
        let is_acted_on =
            self.acting.load(Ordering::SeqCst) > 0 || self.ended_acting.load(Ordering::SeqCst);
        let is_loading = match self.page().navigation() {
            NavigationState::Idle => false,
            NavigationState::AwaitingHeaders { .. } => true,
            NavigationState::Loading => !self.page().has_reached(LoadState::Load),
        };
        let mut remains = self.lock_remains();
        match &mut *remains {
            // It was not loaded since the time before.
            Some(remains) => remains.interrupted |= is_acted_on,
            None => {
                *remains = Some(Remains {
                    url: self.page().address(),
                    belongings,
                    interrupted: is_loading || is_acted_on,
                });
            }
        }
    }

    /// What is to be loaded again.
    pub fn remains(&self) -> Option<Remains> {
        self.lock_remains().clone()
    }

    /// Changes what is to be loaded again.
    pub(crate) fn set_remains(&self, remains: Option<Remains>) {
        *self.lock_remains() = remains;
    }

    pub(super) fn is_unloaded(&self) -> bool {
        self.lock_remains().is_some() && self.page().navigation() == NavigationState::Idle
    }

    fn lock_remains(&self) -> MutexGuard<'_, Option<Remains>> {
        self.remains.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Keeps the requests that were recorded until its browser ended.
    pub(super) fn keep_recorded(&self, recording: Option<Recording>) {
        if recording.is_some() {
            *self.captured.recorded.lock().unwrap_or_else(PoisonError::into_inner) = recording;
        }
    }

    /// The requests that were recorded until its browser ended.
    pub fn take_recorded(&self) -> Option<Recording> {
        self.captured.recorded.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}

/// While a tab leaves what it showed before its browser ended, or loads it again.
pub(crate) struct LoadingAgain<'a>(&'a Tab);

impl Tab {
    /// What it showed before its browser ended is over, unless the browser ends once
    /// more before this is dropped.
    pub(crate) fn begin_loading(&self) -> LoadingAgain<'_> {
        if let Some(remains) = self.remains() {
            self.set_remains(Some(Remains { interrupted: true, ..remains }));
        }
        LoadingAgain(self)
    }

    /// Loads again, by GET, what it showed before its browser ended; answers when the
    /// server has answered, and nothing when there is nothing to load.
    ///
    /// # Errors
    /// The page does not load.
    pub(crate) async fn load_again(
        &self,
        remains: &Remains,
    ) -> chromium::Result<Option<Navigated>> {
        let _loading = self.begin_loading();
        self.acted().begin_leaving(self.page());
        let (scheme, _) = remains.url.split_once(':').unwrap_or_default();
        let went = match (scheme, remains.html()) {
            ("http" | "https" | "file", _) => {
                Some(self.page().open_with(&remains.url, &remains.seeds()).await?)
            }
            ("about", Some(html)) => {
                Some(Navigated::Document(self.page().set_content(html).await?))
            }
            // Nobody can open it again: it was made by a page.
            _ => None,
        };
        self.engine().prepare_soon();
        self.arrived();
        Ok(went)
    }
}

impl Drop for LoadingAgain<'_> {
    fn drop(&mut self) {
        if !self.0.page().lost_browser() {
            self.0.set_remains(None);
        }
    }
}

impl Remains {
    /// What the documents of the tab are given as they load again: the storage of
    /// the session, and that of frames from other origins, which is kept apart by
    /// the page around them. The rest is in the context already.
    pub(crate) fn seeds(&self) -> Vec<Belongings> {
        let main = self.belongings.iter().find(|one| one.main).map(|one| site(&one.origin));
        let apart = |one: &Belongings| !one.main && Some(site(&one.origin)) != main;
        let seed = |one: &Belongings| Belongings {
            local: one.local.clone().filter(|_| apart(one)),
            ..one.clone()
        };
        self.belongings.iter().map(seed).collect()
    }

    /// The document itself, where it has no address.
    pub(crate) fn html(&self) -> Option<&str> {
        self.belongings.iter().find(|one| one.main)?.html.as_deref()
    }
}

/// What decides whose storage a frame shares: scheme and registrable domain.
fn site(origin: &str) -> String {
    let Some(url) = Url::parse(origin).ok() else { return origin.to_owned() };
    let host = url.host_str().unwrap_or_default();
    let domain = psl::domain_str(host).unwrap_or(host);
    format!("{}://{domain}", url.scheme())
}
