//! One session: a browser context and its tabs.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use browse_proto::Reason;
use tokio::{
    sync::{OnceCell, watch},
    time::Instant,
};

use super::{
    Attachment, DownloadSession, Offers, SessionControl, SessionName, Sessions,
    StateChangingRequestLog, Tab, TabId,
    browser_recovery::SnapshotState,
    kept_session::KeepingState,
    session_use::{SessionUseGuard, SessionUseTracker},
};
use browse_base::{Error, Result};
use browse_chromium::{AnsweredBy, BrowserContext, BrowserContextId, OpenPageDialog, TargetId};
use browse_net::HostPolicy;
use browse_policy::ClientId;
use browse_recording::VideoRecording;

/// Time that the browser gets to list cookies.
const COOKIES_TIMEOUT: Duration = Duration::from_secs(1);

/// What a session may do.
#[derive(Clone, Debug)]
pub struct SessionRules {
    /// Hosts that its documents and connections may reach.
    pub hosts: HostPolicy,
}

impl SessionRules {
    /// A session that may go anywhere.
    pub fn unrestricted() -> Self {
        Self { hosts: HostPolicy::Any }
    }

    /// These rules, of which `other` takes a part.
    #[must_use]
    pub fn restricted_to(&self, other: &Self) -> Self {
        Self { hosts: self.hosts.intersection(&other.hosts) }
    }
}

/// An isolated browser context with a name.
pub struct Session {
    name: SessionName,
    owner: ClientId,
    /// What tells it from others of its name, unless it is root's.
    instance: Option<u64>,
    rules: SessionRules,
    sessions: Weak<Sessions>,
    context: Mutex<Arc<OnceCell<BrowserContext>>>,
    tabs: Mutex<TabList>,
    /// Held while the first tab is opened, so that callers who come together
    /// share it.
    pub(super) first_tab_lock: tokio::sync::Mutex<()>,
    /// Where its browser is.
    pub(super) display_mode: watch::Sender<DisplayMode>,
    /// The recording that is under way.
    recording: Mutex<Option<VideoRecording>>,
    state_changing_requests: StateChangingRequestLog,
    offers: Offers,
    uses: SessionUseTracker,
    /// What it holds, in case its browser ends.
    pub(super) snapshot_state: SnapshotState,
    /// Whether it is kept on disk.
    pub(super) keeping: KeepingState,
    /// The browser that it is in instead of ours.
    pub(super) attachment: Mutex<Attachment>,
    control: SessionControl,
}

/// Where the browser of a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum DisplayMode {
    /// Out of sight.
    #[default]
    Headless,
    /// On the screen.
    Headed,
    /// On the screen, where its last tab was just closed.
    WindowClosed,
    /// In a browser that ran already, and is not ours.
    Attached,
    /// On the way from one to the other: callers wait.
    Migrating,
}

/// Tabs that are closed one after the other within this time go with their
/// window.
pub(super) const WINDOW_CLOSE_SPAN: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(super) struct TabList {
    /// Oldest first.
    pub(super) all: Vec<Arc<Tab>>,
    pub(super) active: Option<TabId>,
    /// Tabs that were just closed while the browser is shown.
    pub(super) recently_closed: Vec<(Instant, Arc<Tab>)>,
}

impl DownloadSession for Session {
    fn name(&self) -> &str {
        Self::name(self)
    }

    fn instance(&self) -> Option<u64> {
        Self::instance(self)
    }

    fn hosts(&self) -> &HostPolicy {
        &self.rules.hosts
    }

    fn is_visible(&self) -> bool {
        *self.watch_display_mode().borrow() != DisplayMode::Headless
    }
}

