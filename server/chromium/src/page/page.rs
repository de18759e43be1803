//! A tab as the rest of the daemon sees it.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};

use serde::de::IgnoredAny;
use tokio::sync::{mpsc, watch};

use super::dialogs::{AnsweredBy, CallerActivity, DialogAnswer};
use super::event::Event;
use super::fetch::PausedFetch;
use super::frames::{Frame, FrameTree};
use super::highlight::HighlightState;
use super::mouse_state::MouseState;
use super::page_tools::PageToolsState;
use super::screencast::{Pointer, ScreencastState};
use super::shared::BrowserShared;
use super::state::{LoadState, MainResponse, NavigationState, PageState};
use super::styles::StylesheetIndex;
use super::swap_retry::retry_on_swap;
use super::world_cache::WorldCache;
use crate::capture::console_throttle::ConsoleThrottle;
use crate::capture::downloads::Download;
use crate::capture::har::HarRecorder;
use crate::capture::network::OpenRequests;
use crate::connection::session::CdpSession;
use crate::error::{Error, Result};
use crate::guard::route::TabRoutes;
use crate::ids::{BrowserContextId, FrameId, LoaderId, TargetId};
use browse_base::Lock;

/// One top-level page. The object lives as long as the tab, whatever it shows.
pub struct Page {
    pub(crate) shared: Arc<BrowserShared>,
    target: TargetId,
    context: BrowserContextId,
    opener: Option<TargetId>,
    session: CdpSession,
    pub(crate) state: Lock<PageState>,
    pub(crate) worlds: WorldCache,
    weak_self: Weak<Self>,
    pub(crate) console_throttle: Lock<ConsoleThrottle>,
    pub(crate) open_requests: Lock<OpenRequests>,
    /// Local files that were allowed.
    pub(crate) allowed_files: Lock<Vec<String>>,
    /// Answers given to questions before they are asked.
    pub(crate) queued_answers: Lock<VecDeque<DialogAnswer>>,
    /// What callers are doing to it.
    pub(crate) caller_activity: Lock<CallerActivity>,
    /// Whether nobody sees its questions.
    pub(crate) unattended: AtomicBool,
    pub(crate) routes: Lock<TabRoutes>,
    /// While its requests are recorded in full.
    pub(crate) har_recorder: Lock<Option<HarRecorder>>,
    pub(crate) mouse: Lock<MouseState>,
    /// Keys that a person holds down, by name.
    pub(crate) held_keys: Lock<Vec<String>>,
    /// Script that gives documents the storage they had in another browser.
    pub(crate) seed_script: Lock<Option<String>>,
    /// Held while its documents are asked what they keep.
    pub(crate) snapshot_lock: Arc<tokio::sync::Mutex<()>>,
    /// For raw protocol calls, once there was one.
    pub(crate) raw_session: tokio::sync::OnceCell<CdpSession>,
    /// What is known of its tools.
    pub(crate) tools: Lock<PageToolsState>,
    /// Held by the one question about styles that is open.
    pub(crate) inspect_lock: tokio::sync::Mutex<()>,
    /// The style sheets, while that question is open.
    pub(crate) stylesheets: Lock<Option<StylesheetIndex>>,
    /// Where paused requests go, of a tab that fetches.
    pub(crate) paused_fetches: Lock<Option<mpsc::Sender<PausedFetch>>>,
    /// Where its download is reported, of a tab that fetches into a file.
    pub(crate) body_download: Lock<Option<watch::Sender<Option<Download>>>>,
    /// Who watches it.
    pub(crate) screencast: Lock<ScreencastState>,
    /// What is highlighted in it for a person.
    pub(crate) highlight: tokio::sync::Mutex<HighlightState>,
    /// Whether a person has it, so that nothing is recorded.
    private: AtomicBool,
    /// Where the pointer is; none until it first moves.
    pub(crate) pointer: watch::Sender<Option<Pointer>>,
    changed: watch::Sender<()>,
}

