//! What is known of a tab at this moment.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::dialogs::PendingDialog;
use super::file_chooser::FileChooser;
use super::frames::FrameTree;
use super::windows::RequestedWindow;
use crate::capture::action_requests::ActionRequests;
use crate::emulation::viewport::Viewport;
use crate::error::{Error, Result};
use crate::guard::document::DeniedDocument;
use crate::ids::{FrameId, LoaderId};
use browse_net::{AddressKind, address_kind};

/// Documents remembered, for waits that come late.
pub(crate) const MAX_RECENT_DOCUMENTS: usize = 32;

/// Windows that are remembered of one action.
const MAX_REQUESTED_WINDOWS: usize = 8;

/// A milestone of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum LoadState {
    /// The document is committed.
    Committed,
    /// Parsed.
    DomContentLoaded,
    /// Loaded with everything it embeds.
    Load,
    /// No request for 500 ms.
    NetworkIdle,
}

/// Which milestones a document has reached.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct LoadStates(u8);

impl LoadStates {
    /// All milestones: a document that came back from the cache.
    pub(crate) const ALL: Self = Self(u8::MAX);

    pub(crate) fn insert(&mut self, state: LoadState) {
        self.0 |= 1 << state as u8;
    }

    pub(crate) fn contains(self, state: LoadState) -> bool {
        state == LoadState::Committed || self.0 & (1 << state as u8) != 0
    }
}

/// What the tab's main frame is doing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NavigationState {
    /// Nothing.
    Idle,
    /// A request is out and its server has not answered. Chromium queues
    /// every command for the renderer until then.
    AwaitingHeaders {
        /// Where it goes.
        url: String,
    },
    /// A document is coming in.
    Loading,
}

/// The answer that brought the main document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MainResponse {
    /// HTTP status; 0 for schemes that have none.
    pub status: u16,
    /// The peer's address as Chromium connected to it, without port.
    pub remote_address: Option<String>,
    /// Content type without parameters.
    pub mime_type: String,
}

impl MainResponse {
    /// Whether Chromium connected to a cloud's metadata service, whatever the
    /// name in the URL was.
    pub(crate) fn is_from_metadata_service(&self) -> bool {
        let text = self.remote_address.as_deref().unwrap_or_default();
        let text = text.trim_start_matches('[').trim_end_matches(']');
        text.parse().is_ok_and(|address| address_kind(address) == AddressKind::Metadata)
    }
}

/// A main-frame navigation between its start and its commit.
#[derive(Debug, Clone)]
pub(crate) struct PendingNavigation {
    pub loader: LoaderId,
    pub url: String,
    /// Somebody was refused meanwhile, so it is being checked.
    pub is_probed: bool,
}

impl PendingNavigation {
    pub(crate) fn new(loader: LoaderId, url: String) -> Self {
        Self { loader, url, is_probed: false }
    }
}

/// Frames within a page that asked to go somewhere else.
#[derive(Debug, Clone, Default)]
pub(crate) struct FrameNavigationRequests {
    /// Whether there were any.
    pub has_any: bool,
    /// Those that have not come anywhere yet.
    pub waiting: Vec<FrameId>,
}

impl FrameNavigationRequests {
    /// A frame sets out.
    pub(crate) fn add(&mut self, frame: FrameId) {
        self.has_any = true;
        self.waiting.push(frame);
    }

    /// A frame has come somewhere, or gives up.
    pub(crate) fn remove(&mut self, frame: &FrameId) {
        self.waiting.retain(|waiting| waiting != frame);
    }
}

/// Time after a click or a key within which a page may open a window.
const USER_ACTIVATION_WINDOW: Duration = Duration::from_secs(5);

/// Everything mutable of a page, behind one lock.
pub(crate) struct PageState {
    /// Whether the setup is done, and how it ended.
    pub ready: Option<Result<()>>,
    pub frames: FrameTree,
    pub pending_navigation: Option<PendingNavigation>,
    /// The address that was asked for last since the navigation began: after
    /// redirects, the target of the last one.
    pub last_request_url: Option<String>,
    /// Where the main frame's page asked to go, until that begins or is over.
    pub requested_url: Option<String>,
    /// Addresses of windows that the page asked for since an action began.
    pub requested_window_urls: Vec<String>,
    /// When a mouse, a key or a script of ours last touched it.
    pub last_user_activation: Option<Instant>,
    /// Windows whose targets are not attached yet, at most one of each session.
    pub pending_windows: Vec<RequestedWindow>,
    /// Frames within the page that asked to go somewhere else since an action began.
    pub frame_navigation_requests: FrameNavigationRequests,
    /// Requests that the action under way began.
    pub action_requests: ActionRequests,
    /// How often the page asked to download something.
    pub downloads_requested: u64,
    pub loading: bool,
    /// Answer for the navigation under way or the current document.
    pub main_response: Option<(LoaderId, MainResponse)>,
    /// The last documents of the main frame, newest last.
    pub recent_documents: VecDeque<LoaderId>,
    /// Counts commits and same-document navigations of the main frame.
    pub commits: u64,
    /// Loader and error of the last navigation that failed before its commit.
    pub failed_navigation: Option<(LoaderId, String)>,
    /// The last document the guard refused.
    pub last_denied: Option<DeniedDocument>,
    /// The same, when it was for the main frame.
    pub last_denied_main: Option<DeniedDocument>,
    /// URL that could not be reached, while its error page is shown.
    pub unreachable_url: Option<String>,
    /// The dialog that is open and not answered yet.
    pub pending_dialog: Option<PendingDialog>,
    pub viewport: Viewport,
    /// What is dragged, as Chromium handed it over.
    pub drag_data: Option<serde_json::Value>,
    /// The file chooser that the page opened while choosers are ours.
    pub file_chooser: Option<FileChooser>,
    /// A page opened another from this tab.
    pub has_opened_page: bool,
    /// Where the last navigation of the main frame went.
    pub last_navigation_url: Option<String>,
    /// It began again after its first renderer died.
    pub was_retried: bool,
    pub crashed: bool,
    pub closed: bool,
}