impl Session {
    pub(super) fn new(
        name: SessionName,
        owner: ClientId,
        rules: SessionRules,
        sessions: Weak<Sessions>,
    ) -> Arc<Self> {
        let (context, tabs, opening) = (Mutex::default(), Mutex::default(), Default::default());
        let (place, recording) = (watch::Sender::default(), Mutex::default());
        let instance = (owner != ClientId::root()).then(rand::random);
        Arc::new(Self {
            name,
            owner,
            instance,
            rules,
            sessions,
            context,
            tabs,
            first_tab_lock: opening,
            display_mode: place,
            recording,
            state_changing_requests: StateChangingRequestLog::default(),
            offers: Offers::default(),
            uses: SessionUseTracker::default(),
            snapshot_state: SnapshotState::default(),
            keeping: KeepingState::default(),
            attachment: Mutex::default(),
            control: SessionControl::default(),
        })
    }

    /// Its name.
    pub fn name(&self) -> &str {
        self.name.as_str()
    }

    /// Who opened it.
    pub fn owner(&self) -> &ClientId {
        &self.owner
    }

    /// What tells it from a session before it that had its name. Those of root are
    /// one and the same.
    pub fn instance(&self) -> Option<u64> {
        self.instance
    }

    /// What it may do.
    pub fn rules(&self) -> &SessionRules {
        &self.rules
    }

    /// Its recording, while one is under way.
    pub fn recording(&self) -> MutexGuard<'_, Option<VideoRecording>> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What its pages sent.
    pub fn state_changing_requests(&self) -> &StateChangingRequestLog {
        &self.state_changing_requests
    }

    /// What was offered in it.
    pub fn offers(&self) -> &Offers {
        &self.offers
    }

    /// Who is in control of it.
    pub fn control(&self) -> &SessionControl {
        &self.control
    }

    /// Its cookies by name and domain, `sid of example.com`; none where the browser does not
    /// answer soon.
    pub async fn cookie_names(&self) -> Vec<String> {
        let Some(context) = self.context() else { return Vec::new() };
        let cookies = tokio::time::timeout(COOKIES_TIMEOUT, context.cookies()).await;
        let cookies = cookies.ok().and_then(std::result::Result::ok).unwrap_or_default();
        let field = |cookie: &serde_json::Value, name: &str| {
            cookie.get(name).and_then(serde_json::Value::as_str).unwrap_or_default().to_owned()
        };
        let name = |cookie| format!("{} of {}", field(cookie, "name"), field(cookie, "domain"));
        let mut names: Vec<_> = cookies.iter().map(name).collect();
        names.sort();
        names.dedup();
        names
    }

    /// Stops recording what its pages do while a person holds it, or goes on.
    pub fn update_privacy(&self) {
        let is_held = self.control.is_held();
        self.tabs().iter().for_each(|tab| tab.page().set_private(is_held));
    }

    /// Notes that it was used just now.
    pub fn mark_used(&self) {
        self.uses.mark();
    }

    /// Notes that a call uses it from now on.
    pub fn begin_use(&self) -> SessionUseGuard {
        self.uses.begin()
    }

    /// Time since it was used last; none while a call uses it or a person holds it.
    pub fn idle_time(&self) -> Duration {
        match self.control.is_held() {
            true => Duration::ZERO,
            false => self.uses.idle_time(),
        }
    }

    /// Its tabs, oldest first.
    pub fn tabs(&self) -> Vec<Arc<Tab>> {
        self.lock().all.clone()
    }

    /// The tab that calls go to when they name none.
    pub fn active(&self) -> Option<Arc<Tab>> {
        let tabs = self.lock();
        let active = tabs.active?;
        tabs.all.iter().find(|tab| tab.id() == active).cloned()
    }

    /// The active tab; opens the first one of an empty session.
    ///
    /// # Errors
    /// As [`Session::open_tab`].
    pub async fn active_or_first(&self, owner: &ClientId) -> Result<Arc<Tab>> {
        self.wait_until_settled().await;
        if let Some(tab) = self.active() {
            return Ok(tab);
        }
        let _opening = self.first_tab_lock.lock().await;
        match self.active() {
            Some(tab) => Ok(tab),
            None => self.open_tab(owner).await,
        }
    }

