//! A tab as the rest of the daemon sees it.

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Weak};

use serde::de::IgnoredAny;
use tokio::sync::{mpsc, watch};

use super::dialogs::{AnsweredBy, DialogAnswer, Driven};
use super::fetch::Paused;
use super::frames::{Frame, FrameTree};
use super::screencast::{self, Pointer};
use super::state::{LoadState, MainResponse, NavigationState, PageState};
use super::styles::Sheets;
use super::swap::across_swap;
use crate::chromium::browser::registry::Shared;
use crate::chromium::capture::downloads::Download;
use crate::chromium::capture::event::Event;
use crate::chromium::capture::har::Recorder;
use crate::chromium::capture::network::OpenRequests;
use crate::chromium::capture::sheets::SheetRequests;
use crate::chromium::capture::valve::Valve;
use crate::chromium::connection::session::Session;
use crate::chromium::error::{Error, Result};
use crate::chromium::guard::route::Routes;
use crate::chromium::ids::{BrowserContextId, FrameId, LoaderId, SessionId, TargetId};
use crate::chromium::input::mouse::Mouse;
use crate::chromium::page::renders::TimeStamps;
use crate::chromium::page::slots::Looked;
use crate::chromium::sync::Lock;
use crate::chromium::world::cache::WorldCache;

/// One top-level page. The object lives as long as the tab, whatever it shows.
pub struct Page {
    pub(crate) shared: Arc<Shared>,
    target: TargetId,
    context: BrowserContextId,
    opener: Option<TargetId>,
    session: Session,
    pub(crate) state: Lock<PageState>,
    pub(crate) worlds: WorldCache,
    myself: Weak<Self>,
    pub(crate) valve: Lock<Valve>,
    pub(crate) requests: Lock<OpenRequests>,
    /// Which of them brought style sheets.
    pub(crate) sheet_requests: Lock<SheetRequests>,
    /// Local files that were allowed.
    pub(crate) files: Lock<Vec<String>>,
    /// Answers given to questions before they are asked.
    pub(crate) dialogs: Lock<VecDeque<DialogAnswer>>,
    /// What callers are doing to it.
    pub(crate) driven: Lock<Driven>,
    /// Whether nobody sees its questions.
    pub(crate) unattended: AtomicBool,
    pub(crate) routes: Lock<Routes>,
    /// While its requests are recorded in full.
    pub(crate) recorder: Lock<Option<Recorder>>,
    pub(crate) hand: Lock<Mouse>,
    /// Script that gives documents the storage they had in another browser.
    pub(crate) seed: Lock<Option<String>>,
    /// Held while its documents are asked what they keep.
    pub(crate) telling: Arc<tokio::sync::Mutex<()>>,
    /// For raw protocol calls, once there was one.
    pub(crate) raw: tokio::sync::OnceCell<Session>,
    /// Held by the one question about styles that is open.
    pub(crate) inspecting: tokio::sync::Mutex<()>,
    /// The latest look for slots.
    pub(crate) slots: Lock<Option<Looked>>,
    /// Sessions in which the browser counts how often it renders.
    pub(crate) counting: Lock<HashMap<SessionId, TimeStamps>>,
    /// The style sheets, while that question is open.
    pub(crate) sheets: Lock<Option<Sheets>>,
    /// Where paused requests go, of a tab that fetches.
    pub(crate) paused: Lock<Option<mpsc::Sender<Paused>>>,
    /// Where its download is reported, of a tab that fetches into a file.
    pub(crate) kept: Lock<Option<watch::Sender<Option<Download>>>>,
    /// Where frames go, of a tab that is filmed.
    pub(crate) film: Lock<Option<watch::Sender<Option<Arc<screencast::Frame>>>>>,
    /// Where the pointer is; none until it first moves.
    pub(crate) pointer: watch::Sender<Option<Pointer>>,
    changed: watch::Sender<()>,
}