impl PageState {
    pub(crate) fn new(frames: FrameTree, viewport: Viewport) -> Self {
        Self {
            ready: None,
            frames,
            pending_navigation: None,
            last_request_url: None,
            requested_url: None,
            requested_window_urls: Vec::new(),
            last_user_activation: None,
            pending_windows: Vec::new(),
            frame_navigation_requests: FrameNavigationRequests::default(),
            action_requests: ActionRequests::default(),
            downloads_requested: 0,
            loading: false,
            main_response: None,
            recent_documents: VecDeque::new(),
            commits: 0,
            failed_navigation: None,
            last_denied: None,
            last_denied_main: None,
            unreachable_url: None,
            pending_dialog: None,
            viewport,
            drag_data: None,
            file_chooser: None,
            has_opened_page: false,
            last_navigation_url: None,
            was_retried: false,
            crashed: false,
            closed: false,
        }
    }

    /// Whether the tab has shown nothing yet; reported once, so that what dies each time
    /// is not begun for ever.
    pub(crate) fn take_retry_after_early_crash(&mut self) -> bool {
        let root = self.frames.get(self.frames.root());
        let blank = root.is_none_or(|root| matches!(root.url.as_str(), "" | "about:blank"));
        blank && !std::mem::replace(&mut self.was_retried, true)
    }

    /// Whether what a page does now counts as done by the user, as long as Chromium
    /// says so of windows.
    pub(crate) fn has_user_activation(&self) -> bool {
        self.last_user_activation.is_some_and(|at| at.elapsed() < USER_ACTIVATION_WINDOW)
    }

    /// A page opens a window.
    pub(crate) fn add_window_request(&mut self, asked: RequestedWindow) {
        if asked.has_user_activation {
            self.record_window_url(asked.url.clone());
        }
        self.pending_windows.retain(|other| other.session != asked.session);
        self.pending_windows.push(asked);
    }

    /// The page asks for a window at this address.
    pub(crate) fn record_window_url(&mut self, url: String) {
        let opens = !matches!(url.as_str(), "" | "about:blank");
        if opens
            && self.requested_window_urls.len() < MAX_REQUESTED_WINDOWS
            && !self.requested_window_urls.contains(&url)
        {
            self.requested_window_urls.push(url);
        }
    }

    /// The main frame has a new document.
    pub(crate) fn add_recent_document(&mut self, loader: &LoaderId) {
        if self.recent_documents.len() == MAX_RECENT_DOCUMENTS {
            self.recent_documents.pop_front();
        }
        self.recent_documents.push_back(loader.clone());
    }

    /// Whether the main frame shows this document or did so lately.
    pub(crate) fn is_recent_document(&self, loader: &LoaderId) -> bool {
        self.recent_documents.contains(loader)
    }

    /// Why no call can be answered at all, if so.
    pub(crate) fn ensure_alive(&self) -> Result<()> {
        if self.closed {
            Err(Error::TabClosed)
        } else if self.crashed {
            Err(Error::TabCrashed)
        } else {
            Ok(())
        }
    }

    /// A crashed tab can still be looked at from outside.
    pub(crate) fn ensure_open(&self) -> Result<()> {
        if self.closed { Err(Error::TabClosed) } else { Ok(()) }
    }

    /// Whether the tab can go somewhere. A crashed one can: the navigation
    /// gives it a new renderer, and calls made meanwhile wait for that.
    pub(crate) fn begin_navigation(&mut self) -> Result<()> {
        self.ensure_open()?;
        self.crashed = false;
        self.failed_navigation = None;
        self.last_request_url = None;
        self.last_denied = None;
        self.last_denied_main = None;
        Ok(())
    }

    /// Whether an answer came whose document is not shown: it is on its way into
    /// a process, which may hang.
    pub(crate) fn awaits_commit(&self) -> bool {
        let answered = self.main_response.as_ref().map(|(loader, _)| loader);
        let failed = self.failed_navigation.as_ref().map(|(loader, _)| loader);
        let shown = self.frames.get(self.frames.root()).map(|frame| &frame.loader);
        (self.loading || self.pending_navigation.is_some())
            && answered.is_some_and(|loader| Some(loader) != shown && Some(loader) != failed)
    }

    /// What the main frame is doing.
    pub(crate) fn navigation_state(&self) -> NavigationState {
        match &self.pending_navigation {
            Some(pending) => NavigationState::AwaitingHeaders { url: pending.url.clone() },
            None if self.loading => NavigationState::Loading,
            None => NavigationState::Idle,
        }
    }
}