    /// The tab `id`.
    ///
    /// # Errors
    /// `TAB_NOT_FOUND`; `TAB_DENIED` when another session has it.
    pub fn tab(&self, id: TabId) -> Result<Arc<Tab>> {
        if let Some(tab) = self.lock().all.iter().find(|tab| tab.id() == id) {
            return Ok(Arc::clone(tab));
        }
        let outside = self.sessions.upgrade().is_some_and(|all| all.tab(id).is_some());
        Err(match outside {
            true => Error::new(Reason::TabDenied, format!("tab {id} is in another session")),
            false => Error::new(Reason::TabNotFound, format!("there is no tab {id}")),
        })
    }

    /// Makes the tab `id` the active one.
    ///
    /// # Errors
    /// As [`Session::tab`].
    pub fn activate(&self, id: TabId) -> Result<Arc<Tab>> {
        let tab = self.tab(id)?;
        self.lock().active = Some(id);
        Ok(tab)
    }

    /// Opens a blank tab and makes it the active one.
    ///
    /// # Errors
    /// The browser is not there.
    pub async fn open_tab(&self, owner: &ClientId) -> Result<Arc<Tab>> {
        let tab = self.open_background_tab(owner).await?;
        self.lock().active = Some(tab.id());
        Ok(tab)
    }

    /// Opens a blank tab that calls have to name.
    ///
    /// # Errors
    /// The browser is not there.
    pub async fn open_background_tab(&self, owner: &ClientId) -> Result<Arc<Tab>> {
        self.wait_until_settled().await;
        let sessions = self.registry()?;
        let page = self.blank_page().await?;
        let tab = sessions.tab_by_target(page.target_id());
        let tab = tab.unwrap_or_else(|| sessions.adopt(self, page));
        tab.set_owner(owner);
        Ok(tab)
    }

    /// Closes the tab `id`, whatever its page is doing, and answers which one
    /// is active now.
    ///
    /// # Errors
    /// As [`Session::tab`].
    pub async fn close_tab(&self, id: TabId) -> Result<Option<TabId>> {
        self.wait_until_settled().await;
        let tab = self.tab(id)?;
        tab.dismiss_question(AnsweredBy::Closing);
        self.remove_tab(tab.page().target_id());
        if let Some(context) = self.context() {
            match context.browser().close_page(tab.page().target_id()).await {
                // It went by itself meanwhile, or with its browser: closed is closed.
                Ok(())
                | Err(
                    browse_chromium::Error::TabClosed | browse_chromium::Error::BrowserGone { .. },
                ) => {}
                Err(fault) => return Err(fault.into()),
            }
        }
        Ok(self.lock().active)
    }

    /// Dismisses the questions that its pages ask; how many there were.
    pub fn dismiss_questions(&self, by: AnsweredBy) -> usize {
        self.tabs().iter().filter(|tab| tab.dismiss_question(by)).count()
    }

    /// The first of its tabs with a question that may keep the page of `tab` from
    /// answering: its own; of a tab that it opened, or that opened it, or that
    /// shows a site that it shows too, so that both may share a process.
    pub fn find_blocking_question(&self, tab: &Tab) -> Option<(Arc<Tab>, OpenPageDialog)> {
        let asks = |tab: &Arc<Tab>| tab.page().open_dialog().map(|asked| (Arc::clone(tab), asked));
        let mut asking: Vec<_> = self.tabs().iter().filter_map(asks).collect();
        let own = asking.iter().position(|(other, _)| other.id() == tab.id());
        let near = |other: &Tab| tab.page().may_share_process(other.page());
        let at = own.or_else(|| asking.iter().position(|(other, _)| near(other)))?;
        Some(asking.swap_remove(at))
    }

