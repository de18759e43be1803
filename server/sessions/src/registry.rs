//! All sessions, and the tabs of all of them.

use std::sync::{
    Arc, Mutex, MutexGuard, OnceLock, PoisonError,
    atomic::{AtomicU64, Ordering},
};

use browse_proto::Reason;
use tokio::sync::{Notify, watch};

use super::{
    AccessLock, BrowserHandle, DocumentPolicy, Downloads, Journal, Session, SessionName,
    SessionRules, Tab, TabId,
};
use browse_base::{Error, Result};
use browse_chromium::{AnsweredBy, BrowserContext, ContextOptions, Page, TargetId};
use browse_engine::{Engine, RefNumbers};
use browse_net::{HostPolicy, HostRules};
use browse_policy::ClientId;

/// The sessions of a daemon. `default`, which is root's, is always there.
pub struct Sessions {
    browser_handle: BrowserHandle,
    pub(super) numbers: Arc<RefNumbers>,
    pub(super) next_tab: AtomicU64,
    sessions: Mutex<Vec<Arc<Session>>>,
    /// What no session may go beyond.
    rules: SessionRules,
    journal: Journal,
    downloads: Arc<Downloads>,
    browser_lock: AccessLock,
    /// Says that there is a session to be kept.
    pub(super) snapshot_requested: Notify,
    /// How many snapshots of sessions were taken that are kept on disk.
    pub(super) kept_snapshot_count: watch::Sender<u64>,
    /// How many questions pages have asked.
    pub(super) question_count: watch::Sender<u64>,
    pub(super) document_policy: OnceLock<Box<dyn DocumentPolicy>>,
}

impl Sessions {
    /// Begins with the session `default` and no browser.
    pub fn new() -> Arc<Self> {
        Self::restricted_to(SessionRules::unrestricted())
    }

    /// The same, where no session may go beyond `rules`.
    pub fn restricted_to(rules: SessionRules) -> Arc<Self> {
        Arc::new_cyclic(|sessions| {
            let name = SessionName::default_session();
            let first = Session::new(name, ClientId::root(), rules.clone(), sessions.clone());
            Self {
                browser_handle: BrowserHandle::default(),
                numbers: Arc::default(),
                next_tab: AtomicU64::new(1),
                sessions: Mutex::new(vec![first]),
                rules,
                journal: Journal::default(),
                downloads: Arc::default(),
                browser_lock: AccessLock::default(),
                snapshot_requested: Notify::new(),
                kept_snapshot_count: watch::Sender::new(0),
                question_count: watch::Sender::new(0),
                document_policy: OnceLock::new(),
            }
        })
    }

    /// Has `judge` look at documents from now on. The first one stays.
    pub fn set_document_policy(&self, judge: Box<dyn DocumentPolicy>) {
        let _ = self.document_policy.set(judge);
    }

    /// Where the browser is, or will be.
    pub fn browser_handle(&self) -> &BrowserHandle {
        &self.browser_handle
    }

    /// What a call takes to be alone in all tabs.
    pub fn browser_lock(&self) -> &AccessLock {
        &self.browser_lock
    }

    /// What waits to be written to the capture logs.
    pub fn journal(&self) -> &Journal {
        &self.journal
    }

    /// Changes with every question that a page asks.
    pub fn watch_questions(&self) -> watch::Receiver<u64> {
        self.question_count.subscribe()
    }

    /// Changes with every snapshot of a session that is kept on disk.
    pub fn watch_kept_snapshots(&self) -> watch::Receiver<u64> {
        self.kept_snapshot_count.subscribe()
    }

    /// Files that pages sent.
    pub fn downloads(&self) -> &Arc<Downloads> {
        &self.downloads
    }

