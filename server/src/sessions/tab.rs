//! A tab: a page with an id, an engine, an owner and a memory of what it did.

use std::{
    collections::HashMap,
    fmt,
    sync::{
        Arc, Mutex, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use browse_proto::v1;
use tokio::sync::MutexGuard;

use super::{Capture, DialogLine, Lock, Movers, Uploads, Weigh};
use crate::{
    chromium::{self, EvaluateOptions, LoaderId, NavigationState, Page},
    engine::Engine,
    policy::ClientId,
};

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
}

impl fmt::Display for TabState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Idle => "idle",
            Self::Loading => "loading",
            Self::Hung => "hung",
            Self::Crashed => "crashed",
        })
    }
}

/// A request of a tab.
#[derive(Clone, Debug)]
pub struct NetworkLine {
    /// What Chromium calls it.
    pub key: String,
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
    hung: AtomicBool,
    /// Whether a command was given it.
    used: AtomicBool,
    lock: Lock,
    /// Held by the navigation under way.
    navigations: tokio::sync::Mutex<()>,
    movers: Movers,
    captured: Arc<Captured>,
    /// Numbers of the requests that have not ended, by Chromium's id.
    open: Mutex<HashMap<String, u64>>,
}

/// What it did, in whatever browser.
#[derive(Default)]
struct Captured {
    console: Capture<v1::ConsoleMessage>,
    network: Capture<NetworkLine>,
    dialogs: Capture<DialogLine>,
    uploads: Uploads,
    /// First numbers of `console` and `network` that belong to the current document.
    document: Mutex<(u64, u64)>,
    /// Those who watch it listen to this.
    watches: tokio::sync::watch::Sender<()>,
}

/// Open requests that are remembered; a page with more loses their ends.
const MOST_OPEN: usize = 16_000;

/// How often a hung page is asked whether it answers again.
const PING_EVERY: Duration = Duration::from_millis(250);

impl Tab {
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
            hung: AtomicBool::new(false),
            used: AtomicBool::new(false),
            lock: Lock::default(),
            navigations: tokio::sync::Mutex::default(),
            movers: Movers::default(),
            captured: Arc::default(),
            open: Mutex::default(),
        })
    }

    /// The same tab after it moved to `page`, in another browser.
    pub(super) fn moved_to(&self, page: Arc<Page>) -> Arc<Self> {
        Arc::new(Self {
            id: self.id,
            engine: self.engine.moved_to(Arc::clone(&page)),
            page,
            session: self.session.clone(),
            owner: Mutex::new(self.owner()),
            hung: AtomicBool::new(false),
            used: AtomicBool::new(true),
            lock: Lock::default(),
            navigations: tokio::sync::Mutex::default(),
            movers: Movers::default(),
            captured: Arc::clone(&self.captured),
            open: Mutex::default(),
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
    pub fn lock(&self) -> &Lock {
        &self.lock
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

    pub(crate) fn set_owner(&self, owner: &ClientId) {
        *self.owner.lock().unwrap_or_else(PoisonError::into_inner) = owner.clone();
    }

    /// Which clients moved it.
    pub fn movers(&self) -> &Movers {
        &self.movers
    }

    /// What it wrote to the console.
    pub fn console(&self) -> &Capture<v1::ConsoleMessage> {
        &self.captured.console
    }

    /// Dialogs that it opened.
    pub fn dialogs(&self) -> &Capture<DialogLine> {
        &self.captured.dialogs
    }

    /// Files that its pages were given.
    pub fn uploads(&self) -> &Uploads {
        &self.captured.uploads
    }

    /// What it asked the network for.
    pub fn network(&self) -> &Capture<NetworkLine> {
        &self.captured.network
    }

    /// The number of the open request that Chromium calls `key`; forgotten
    /// when it has `ended`.
    pub(super) fn open_request(&self, key: &str, ended: bool) -> Option<u64> {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if ended { open.remove(key) } else { open.get(key).copied() }
    }

    pub(super) fn remember_request(&self, key: &str, number: u64) {
        let mut open = self.open.lock().unwrap_or_else(PoisonError::into_inner);
        if open.len() >= MOST_OPEN {
            open.clear();
        }
        open.insert(key.to_owned(), number);
    }

    /// Notes that another document was committed: what the console and the network
    /// bring from now on is its own. Chromium gives the request of a document the
    /// id of its loader.
    pub(super) fn begin_document(&self, loader: &LoaderId) {
        let own = self.captured.network.last(|line| line.key == loader.as_str());
        let network = own.unwrap_or_else(|| self.captured.network.next());
        let begin = (self.captured.console.next(), network);
        *self.captured.document.lock().unwrap_or_else(PoisonError::into_inner) = begin;
    }

    /// Numbers from which on the entries of the console and of the network belong
    /// to the current document.
    pub fn document_begins(&self) -> (u64, u64) {
        *self.captured.document.lock().unwrap_or_else(PoisonError::into_inner)
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
        if self.page.is_crashed() {
            TabState::Crashed
        } else if self.hung.load(Ordering::Relaxed) {
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
        if self.hung.swap(true, Ordering::Relaxed) {
            return;
        }
        let tab = Arc::downgrade(self);
        tokio::spawn(async move {
            while let Some(tab) = tab.upgrade() {
                if tab.page.is_closed() || tab.answers().await {
                    tab.hung.store(false, Ordering::Relaxed);
                    return;
                }
            }
        });
    }

    /// Waits for the navigations that were asked for earlier: a new one would
    /// cut them off. One that does not end has its turn for half of the time
    /// until `deadline`; then the next goes ahead, which is the way out of a
    /// server that never answers.
    pub async fn turn(&self, deadline: tokio::time::Instant) -> Option<MutexGuard<'_, ()>> {
        let patience = deadline.saturating_duration_since(tokio::time::Instant::now()) / 2;
        tokio::time::timeout(patience, self.navigations.lock()).await.ok()
    }

    /// Notes that a command was given the tab; whether nothing can have run in it
    /// before: it is the first one, and the document is the empty one that the
    /// tab was opened with, by us.
    pub fn begin_use(&self) -> bool {
        let used = self.used.swap(true, Ordering::Relaxed);
        !used && self.page.opener().is_none() && !self.page.has_gone_anywhere()
    }

    /// Notes that the tab shows another document, which owes no answer.
    pub fn arrived(&self) {
        self.hung.store(false, Ordering::Relaxed);
    }

    async fn ping(&self) -> chromium::Result<()> {
        let frame = self.page.main_frame().id;
        self.page.evaluate(&frame, "0", EvaluateOptions::default())?.await.map(drop)
    }

    /// Whether the page answers within a moment.
    async fn answers(&self) -> bool {
        let began = tokio::time::Instant::now();
        let ping = tokio::time::timeout(PING_EVERY, self.ping()).await;
        let answered = matches!(ping, Ok(Ok(())));
        if !answered {
            tokio::time::sleep_until(began + PING_EVERY).await;
        }
        answered
    }
}

impl Weigh for v1::ConsoleMessage {
    fn weight(&self) -> usize {
        64 + self.level.len() + self.text.len() + self.location.len()
    }
}

impl Weigh for v1::NetworkEntry {
    fn weight(&self) -> usize {
        let optional = [&self.failure, &self.mime].into_iter().flatten();
        let texts = [&self.url, &self.method, &self.r#type].into_iter().chain(optional);
        128 + texts.map(String::len).sum::<usize>()
    }
}

impl Weigh for NetworkLine {
    fn weight(&self) -> usize {
        192 + self.key.len() + self.summary.weight()
    }
}