impl Page {
    pub(crate) fn new(
        shared: Arc<Shared>,
        session: Session,
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
            myself: Weak::clone(myself),
            valve: Lock::default(),
            requests: Lock::default(),
            sheet_requests: Lock::default(),
            files: Lock::default(),
            dialogs: Lock::default(),
            driven: Lock::default(),
            unattended: AtomicBool::new(false),
            routes: Lock::default(),
            recorder: Lock::default(),
            hand: Lock::default(),
            seed: Lock::default(),
            telling: Arc::default(),
            raw: tokio::sync::OnceCell::new(),
            inspecting: tokio::sync::Mutex::default(),
            slots: Lock::default(),
            counting: Lock::default(),
            sheets: Lock::default(),
            paused: Lock::default(),
            kept: Lock::default(),
            film: Lock::default(),
            pointer: watch::Sender::new(None),
            changed: watch::Sender::new(()),
        })
    }

    /// The tab's id, which is also the id of its main frame.
    pub fn target_id(&self) -> &TargetId {
        &self.target
    }

    /// The browser context it belongs to.
    pub fn context_id(&self) -> &BrowserContextId {
        &self.context
    }

    /// Whether it has asked for a window at `url` since the last action in it began.
    pub fn asked_for(&self, url: &str) -> bool {
        self.state.lock().windows.iter().any(|asked| asked == url)
    }

    /// The tab that opened it.
    pub fn opener(&self) -> Option<&TargetId> {
        self.opener.as_ref()
    }

    /// Whether it has shown any document but the empty one it was opened with.
    pub fn has_gone_anywhere(&self) -> bool {
        let state = self.state.lock();
        state.commits > 0 || state.pending.is_some()
    }

    /// How many documents, and places in them, it has shown.
    pub fn documents_shown(&self) -> u64 {
        self.state.lock().commits
    }

    /// The session of the main frame. Input goes here, also for frames in
    /// other processes.
    pub fn session(&self) -> &Session {
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
        let (of, response) = state.response.as_ref()?;
        (of == loader).then(|| response.clone())
    }

    /// What the main frame is doing.
    pub fn navigation(&self) -> NavigationState {
        self.state.lock().navigation()
    }

    /// Whether the current main document has reached a milestone.
    pub fn has_reached(&self, milestone: LoadState) -> bool {
        let state = self.state.lock();
        state.frames.get(state.frames.root()).is_some_and(|frame| {
            frame.reached.0 == frame.loader && frame.reached.1.contains(milestone)
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
    pub fn lost_browser(&self) -> bool {
        self.shared.connection.is_gone()
    }

    /// All frames, parents before children.
    pub fn frames(&self) -> Vec<Frame> {
        self.state.lock().frames.all()
    }

    /// One frame.
    pub fn frame(&self, id: &FrameId) -> Result<Frame> {
        let state = self.state.lock();
        state.alive()?;
        state.frames.get(id).cloned().ok_or_else(|| Error::NoSuchFrame { frame: id.to_string() })
    }

    /// The main frame.
    pub fn main_frame(&self) -> Frame {
        let state = self.state.lock();
        let root = state.frames.get(state.frames.root());
        root.cloned().expect("the root is never removed from a frame tree")
    }

    /// The renderer is dead: nothing that waits on it will be answered.
    pub(crate) fn crashed(self: &Arc<Self>) {
        let (sessions, stillborn) = {
            let mut state = self.state.lock();
            if std::mem::replace(&mut state.crashed, true) {
                return;
            }
            state.loading = false;
            state.pending = None;
            let bound_for = state.bound_for.take();
            (self.sessions(&state), bound_for.filter(|_| state.is_stillborn()))
        };
        for session in sessions {
            self.shared.connection.fail_session(session.id().as_str(), &Error::TabCrashed);
        }
        self.lose_dialog(AnsweredBy::Document);
        match stillborn {
            Some(url) => self.begin_again(url),
            None => self.shared.sink.event(Event::PageCrashed(self.target.clone())),
        }
        self.notify();
    }

    /// Goes where a new tab was on its way to: Chromium's renderer may die of the
    /// change of processes when a tab that it just opened goes to another site.
    fn begin_again(self: &Arc<Self>, url: String) {
        tracing::warn!(target = %self.target, "the renderer of a new tab died; it begins again");
        let page = Arc::clone(self);
        tokio::spawn(async move {
            if page.state.lock().begin_navigation().is_err() {
                return;
            }
            let params = serde_json::json!({ "url": url });
            let go = || page.session().call_method::<IgnoredAny>("Page.navigate", &params);
            if let Err(error) = across_swap(go).await {
                tracing::warn!(%error, "a tab whose renderer died shows nothing");
            }
        });
    }

    /// The tab is gone: ends everything that waits on it.
    pub(crate) fn end(&self, error: &Error) {
        let sessions: Vec<_> = {
            let mut state = self.state.lock();
            state.closed = true;
            state.ready.get_or_insert_with(|| Err(error.clone()));
            self.sessions(&state)
        };
        for session in sessions {
            self.shared.connection.fail_session(session.id().as_str(), error);
        }
        self.lose_dialog(AnsweredBy::Closing);
        self.notify();
    }

    /// Every session of the tab; calls on them are answered together or never.
    fn sessions(&self, state: &PageState) -> Vec<Session> {
        let frames = state.frames.all().into_iter().map(|frame| frame.session);
        frames.chain(self.raw.get().cloned()).collect()
    }

    /// For callbacks, which must not keep the page.
    pub(crate) fn weak(&self) -> Weak<Self> {
        Weak::clone(&self.myself)
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