    /// Opens a session with these rules, within those of all.
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
        let rules = self.rules.restricted_to(&rules);
        let session = Session::new(name.clone(), owner.clone(), rules, Arc::downgrade(self));
        all.push(Arc::clone(&session));
        Ok(session)
    }

    /// The session `name`, which is opened with the rules of all when it does not exist.
    pub fn get_or_open(self: &Arc<Self>, name: &SessionName, owner: &ClientId) -> Arc<Session> {
        self.get_or_open_restricted(name, owner, &SessionRules::unrestricted())
    }

    /// The session `name`, which is opened with these rules, within those of all, when it does not
    /// exist. One that exists has the rules with which it was opened.
    pub fn get_or_open_restricted(
        self: &Arc<Self>,
        name: &SessionName,
        owner: &ClientId,
        rules: &SessionRules,
    ) -> Arc<Session> {
        let mut all = self.lock();
        if let Some(session) = all.iter().find(|session| session.name() == name.as_str()) {
            return Arc::clone(session);
        }
        let rules = self.rules.restricted_to(rules);
        let session = Session::new(name.clone(), owner.clone(), rules, Arc::downgrade(self));
        all.push(Arc::clone(&session));
        session
    }

    /// The session `name`.
    pub fn get(&self, name: &str) -> Option<Arc<Session>> {
        self.lock().iter().find(|session| session.name() == name).cloned()
    }

    /// The session `name`.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`.
    pub fn require(&self, name: &str) -> Result<Arc<Session>> {
        self.get(name).ok_or_else(|| session_not_found(name))
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
            let at = at.ok_or_else(|| session_not_found(name))?;
            let session = all.remove(at);
            if name == SessionName::default_session().as_str() {
                let (name, rules) = (SessionName::default_session(), self.rules.clone());
                let root = ClientId::root();
                all.insert(0, Session::new(name, root, rules, Arc::downgrade(self)));
            }
            session
        };
        let ended = session.close_context().await;
        self.downloads.on_session_closed(&*session);
        ended
    }

    /// The tab `id` of whatever session.
    pub fn tab(&self, id: TabId) -> Option<Arc<Tab>> {
        self.find(|tab| tab.id() == id)
    }

    /// The tab that shows `target`.
    pub fn tab_by_target(&self, target: &TargetId) -> Option<Arc<Tab>> {
        self.find(|tab| tab.page().target_id() == target)
    }

    /// The session of the tab that shows `target`.
    pub fn session_by_target(&self, target: &TargetId) -> Option<Arc<Session>> {
        self.get(self.tab_by_target(target)?.session())
    }

    /// Every tab of every session.
    pub fn tabs(&self) -> Vec<Arc<Tab>> {
        self.lock().iter().flat_map(|session| session.tabs()).collect()
    }

    /// Makes a tab of `page` in `session`.
    pub(super) fn adopt(&self, session: &Session, page: Arc<Page>) -> Arc<Tab> {
        let id = self.next_tab.fetch_add(1, Ordering::Relaxed);
        let engine = Engine::new(Arc::clone(&page), Arc::clone(&self.numbers), id);
        let opener = page.opener().and_then(|opener| self.tab_by_target(opener));
        let owner =
            opener.as_ref().map_or_else(|| session.owner().clone(), |opener| opener.owner());
        let tab = Tab::new(id, page, engine, session.name(), owner);
        if let Some(opener) = opener {
            tab.action_times().inherit_from(opener.action_times());
        }
        tab.page().set_private(session.control().is_held());
        session.add_tab(Arc::clone(&tab));
        tab
    }

    /// A context for `session`, with its first page.
    pub(super) async fn lease_context(
        &self,
        session: &Session,
    ) -> Result<(BrowserContext, Arc<Page>)> {
        if let Some(leased) = session.lease_attached().await {
            return leased;
        }
        let browser = self.browser_handle.browser().await?;
        Ok(browser.lease(&session.context_options()?).await?)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Vec<Arc<Session>>> {
        self.sessions.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, wanted: impl Fn(&Tab) -> bool) -> Option<Arc<Tab>> {
        let all = self.all();
        all.iter().flat_map(|session| session.tabs()).find(|tab| wanted(tab))
    }
}

impl Session {
    /// How its context is made, and others that have its rules.
    ///
    /// # Errors
    /// A pattern of hosts is not one.
    pub fn context_options(&self) -> Result<ContextOptions> {
        Ok(ContextOptions { hosts: host_rules(&self.rules().hosts)?, proxy: None })
    }
}

/// The rules of a context; none for a session that may go anywhere.
fn host_rules(hosts: &HostPolicy) -> Result<Option<HostRules>> {
    if hosts.is_any() {
        return Ok(None);
    }
    let rules = HostRules::parse(&hosts.patterns());
    let rules = rules.map_err(|bad| Error::new(Reason::ArgumentInvalid, bad.to_string()))?;
    Ok(Some(rules))
}

fn session_not_found(name: &str) -> Error {
    let message = format!("there is no session `{name}`");
    Error::new(Reason::SessionNotFound, message).with("session", name)
}
