//! What is known of a tab at this moment.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

use super::dialogs::Held;
use super::frames::FrameTree;
use crate::chromium::browser::options::Viewport;
use crate::chromium::browser::windows::AskedWindow;
use crate::chromium::capture::begun::BegunRequests;
use crate::chromium::error::{Error, Result};
use crate::chromium::guard::address::{Place, place};
use crate::chromium::guard::document::Denied;
use crate::chromium::ids::{FrameId, LoaderId};
use crate::chromium::input::files::FileChooser;

/// Documents remembered, for waits that come late.
pub(crate) const MAX_SHOWN: usize = 32;

/// Windows that are remembered of one action.
const MOST_WINDOWS: usize = 8;

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
pub(crate) struct LoadSet(u8);

impl LoadSet {
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
    pub(crate) fn comes_from_metadata(&self) -> bool {
        let text = self.remote_address.as_deref().unwrap_or_default();
        let text = text.trim_start_matches('[').trim_end_matches(']');
        text.parse().is_ok_and(|address| place(address) == Place::Metadata)
    }
}

/// A main-frame navigation between its start and its commit.
#[derive(Debug, Clone)]
pub(crate) struct Pending {
    pub loader: LoaderId,
    pub url: String,
    /// Somebody was refused meanwhile, so it is being checked.
    pub checked: bool,
}

impl Pending {
    pub(crate) fn new(loader: LoaderId, url: String) -> Self {
        Self { loader, url, checked: false }
    }
}

/// Frames within a page that asked to go elsewhere.
#[derive(Debug, Clone, Default)]
pub(crate) struct FramesRequested {
    /// Whether there were any.
    pub any: bool,
    /// Those that have not come anywhere yet.
    pub waiting: Vec<FrameId>,
}

impl FramesRequested {
    /// A frame sets out.
    pub(crate) fn add(&mut self, frame: FrameId) {
        self.any = true;
        self.waiting.push(frame);
    }

    /// A frame has come somewhere, or gives up.
    pub(crate) fn over(&mut self, frame: &FrameId) {
        self.waiting.retain(|waiting| waiting != frame);
    }
}

/// Time after a click or a key within which a page may open a window.
const GESTURE: Duration = Duration::from_secs(5);

/// Everything mutable of a page, behind one lock.
pub(crate) struct PageState {
    /// Whether the setup is done, and how it ended.
    pub ready: Option<Result<()>>,
    pub frames: FrameTree,
    pub pending: Option<Pending>,
    /// The address that was asked for last since the navigation began: after
    /// redirects, the target of the last one.
    pub asked: Option<String>,
    /// Where the main frame's page asked to go, until that begins or is over.
    pub requested: Option<String>,
    /// Addresses of windows that the page asked for since an action began.
    pub windows: Vec<String>,
    /// When a mouse, a key or a script of ours last touched it.
    pub touched: Option<Instant>,
    /// Windows whose targets are not attached yet, at most one of each session.
    pub asked_windows: Vec<AskedWindow>,
    /// Frames within the page that asked to go elsewhere since an action began.
    pub frames_requested: FramesRequested,
    /// Requests that the action under way began.
    pub begun: BegunRequests,
    /// How often the page asked to download something.
    pub downloads_requested: u64,
    pub loading: bool,
    /// Answer for the navigation under way or the current document.
    pub response: Option<(LoaderId, MainResponse)>,
    /// The last documents of the main frame, newest last.
    pub shown: VecDeque<LoaderId>,
    /// Counts commits and same-document navigations of the main frame.
    pub commits: u64,
    /// Loader and error of the last navigation that failed before its commit.
    pub failed: Option<(LoaderId, String)>,
    /// The last document the guard refused.
    pub denied: Option<Denied>,
    /// The same, when it was for the main frame.
    pub denied_main: Option<Denied>,
    /// URL that could not be reached, while its error page is shown.
    pub unreachable: Option<String>,
    /// The dialog that is open and not answered yet.
    pub dialog: Option<Held>,
    pub viewport: Viewport,
    /// What is dragged, as Chromium handed it over.
    pub dragged: Option<serde_json::Value>,
    /// The file chooser that the page opened while choosers are ours.
    pub chooser: Option<FileChooser>,
    /// A page opened another from this tab.
    pub has_opened: bool,
    /// Where the last navigation of the main frame went.
    pub bound_for: Option<String>,
    /// It began again after its first renderer died.
    pub reborn: bool,
    pub crashed: bool,
    pub closed: bool,
}