impl Page {
    pub(crate) fn new(
        shared: Arc<BrowserShared>,
        session: CdpSession,
        target: TargetId,
        context: BrowserContextId,
        opener: Option<TargetId>,
    ) -> Arc<Self> {
        let frames = FrameTree::new(FrameId::from(target.as_str()), session.clone());
        let viewport = shared.viewport;
        Arc::new_cyclic(|myself| Self {
            shared,
            target,
            context,
            opener,
            session,
            state: Lock::new(PageState::new(frames, viewport)),
            worlds: WorldCache::default(),
            weak_self: Weak::clone(myself),
            console_throttle: Lock::default(),
            open_requests: Lock::default(),
            allowed_files: Lock::default(),
            queued_answers: Lock::default(),
            caller_activity: Lock::default(),
            unattended: AtomicBool::new(false),
            routes: Lock::default(),
            har_recorder: Lock::default(),
            mouse: Lock::default(),
            held_keys: Lock::default(),
            seed_script: Lock::default(),
            snapshot_lock: Arc::default(),
            raw_session: tokio::sync::OnceCell::new(),
            tools: Lock::default(),
            inspect_lock: tokio::sync::Mutex::default(),
            stylesheets: Lock::default(),
            paused_fetches: Lock::default(),
            body_download: Lock::default(),
            screencast: Lock::default(),
            highlight: tokio::sync::Mutex::default(),
            private: AtomicBool::new(false),
            pointer: watch::Sender::new(None),
            changed: watch::Sender::new(()),
        })
    }

    /// The tab's id, which is also the id of its main frame.
    pub fn target_id(&self) -> &TargetId {
        &self.target
    }

    /// Whether a person has it, so that nothing that happens in it is recorded.
    pub fn is_private(&self) -> bool {
        self.private.load(Ordering::Relaxed)
    }

    /// Stops recording what happens in it, or goes on.
    ///
    /// While a person has it, its file choosers wait for that person.
    pub fn set_private(&self, private: bool) {
        if self.private.swap(private, Ordering::Relaxed) != private {
            let calls = self.intercept_file_choosers(private);
            calls.into_iter().for_each(crate::connection::call::CdpCall::ignore);
        }
    }

    /// The browser context it belongs to.
    pub fn context_id(&self) -> &BrowserContextId {
        &self.context
    }

    /// Whether it has asked for a window at `url` since the last action in it began.
    pub fn has_requested_window(&self, url: &str) -> bool {
        self.state.lock().requested_window_urls.iter().any(|asked| asked == url)
    }

    /// The tab that opened it.
    pub fn opener(&self) -> Option<&TargetId> {
        self.opener.as_ref()
    }

    /// Whether it has shown any document but the empty one it was opened with.
    pub fn has_navigated(&self) -> bool {
        let state = self.state.lock();
        state.commits > 0 || state.pending_navigation.is_some()
    }

    /// How many documents, and places in them, it has shown.
    pub fn commit_count(&self) -> u64 {
        self.state.lock().commits
    }

    /// The session of the main frame. Input goes here, also for frames in
    /// other processes.
    pub fn session(&self) -> &CdpSession {
        &self.session
    }

    /// URL of the current document, with fragment.
    pub fn url(&self) -> String {
        self.main_frame().url
    }

    /// Loader of the current main document.
    pub fn loader(&self) -> LoaderId {
        self.main_frame().loader
    }

    /// The answer that brought the current main document, where there was one.
    pub fn main_response(&self) -> Option<MainResponse> {
        let state = self.state.lock();
        let loader = &state.frames.get(state.frames.root())?.loader;
        let (of, response) = state.main_response.as_ref()?;
        (of == loader).then(|| response.clone())
    }

    /// What the main frame is doing.
    pub fn navigation(&self) -> NavigationState {
        self.state.lock().navigation_state()
    }

    /// Whether the current main document has reached a milestone.
    pub fn has_reached(&self, milestone: LoadState) -> bool {
        let state = self.state.lock();
        state.frames.get(state.frames.root()).is_some_and(|frame| {
            frame.milestones.0 == frame.loader && frame.milestones.1.contains(milestone)
        })
    }

