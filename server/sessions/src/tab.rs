//! A tab: a page with an id, an engine, an owner and a memory of what it did.

use std::{
    collections::{HashMap, HashSet},
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, AtomicU32, Ordering},
    },
    time::Duration,
};

use browse_proto::v1;
use futures::future::BoxFuture;
use tokio::sync::{MutexGuard, watch};

use super::{
    AccessLock, ActionTimes, DialogLine, MemorySize, NavigationOwners, PendingReload, RingBuffer,
    UnreportedDialogs, Uploads,
};
use browse_chromium::{
    AnsweredBy, Dialog, DialogAnswer, EvaluateOptions, LoaderId, NavigationState, Page,
};
use browse_engine::Engine;
use browse_policy::ClientId;

/// Names a tab; never used again in a daemon's life.
pub type TabId = u64;

/// What a tab is doing.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TabState {
    /// Nothing.
    Idle,
    /// A document is coming.
    Loading,
    /// A call was not answered in time, and nothing was since.
    Hung,
    /// Its process ended.
    Crashed,
    /// A question of its page is open.
    Dialog,
    /// Its browser ended, and it was not loaded again.
    Unloaded,
}

impl fmt::Display for TabState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Idle => "idle",
            Self::Loading => "loading",
            Self::Hung => "hung",
            Self::Crashed => "crashed",
            Self::Dialog => "dialog",
            Self::Unloaded => "unloaded",
        })
    }
}

/// A request of a tab.
#[derive(Clone, Debug)]
pub struct NetworkLine {
    /// What Chromium calls it.
    pub request_id: String,
    /// What `network` lists.
    pub summary: v1::NetworkEntry,
}

/// A tab of a session.
pub struct Tab {
    id: TabId,
    page: Arc<Page>,
    engine: Engine,
    session: String,
    owner: Mutex<ClientId>,
    /// Whether a call was not answered in time, and nothing was since.
    hung: watch::Sender<bool>,
    /// Whether a command was given it.
    has_been_used: AtomicBool,
    access_lock: AccessLock,
    /// Held by the navigation under way.
    navigation_lock: tokio::sync::Mutex<()>,
    navigation_owners: NavigationOwners,
    pub(super) captured: Arc<TabCaptures>,
    /// Numbers of the requests that have not ended, by Chromium's id.
    open_requests: Mutex<HashMap<String, u64>>,
    /// Requests that began while a person had it, by Chromium's id.
    private_requests: Mutex<HashSet<String>>,
    /// The action that a question interrupted.
    interrupted_action: Mutex<Option<InterruptedAction>>,
    /// Actions of ours that are under way in it.
    pub(super) running_actions: AtomicU32,
    /// Whether its browser ended during one.
    pub(super) lost_during_action: AtomicBool,
    /// What is to be loaded again.
    pub(super) pending_reload: Mutex<Option<PendingReload>>,
}

/// An action that goes on once a question is answered.
pub type SuspendedAction = BoxFuture<'static, browse_engine::Result<browse_engine::ActionReceipt>>;

/// An action that waits for the answer to a question.
struct InterruptedAction {
    question: u64,
    action: SuspendedAction,
}

/// What it did, in whatever browser.
#[derive(Default)]
pub(super) struct TabCaptures {
    console: RingBuffer<v1::ConsoleMessage>,
    network: RingBuffer<NetworkLine>,
    dialogs: RingBuffer<DialogLine>,
    /// Dialogs that were closed and that nobody was notified of.
    unreported_dialogs: UnreportedDialogs,
    uploads: Uploads,
    /// First numbers of `console` and `network` that belong to the current document.
    document_start: Mutex<(u64, u64)>,
    action_times: ActionTimes,
    /// The requests that were being recorded as its browser ended.
    pub(super) recorded_requests: Mutex<Option<browse_chromium::HarRecording>>,
    /// Those who watch it listen to this.
    watches: tokio::sync::watch::Sender<()>,
}

