//! What a tab does because of an action: requests, navigations and windows that
//! began with it, and waits for their end.

use super::page::Page;
use super::state::{LoadState, PageState};
use crate::error::Result;
use crate::ids::LoaderId;

/// The tab when an action begins.
#[derive(Debug, Clone)]
pub struct ActionBaseline {
    /// URL of the document.
    pub url: String,
    /// Loader of the document.
    pub loader: LoaderId,
    /// Loader of the last navigation that a server answered.
    responded_loader: Option<LoaderId>,
    /// How many downloads the page had requested.
    downloads_requested: u64,
}

impl Page {
    /// Forgets what earlier actions began, and remembers what this one starts from.
    pub fn start_action_tracking(&self) -> ActionBaseline {
        let (url, loader) = (self.url(), self.loader());
        let mut state = self.state.lock();
        state.requested_window_urls.clear();
        state.frame_navigation_requests = Default::default();
        state.action_requests.begin();
        ActionBaseline {
            url,
            loader,
            responded_loader: state.main_response.as_ref().map(|(loader, _)| loader.clone()),
            downloads_requested: state.downloads_requested,
        }
    }

    /// The page has handled the action; whether it began any request.
    pub fn finish_action_tracking(&self) -> bool {
        self.state.lock().action_requests.finish_action()
    }

    /// Method and address without query of the requests that the action began and
    /// that are open.
    pub fn open_action_requests(&self) -> Vec<(String, String)> {
        let state = self.state.lock();
        let open = state.action_requests.open();
        open.map(|(method, url)| (method.to_owned(), url.to_owned())).collect()
    }

    /// Waits until the requests of the action are over. A navigation or a dialog
    /// ends the wait.
    ///
    /// # Errors
    /// When the tab closes or crashes, as for every wait here.
    pub async fn wait_for_action_requests(&self) -> Result<()> {
        self.wait_until(|state| {
            let leaves = state.pending_navigation.is_some() || state.requested_url.is_some();
            (state.action_requests.are_finished() || leaves || state.pending_dialog.is_some())
                .then_some(())
        })
        .await
    }

    /// Whether the action led to nothing that reaches beyond its document: no
    /// navigation was asked for, in whatever frame, no window, no dialog.
    pub fn is_unaffected_by_action(&self) -> bool {
        let state = self.state.lock();
        state.requested_url.is_none()
            && state.requested_window_urls.is_empty()
            && !state.frame_navigation_requests.has_any
            && state.pending_dialog.is_none()
    }

    /// URLs of the windows that the page asked for since the action began.
    pub fn requested_windows(&self) -> Vec<String> {
        self.state.lock().requested_window_urls.clone()
    }

    /// Whether the page asked to go somewhere, and that has not begun yet.
    pub fn has_navigation_request(&self) -> bool {
        self.state.lock().requested_url.is_some()
    }

    /// Waits until what the page asked to go to has begun, or is over.
    ///
    /// # Errors
    /// See [`Page::wait_for_action_requests`].
    pub async fn wait_for_requested_navigation(&self) -> Result<()> {
        self.wait_until(|state| state.requested_url.is_none().then_some(())).await
    }

    /// Waits until a navigation of the main frame is under way.
    ///
    /// # Errors
    /// See [`Page::wait_for_action_requests`].
    pub async fn wait_for_navigation_start(&self) -> Result<()> {
        self.wait_until(|state| state.pending_navigation.as_ref().map(|_| ())).await
    }

    /// Waits until the tab shows, parsed, another document than `left`. It may also
    /// end without one: as a download, or with 204.
    ///
    /// # Errors
    /// See [`Page::wait_for_action_requests`].
    pub async fn wait_for_arrival(&self, left: &LoaderId) -> Result<()> {
        self.wait_until(|state| {
            let over = !state.loading && state.pending_navigation.is_none();
            let arrived = state.pending_navigation.is_none()
                && is_parsed(state)?
                && state.frames.get(state.frames.root())?.loader != *left;
            (over || arrived).then_some(())
        })
        .await
    }

    /// Waits until the document that the tab shows is parsed, or did not load.
    ///
    /// # Errors
    /// See [`Page::wait_for_action_requests`].
    pub async fn wait_until_parsed(&self) -> Result<()> {
        self.wait_until(|state| {
            let over = is_parsed(state)? || !state.loading;
            (state.pending_navigation.is_none() && over).then_some(())
        })
        .await
    }

    /// Waits until the first navigation of a new tab is over, and answers whether it
    /// ended without a document, as downloads do.
    ///
    /// # Errors
    /// See [`Page::wait_for_action_requests`].
    pub async fn wait_for_first_document(&self) -> Result<bool> {
        self.wait_until(|state| {
            let failed = state.failed_navigation.is_some();
            let over = state.pending_navigation.is_none() && (failed || !state.loading);
            let blank = is_blank(state)?;
            over.then_some(state.last_denied.is_none() && (blank || failed))
        })
        .await
    }

    /// Waits until a new tab knows where it goes, or was refused to.
    ///
    /// # Errors
    /// See [`Page::wait_for_action_requests`].
    pub async fn wait_for_first_url(&self) -> Result<()> {
        self.wait_until(|state| {
            let goes = state.pending_navigation.is_some() || !is_blank(state)?;
            (state.last_denied.is_some() || goes).then_some(())
        })
        .await
    }

    /// Waits until the navigation of a restricted tab was refused, or begins to load.
    ///
    /// # Errors
    /// See [`Page::wait_for_action_requests`].
    pub async fn wait_for_navigation_verdict(&self) -> Result<()> {
        self.wait_until(|state| {
            (state.last_denied.is_some() || state.pending_navigation.is_none()).then_some(())
        })
        .await
    }

    /// Whether frames within the page asked to go to another document since the
    /// action began.
    pub fn has_frame_navigations(&self) -> bool {
        self.state.lock().frame_navigation_requests.has_any
    }

    /// Waits until those frames have arrived.
    ///
    /// # Errors
    /// See [`Page::wait_for_action_requests`].
    pub async fn wait_for_frame_navigations(&self) -> Result<()> {
        self.wait_until(|state| state.frame_navigation_requests.waiting.is_empty().then_some(()))
            .await
    }

    /// Whether the page requested a download since `before`.
    pub fn has_requested_download(&self, before: &ActionBaseline) -> bool {
        self.state.lock().downloads_requested > before.downloads_requested
    }

    /// HTTP status of a navigation since `before` that a server answered and that
    /// brought no document.
    pub fn failed_navigation_status(&self, before: &ActionBaseline) -> Option<u16> {
        let state = self.state.lock();
        let (answered, response) = state.main_response.as_ref()?;
        let (failed, _) = state.failed_navigation.as_ref()?;
        let is_new = before.responded_loader.as_ref() != Some(answered);
        (answered == failed && is_new).then_some(response.status)
    }
}

/// Whether the document that the main frame shows is parsed.
fn is_parsed(state: &PageState) -> Option<bool> {
    let main = state.frames.get(state.frames.root())?;
    let (loader, reached) = &main.milestones;
    Some(*loader == main.loader && reached.contains(LoadState::DomContentLoaded))
}

/// Whether the tab has shown nothing yet.
fn is_blank(state: &PageState) -> Option<bool> {
    let root = state.frames.get(state.frames.root())?;
    Some(matches!(root.url.as_str(), "" | "about:blank"))
}