impl PageState {
    pub(crate) fn new(frames: FrameTree, viewport: Viewport) -> Self {
        Self {
            ready: None,
            frames,
            pending: None,
            asked: None,
            requested: None,
            windows: Vec::new(),
            touched: None,
            asked_windows: Vec::new(),
            frames_requested: FramesRequested::default(),
            begun: BegunRequests::default(),
            downloads_requested: 0,
            loading: false,
            response: None,
            shown: VecDeque::new(),
            commits: 0,
            failed: None,
            denied: None,
            denied_main: None,
            unreachable: None,
            dialog: None,
            viewport,
            dragged: None,
            chooser: None,
            has_opened: false,
            bound_for: None,
            reborn: false,
            crashed: false,
            closed: false,
        }
    }

    /// Whether the tab has shown nothing yet; said once, so that what dies each time
    /// is not begun for ever.
    pub(crate) fn is_stillborn(&mut self) -> bool {
        let root = self.frames.get(self.frames.root());
        let blank = root.is_none_or(|root| matches!(root.url.as_str(), "" | "about:blank"));
        blank && !std::mem::replace(&mut self.reborn, true)
    }

    /// Whether what a page does now counts as done by the user, as long as Chromium
    /// says so of windows.
    pub(crate) fn was_touched(&self) -> bool {
        self.touched.is_some_and(|at| at.elapsed() < GESTURE)
    }

    /// A page opens a window.
    pub(crate) fn opens_window(&mut self, asked: AskedWindow) {
        if asked.by_user {
            self.asked_for_window(asked.url.clone());
        }
        self.asked_windows.retain(|other| other.session != asked.session);
        self.asked_windows.push(asked);
    }

    /// The page asks for a window at this address.
    pub(crate) fn asked_for_window(&mut self, url: String) {
        let opens = !matches!(url.as_str(), "" | "about:blank");
        if opens && self.windows.len() < MOST_WINDOWS && !self.windows.contains(&url) {
            self.windows.push(url);
        }
    }

    /// The main frame has a new document.
    pub(crate) fn show(&mut self, loader: &LoaderId) {
        if self.shown.len() == MAX_SHOWN {
            self.shown.pop_front();
        }
        self.shown.push_back(loader.clone());
    }

    /// Whether the main frame shows this document or did so lately.
    pub(crate) fn was_shown(&self, loader: &LoaderId) -> bool {
        self.shown.contains(loader)
    }

    /// Why no call can be answered at all, if so.
    pub(crate) fn alive(&self) -> Result<()> {
        if self.closed {
            Err(Error::TabClosed)
        } else if self.crashed {
            Err(Error::TabCrashed)
        } else {
            Ok(())
        }
    }

    /// A crashed tab can still be looked at from outside.
    pub(crate) fn alive_or_crashed(&self) -> Result<()> {
        if self.closed { Err(Error::TabClosed) } else { Ok(()) }
    }

    /// Whether the tab can go somewhere. A crashed one can: the navigation
    /// gives it a new renderer, and calls made meanwhile wait for that.
    pub(crate) fn begin_navigation(&mut self) -> Result<()> {
        self.alive_or_crashed()?;
        self.crashed = false;
        self.failed = None;
        self.asked = None;
        self.denied = None;
        self.denied_main = None;
        Ok(())
    }

    /// Whether an answer came whose document is not shown: it is on its way into
    /// a process, which may hang.
    pub(crate) fn awaits_commit(&self) -> bool {
        let answered = self.response.as_ref().map(|(loader, _)| loader);
        let failed = self.failed.as_ref().map(|(loader, _)| loader);
        let shown = self.frames.get(self.frames.root()).map(|frame| &frame.loader);
        (self.loading || self.pending.is_some())
            && answered.is_some_and(|loader| Some(loader) != shown && Some(loader) != failed)
    }

    /// What the main frame is doing.
    pub(crate) fn navigation(&self) -> NavigationState {
        match &self.pending {
            Some(pending) => NavigationState::AwaitingHeaders { url: pending.url.clone() },
            None if self.loading => NavigationState::Loading,
            None => NavigationState::Idle,
        }
    }
}