/// Open requests that are remembered; a page with more loses their ends.
const MAX_OPEN_REQUESTS: usize = 16_000;

/// How often a hung page is asked whether it answers again.
const PING_INTERVAL: Duration = Duration::from_millis(250);

/// Time that an interrupted action gets to end when nobody waits for its receipt.
const INTERRUPTED_ACTION_TIMEOUT: Duration = Duration::from_secs(2);

impl Tab {
    /// When actions of ours were in it.
    pub fn action_times(&self) -> &ActionTimes {
        &self.captured.action_times
    }

    /// The MIME type that the server reported of the last answer from `url`.
    pub(super) fn served_mime(&self, url: &str) -> Option<String> {
        let of = |line: &NetworkLine| line.summary.url == url && line.summary.mime.is_some();
        self.network().find_last(of)?.1.summary.mime
    }

    pub(super) fn new(
        id: TabId,
        page: Arc<Page>,
        engine: Engine,
        session: &str,
        owner: ClientId,
    ) -> Arc<Self> {
        Arc::new(Self {
            id,
            page,
            engine,
            session: session.to_owned(),
            owner: Mutex::new(owner),
            hung: watch::Sender::new(false),
            has_been_used: AtomicBool::new(false),
            access_lock: AccessLock::default(),
            navigation_lock: tokio::sync::Mutex::default(),
            navigation_owners: NavigationOwners::default(),
            captured: Arc::default(),
            open_requests: Mutex::default(),
            private_requests: Mutex::default(),
            interrupted_action: Mutex::default(),
            running_actions: AtomicU32::new(0),
            lost_during_action: AtomicBool::new(false),
            pending_reload: Mutex::default(),
        })
    }

    /// The same tab after it moved to `page`, in another browser.
    pub(super) fn with_page(&self, page: Arc<Page>) -> Arc<Self> {
        Arc::new(Self {
            id: self.id,
            engine: self.engine.moved_to(Arc::clone(&page)),
            page,
            session: self.session.clone(),
            owner: Mutex::new(self.owner()),
            hung: watch::Sender::new(false),
            has_been_used: AtomicBool::new(true),
            access_lock: AccessLock::default(),
            navigation_lock: tokio::sync::Mutex::default(),
            navigation_owners: NavigationOwners::default(),
            captured: Arc::clone(&self.captured),
            open_requests: Mutex::default(),
            private_requests: Mutex::default(),
            interrupted_action: Mutex::default(),
            running_actions: AtomicU32::new(0),
            lost_during_action: AtomicBool::new(false),
            pending_reload: Mutex::new(self.pending_reload()),
        })
    }

    /// Its id.
    pub fn id(&self) -> TabId {
        self.id
    }

    /// Its page.
    pub fn page(&self) -> &Arc<Page> {
        &self.page
    }

    /// What a call takes to be alone in the tab.
    pub fn access_lock(&self) -> &AccessLock {
        &self.access_lock
    }

    /// The engine that reads and acts in it.
    pub fn engine(&self) -> &Engine {
        &self.engine
    }

    /// The name of its session.
    pub fn session(&self) -> &str {
        &self.session
    }