    /// Gives a tab another page in place of one that cannot be helped, which is
    /// closed; answers the tab as it is now.
    ///
    /// # Errors
    /// The browser is not there.
    pub async fn replace_page(&self, tab: &Tab) -> Result<Arc<Tab>> {
        let gone = || Error::new(Reason::TabNotFound, format!("there is no tab {}", tab.id()));
        let context = self.context().ok_or_else(gone)?;
        let page = context.new_page().await?;
        let old = tab.page().target_id().clone();
        let moved = tab.with_page(Arc::clone(&page));
        self.replace_tab(&moved).ok_or_else(gone)?;
        self.update_privacy();
        // It goes when its process lets it.
        tokio::spawn(async move {
            if let Err(fault) = context.browser().close_page(&old).await {
                tracing::debug!(%fault, "a page that hung was not closed");
            }
        });
        Ok(moved)
    }

    /// Puts a tab in the place of what it was; none when that was closed.
    pub(super) fn replace_tab(&self, moved: &Arc<Tab>) -> Option<()> {
        let mut tabs = self.lock();
        // Its page may have been made a tab of its own when it appeared.
        let active = tabs.active;
        tabs.all.retain(|other| other.page().target_id() != moved.page().target_id());
        *tabs.all.iter_mut().find(|other| other.id() == moved.id())? = Arc::clone(moved);
        tabs.active = active.filter(|id| tabs.all.iter().any(|tab| tab.id() == *id));
        tabs.active = tabs.active.or(Some(moved.id()));
        Some(())
    }

    /// The context, once the session has been used.
    pub(super) fn context_id(&self) -> Option<BrowserContextId> {
        self.lock_context().get().map(|context| context.id().clone())
    }

    /// The context, once the session has been used.
    pub fn context(&self) -> Option<BrowserContext> {
        self.lock_context().get().cloned()
    }

    pub(super) fn add_tab(&self, tab: Arc<Tab>) {
        let mut tabs = self.lock();
        tabs.active = tabs.active.or(Some(tab.id()));
        tabs.all.push(tab);
    }

    /// Drops the tab of `target` from the list; its neighbour becomes active.
    pub(super) fn remove_tab(&self, target: &TargetId) -> Option<Arc<Tab>> {
        let mut tabs = self.lock();
        let at = tabs.all.iter().position(|tab| tab.page().target_id() == target)?;
        let tab = tabs.all.remove(at);
        let place = *self.display_mode.borrow();
        if matches!(place, DisplayMode::Headed | DisplayMode::WindowClosed) {
            tabs.recently_closed.retain(|(when, _)| when.elapsed() < WINDOW_CLOSE_SPAN);
            tabs.recently_closed.push((Instant::now(), Arc::clone(&tab)));
        }
        if tabs.all.is_empty() {
            // Reported before anybody can open a tab in a window that was closed.
            self.mark_window_closed();
        }
        if tabs.active == Some(tab.id()) {
            let neighbour = tabs.all.get(at.saturating_sub(1)).map(|tab| tab.id());
            tabs.active = neighbour;
        }
        Some(tab)
    }

    /// Ends the context with its tabs, cookies and storage.
    pub(super) async fn close_context(&self) -> Result<()> {
        if self.is_attached() {
            self.detach().await;
            return Ok(());
        }
        *self.lock() = TabList::default();
        self.recording().take();
        match self.context().filter(|context| !context.browser().is_gone()) {
            Some(context) => Ok(context.dispose().await?),
            None => Ok(()),
        }
    }

    pub(super) fn registry(&self) -> Result<Arc<Sessions>> {
        let gone = || Error::new(Reason::ShuttingDown, "the daemon is shutting down");
        self.sessions.upgrade().ok_or_else(gone)
    }

    pub(super) fn lock_context(&self) -> MutexGuard<'_, Arc<OnceCell<BrowserContext>>> {
        self.context.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, TabList> {
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