    /// Whether the renderer crashed and was not reloaded since.
    pub fn is_crashed(&self) -> bool {
        self.state.lock().crashed
    }

    /// Whether the tab is gone.
    pub fn is_closed(&self) -> bool {
        self.state.lock().closed
    }

    /// Whether its browser has ended.
    pub fn is_browser_gone(&self) -> bool {
        self.shared.connection.is_gone()
    }

    /// All frames, parents before children.
    pub fn frames(&self) -> Vec<Frame> {
        self.state.lock().frames.all()
    }

    /// One frame.
    pub fn frame(&self, id: &FrameId) -> Result<Frame> {
        let state = self.state.lock();
        state.ensure_alive()?;
        state.frames.get(id).cloned().ok_or_else(|| Error::NoSuchFrame { frame: id.to_string() })
    }

    /// The main frame.
    pub fn main_frame(&self) -> Frame {
        let state = self.state.lock();
        let root = state.frames.get(state.frames.root());
        root.cloned().expect("the root is never removed from a frame tree")
    }

    /// The renderer is dead: nothing that waits on it will be answered.
    pub(crate) fn mark_crashed(self: &Arc<Self>) {
        let (sessions, stillborn) = {
            let mut state = self.state.lock();
            if std::mem::replace(&mut state.crashed, true) {
                return;
            }
            state.loading = false;
            state.pending_navigation = None;
            let bound_for = state.last_navigation_url.take();
            (self.sessions(&state), bound_for.filter(|_| state.take_retry_after_early_crash()))
        };
        for session in sessions {
            self.shared.connection.fail_session(session.id().as_str(), &Error::TabCrashed);
        }
        self.report_lost_dialog(AnsweredBy::Document);
        match stillborn {
            Some(url) => self.retry_navigation(url),
            None => self.shared.sink.event(Event::PageCrashed(self.target.clone())),
        }
        self.notify();
    }

    /// Goes where a new tab was on its way to: Chromium's renderer may die of the
    /// change of processes when a tab that it just opened goes to another site.
    fn retry_navigation(self: &Arc<Self>, url: String) {
        tracing::warn!(target = %self.target, "the renderer of a new tab died; it begins again");
        let page = Arc::clone(self);
        tokio::spawn(async move {
            if page.state.lock().begin_navigation().is_err() {
                return;
            }
            let params = serde_json::json!({ "url": url });
            let go = || page.session().call_method::<IgnoredAny>("Page.navigate", &params);
            if let Err(error) = retry_on_swap(go).await {
                tracing::warn!(%error, "a tab whose renderer died shows nothing");
            }
        });
    }

    /// The tab is gone: ends everything that waits on it.
    pub(crate) fn mark_closed(&self, error: &Error) {
        let sessions: Vec<_> = {
            let mut state = self.state.lock();
            state.closed = true;
            state.ready.get_or_insert_with(|| Err(error.clone()));
            self.sessions(&state)
        };
        for session in sessions {
            self.shared.connection.fail_session(session.id().as_str(), error);
        }
        self.report_lost_dialog(AnsweredBy::Closing);
        self.notify();
    }

    /// Every session of the tab; calls on them are answered together or never.
    fn sessions(&self, state: &PageState) -> Vec<CdpSession> {
        let frames = state.frames.all().into_iter().map(|frame| frame.session);
        frames.chain(self.raw_session.get().cloned()).collect()
    }

    /// For callbacks, which must not keep the page.
    pub(crate) fn weak(&self) -> Weak<Self> {
        Weak::clone(&self.weak_self)
    }

    /// Tells those who wait that something may have changed.
    pub(crate) fn notify(&self) {
        self.changed.send_replace(());
    }

    /// For [`Page::wait_until`](super::wait).
    pub(crate) fn changes(&self) -> watch::Receiver<()> {
        self.changed.subscribe()
    }
}

impl std::fmt::Debug for Page {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Page({})", self.target)
    }
}