    /// Who opened it.
    pub fn owner(&self) -> ClientId {
        self.owner.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn set_owner(&self, owner: &ClientId) {
        *self.owner.lock().unwrap_or_else(PoisonError::into_inner) = owner.clone();
    }

    /// Which clients moved it.
    pub fn navigation_owners(&self) -> &NavigationOwners {
        &self.navigation_owners
    }

    /// What it wrote to the console.
    pub fn console(&self) -> &RingBuffer<v1::ConsoleMessage> {
        &self.captured.console
    }

    /// Dialogs that it opened.
    pub fn dialogs(&self) -> &RingBuffer<DialogLine> {
        &self.captured.dialogs
    }

    /// Dialogs that were closed and that nobody was notified of.
    pub fn unreported_dialogs(&self) -> &UnreportedDialogs {
        &self.captured.unreported_dialogs
    }

    /// Keeps an action until the question that interrupted it is answered.
    pub fn suspend_action(&self, question: u64, action: SuspendedAction) {
        *self.lock_interrupted_action() = Some(InterruptedAction { question, action });
    }

    /// The action that the question interrupted, to go on with.
    pub fn take_suspended_action(&self, question: u64) -> Option<SuspendedAction> {
        let mut interrupted = self.lock_interrupted_action();
        interrupted.take_if(|kept| kept.question == question).map(|kept| kept.action)
    }

    /// Dismisses the question that is open, as its tab is about to go.
    pub fn dismiss_question(&self, by: AnsweredBy) -> bool {
        let open = self.page.open_dialog();
        let call = open.and_then(|question| {
            self.page.answer_open_dialog(question.id, DialogAnswer::Dismiss, by)
        });
        call.map(browse_chromium::CdpCall::ignore).is_some()
    }

    /// Notes a dialog that was answered.
    pub(super) fn on_dialog_closed(&self, dialog: &Dialog) {
        self.unreported_dialogs().record(dialog, self.engine.is_acting());
        self.dialogs().push(|_| DialogLine::now(dialog.clone()));
        if dialog.answered_by == AnsweredBy::Caller {
            return;
        }
        // Nobody waits for its receipt. What it holds of the page is to be let go.
        if let Some(InterruptedAction { action, .. }) = self.lock_interrupted_action().take() {
            tokio::spawn(tokio::time::timeout(INTERRUPTED_ACTION_TIMEOUT, action));
        }
    }

    fn lock_interrupted_action(&self) -> std::sync::MutexGuard<'_, Option<InterruptedAction>> {
        self.interrupted_action.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Files that its pages were given.
    pub fn uploads(&self) -> &Uploads {
        &self.captured.uploads
    }

    /// What it asked the network for.
    pub fn network(&self) -> &RingBuffer<NetworkLine> {
        &self.captured.network
    }

    /// The number of the open request that Chromium calls `key`; forgotten
    /// when it has `ended`.
    pub(super) fn open_request_number(&self, key: &str, ended: bool) -> Option<u64> {
        let mut open = self.open_requests.lock().unwrap_or_else(PoisonError::into_inner);
        if ended { open.remove(key) } else { open.get(key).copied() }
    }

    /// Whether the request `key` is not to be recorded: it began while a person had the tab,
    /// also when it ends later.
    pub(super) fn is_private_request(&self, key: &str, begins: bool, ended: bool) -> bool {
        let mut private = self.private_requests.lock().unwrap_or_else(PoisonError::into_inner);
        if begins && self.page.is_private() {
            if private.len() >= MAX_OPEN_REQUESTS {
                private.clear();
            }
            private.insert(key.to_owned());
        }
        let is_private = self.page.is_private();
        is_private || if ended { private.remove(key) } else { private.contains(key) }
    }

    pub(super) fn remember_request(&self, key: &str, number: u64) {
        let mut open = self.open_requests.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= MAX_OPEN_REQUESTS {
            open.clear();
        }
        open.insert(key.to_owned(), number);
    }

    /// Notes that another document was committed: what the console and the network
    /// bring from now on is its own. Chromium gives the request of a document the
    /// id of its loader.
    pub(super) fn begin_document(&self, loader: &LoaderId) {
        let own = self.captured.network.find_last(|line| line.request_id == loader.as_str());
        let network = own.map_or_else(|| self.captured.network.next_number(), |(number, _)| number);
        let begin = (self.captured.console.next_number(), network);
        *self.captured.document_start.lock().unwrap_or_else(PoisonError::into_inner) = begin;
    }

    /// Numbers from which on the entries of the console and of the network belong
    /// to the current document.
    pub fn document_start(&self) -> (u64, u64) {
        *self.captured.document_start.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins a watch, which ends when this changes.
    pub fn watch(&self) -> tokio::sync::watch::Receiver<()> {
        self.captured.watches.subscribe()
    }

    /// Ends all watches, and answers how many there were.
    pub fn end_watches(&self) -> usize {
        let count = self.captured.watches.receiver_count();
        self.captured.watches.send_replace(());
        count
    }

    /// What it is doing.
    pub fn state(&self) -> TabState {
        if self.page.is_browser_gone() || self.is_unloaded() {
            TabState::Unloaded
        } else if self.page.is_crashed() {
            TabState::Crashed
        } else if self.page.open_dialog().is_some() {
            TabState::Dialog
        } else if *self.hung.borrow() {
            TabState::Hung
        } else if self.page.navigation() == NavigationState::Idle {
            TabState::Idle
        } else {
            TabState::Loading
        }
    }

    /// Keeps calls away from the page until it answers again. A call that was
    /// given up still runs in Chromium, and a new one would queue behind it.
    pub fn quarantine(self: &Arc<Self>) {
        if self.hung.send_replace(true) {
            return;
        }
        let tab = Arc::downgrade(self);
        tokio::spawn(async move {
            while let Some(tab) = tab.upgrade() {
                if tab.page.is_closed() || tab.is_responsive().await {
                    tab.hung.send_replace(false);
                    return;
                }
            }
        });
    }

    /// Waits for the navigations that were asked for earlier: a new one would
    /// cut them off. One that does not end has its turn for half of the time
    /// until `deadline`; then the next goes ahead, which is the way out of a
    /// server that never answers.
    pub async fn acquire_navigation_lock(
        &self,
        deadline: tokio::time::Instant,
    ) -> Option<MutexGuard<'_, ()>> {
        let max_wait = deadline.saturating_duration_since(tokio::time::Instant::now()) / 2;
        tokio::time::timeout(max_wait, self.navigation_lock.lock()).await.ok()
    }

    /// Notes that a command was given the tab; whether nothing can have run in it
    /// before: it is the first one, and the document is the empty one that the
    /// tab was opened with, by us.
    pub fn mark_used(&self) -> bool {
        let used = self.has_been_used.swap(true, Ordering::Relaxed);
        !used && self.page.opener().is_none() && !self.page.has_navigated()
    }

    /// Notes that the tab shows another document, which owes no answer.
    pub fn clear_hung(&self) {
        self.hung.send_replace(false);
    }

    /// Waits until the tab is not hung any more, at most for `max_wait`. A call that was given
    /// up leaves it hung until the page has answered once, which it may be about to do.
    pub async fn wait_until_responsive(&self, max_wait: Duration) {
        let mut hung = self.hung.subscribe();
        let _ = tokio::time::timeout(max_wait, hung.wait_for(|hung| !hung)).await;
    }

    async fn ping(&self) -> browse_chromium::Result<()> {
        let frame = self.page.main_frame().id;
        self.page.evaluate(&frame, "0", EvaluateOptions::default())?.await.map(drop)
    }

    /// Whether the page answers within a moment.
    async fn is_responsive(&self) -> bool {
        let began = tokio::time::Instant::now();
        let ping = tokio::time::timeout(PING_INTERVAL, self.ping()).await;
        let answered = matches!(ping, Ok(Ok(())));
        if !answered {
            tokio::time::sleep_until(began + PING_INTERVAL).await;
        }
        answered
    }
}

impl MemorySize for v1::ConsoleMessage {
    fn memory_bytes(&self) -> usize {
        64 + self.level.len() + self.text.len() + self.location.len()
    }
}

impl MemorySize for v1::NetworkEntry {
    fn memory_bytes(&self) -> usize {
        let optional = [&self.failure, &self.mime].into_iter().flatten();
        let texts = [&self.url, &self.method, &self.r#type].into_iter().chain(optional);
        128 + texts.map(String::len).sum::<usize>()
    }
}

impl MemorySize for NetworkLine {
    fn memory_bytes(&self) -> usize {
        192 + self.request_id.len() + self.summary.memory_bytes()
    }
}
