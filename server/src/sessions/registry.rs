//! All sessions, and the tabs of all of them.

use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use browse_proto::Reason;
use tokio::sync::{Notify, watch};

use super::{
    BrowserSlot, Downloads, Journal, JudgeDocuments, Lock, Session, SessionName, SessionRules, Tab,
    TabId,
};
use crate::{
    chromium::{AnsweredBy, Context, ContextOptions, HostRules, Page, TargetId},
    engine::{Engine, RefNumbers},
    error::{Error, Result},
    policy::{ClientId, Hosts},
};

/// The sessions of a daemon. `default`, which is root's, is always there.
pub struct Sessions {
    slot: BrowserSlot,
    numbers: Arc<RefNumbers>,
    next_tab: AtomicU64,
    all: Mutex<Vec<Arc<Session>>>,
    journal: Journal,
    downloads: Arc<Downloads>,
    lock: Lock,
    /// Says that there is a session to be kept.
    pub(super) changed: Notify,
    /// How many questions pages have asked.
    pub(super) asked: watch::Sender<u64>,
    pub(super) judge: OnceLock<Box<dyn JudgeDocuments>>,
}

impl Sessions {
    /// Begins with the session `default` and no browser.
    pub fn new() -> Arc<Self> {
        Arc::new_cyclic(|sessions| {
            let name = SessionName::default_session();
            let rules = SessionRules::open();
            let first = Session::new(name, ClientId::root(), rules, sessions.clone());
            Self {
                slot: BrowserSlot::default(),
                numbers: Arc::default(),
                next_tab: AtomicU64::new(1),
                all: Mutex::new(vec![first]),
                journal: Journal::default(),
                downloads: Arc::default(),
                lock: Lock::default(),
                changed: Notify::new(),
                asked: watch::Sender::new(0),
                judge: OnceLock::new(),
            }
        })
    }

    /// Has `judge` look at documents from now on. The first one stays.
    pub fn judge_documents(&self, judge: Box<dyn JudgeDocuments>) {
        let _ = self.judge.set(judge);
    }

    /// Where the browser is, or will be.
    pub fn slot(&self) -> &BrowserSlot {
        &self.slot
    }

    /// What a call takes to be alone in all tabs.
    pub fn lock_of_all(&self) -> &Lock {
        &self.lock
    }

    /// What waits to be written to the capture logs.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Changes with every question that a page asks.
    pub fn asked(&self) -> watch::Receiver<u64> {
        self.asked.subscribe()
    }

    /// Files that pages sent.
    pub fn downloads(&self) -> &Arc<Downloads> {
        &self.downloads
    }

    /// Opens a session.
    ///
    /// # Errors
    /// `SESSION_EXISTS`.
    pub async fn open(
        self: &Arc<Self>,
        name: &SessionName,
        owner: &ClientId,
        rules: SessionRules,
    ) -> Result<Arc<Session>> {
        let mut all = self.lock();
        if all.iter().any(|session| session.name() == name.as_str()) {
            let message = format!("the session `{name}` exists");
            return Err(Error::new(Reason::SessionExists, message).with("session", name));
        }
        let session = Session::new(name.clone(), owner.clone(), rules, Arc::downgrade(self));
        all.push(Arc::clone(&session));
        Ok(session)
    }

    /// The session `name`, which is opened without restrictions when it does not
    /// exist.
    pub fn get_or_open(self: &Arc<Self>, name: &SessionName, owner: &ClientId) -> Arc<Session> {
        let mut all = self.lock();
        if let Some(session) = all.iter().find(|session| session.name() == name.as_str()) {
            return Arc::clone(session);
        }
        let rules = SessionRules::open();
        let session = Session::new(name.clone(), owner.clone(), rules, Arc::downgrade(self));
        all.push(Arc::clone(&session));
        session
    }

    /// The session `name`.
    pub fn get(&self, name: &str) -> Option<Arc<Session>> {
        self.lock().iter().find(|session| session.name() == name).cloned()
    }

    /// All sessions, oldest first.
    pub fn all(&self) -> Vec<Arc<Session>> {
        self.lock().clone()
    }

    /// Closes a session with its tabs, and forgets its cookies. `default`
    /// stays, empty.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub async fn close(self: &Arc<Self>, name: &str) -> Result<()> {
        if let Some(session) = self.get(name) {
            session.dismiss_questions(AnsweredBy::Closing);
        }
        let session = {
            let mut all = self.lock();
            let at = all.iter().position(|session| session.name() == name);
            let at = at.ok_or_else(|| not_found(name))?;
            let session = all.remove(at);
            if name == SessionName::default_session().as_str() {
                let (name, rules) = (SessionName::default_session(), SessionRules::open());
                let root = ClientId::root();
                all.insert(0, Session::new(name, root, rules, Arc::downgrade(self)));
            }
            session
        };
        let ended = session.end().await;
        self.downloads.session_ended(&session);
        ended
    }

    /// The tab `id` of whatever session.
    pub fn tab(&self, id: TabId) -> Option<Arc<Tab>> {
        self.find(|tab| tab.id() == id)
    }

    /// The tab that shows `target`.
    pub fn tab_of(&self, target: &TargetId) -> Option<Arc<Tab>> {
        self.find(|tab| tab.page().target_id() == target)
    }

    /// The session of the tab that shows `target`.
    pub fn session_of(&self, target: &TargetId) -> Option<Arc<Session>> {
        self.get(self.tab_of(target)?.session())
    }

    /// Every tab of every session.
    pub fn tabs(&self) -> Vec<Arc<Tab>> {
        self.lock().iter().flat_map(|session| session.tabs()).collect()
    }

    /// Makes a tab of `page` in `session`.
    pub(super) fn adopt(&self, session: &Session, page: Arc<Page>) -> Arc<Tab> {
        let id = self.next_tab.fetch_add(1, Ordering::Relaxed);
        let engine = Engine::new(Arc::clone(&page), Arc::clone(&self.numbers), id);
        let opener = page.opener().and_then(|opener| self.tab_of(opener));
        let owner =
            opener.as_ref().map_or_else(|| session.owner().clone(), |opener| opener.owner());
        let tab = Tab::new(id, page, engine, session.name(), owner);
        if let Some(opener) = opener {
            tab.acted().take_over(opener.acted());
        }
        session.add(Arc::clone(&tab));
        tab
    }

    /// A context for `session`, with its first page.
    pub(super) async fn lease(&self, session: &Session) -> Result<(Context, Arc<Page>)> {
        let browser = self.slot.browser().await?;
        let options = ContextOptions { hosts: host_rules(&session.rules().hosts)?, proxy: None };
        Ok(browser.lease(&options).await?)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Vec<Arc<Session>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, wanted: impl Fn(&Tab) -> bool) -> Option<Arc<Tab>> {
        let all = self.all();
        all.iter().flat_map(|session| session.tabs()).find(|tab| wanted(tab))
    }
}

/// The rules of a context; none for a session that may go anywhere.
fn host_rules(hosts: &Hosts) -> Result<Option<HostRules>> {
    if hosts.is_any() {
        return Ok(None);
    }
    let rules = HostRules::parse(&hosts.patterns());
    let rules = rules.map_err(|bad| Error::new(Reason::ArgumentInvalid, bad.to_string()))?;
    Ok(Some(rules))
}

fn not_found(name: &str) -> Error {
    let message = format!("there is no session `{name}`");
    Error::new(Reason::SessionNotFound, message).with("session", name)
}
