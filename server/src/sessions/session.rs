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

use super::{Offers, Sends, SessionName, Sessions, Tab, TabId, revival::Keeping};
use crate::{
    chromium::{self, AnsweredBy, BrowserContextId, Context, Question, TargetId},
    error::{Error, Result},
    policy::{ClientId, Hosts},
    recording::Recording,
};

/// What a session may do.
#[derive(Clone, Debug)]
pub struct SessionRules {
    /// Hosts that its documents and connections may reach.
    pub hosts: Hosts,
}

impl SessionRules {
    /// A session that may go anywhere.
    pub fn open() -> Self {
        Self { hosts: Hosts::Any }
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
    context: Mutex<Arc<OnceCell<Context>>>,
    tabs: Mutex<Tabs>,
    /// Held while the first tab is opened, so that callers who come together
    /// share it.
    pub(super) opening: tokio::sync::Mutex<()>,
    /// Where its browser is.
    pub(super) place: watch::Sender<Place>,
    /// The recording that is under way.
    recording: Mutex<Option<Recording>>,
    sends: Sends,
    offers: Offers,
    /// What it holds, in case its browser ends.
    pub(super) keeping: Keeping,
}

/// Where the browser of a session is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum Place {
    /// Out of sight.
    #[default]
    Hidden,
    /// On the screen.
    Shown,
    /// On the screen, where its last tab was just closed.
    Left,
    /// On the way from one to the other: callers wait.
    Moving,
}

/// Tabs that are closed one after the other within this time go with their
/// window.
pub(super) const TOGETHER: Duration = Duration::from_secs(2);

#[derive(Default)]
pub(super) struct Tabs {
    /// Oldest first.
    pub(super) all: Vec<Arc<Tab>>,
    pub(super) active: Option<TabId>,
    /// Tabs that were just closed while the browser is shown.
    pub(super) departed: Vec<(Instant, Arc<Tab>)>,
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
            opening,
            place,
            recording,
            sends: Sends::default(),
            offers: Offers::default(),
            keeping: Keeping::default(),
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
    pub fn recording(&self) -> MutexGuard<'_, Option<Recording>> {
        self.recording.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// What its pages sent.
    pub fn sends(&self) -> &Sends {
        &self.sends
    }

    /// What was offered in it.
    pub fn offers(&self) -> &Offers {
        &self.offers
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
        self.settled().await;
        if let Some(tab) = self.active() {
            return Ok(tab);
        }
        let _opening = self.opening.lock().await;
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
        let elsewhere = self.sessions.upgrade().is_some_and(|all| all.tab(id).is_some());
        Err(match elsewhere {
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
        let tab = self.open_aside(owner).await?;
        self.lock().active = Some(tab.id());
        Ok(tab)
    }

    /// Opens a blank tab that calls have to name.
    ///
    /// # Errors
    /// The browser is not there.
    pub async fn open_aside(&self, owner: &ClientId) -> Result<Arc<Tab>> {
        self.settled().await;
        let sessions = self.all()?;
        let page = self.blank_page().await?;
        let tab = sessions.tab_of(page.target_id());
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
        self.settled().await;
        let tab = self.tab(id)?;
        tab.dismiss_question(AnsweredBy::Closing);
        self.forget(tab.page().target_id());
        if let Some(context) = self.context() {
            match context.browser().close_page(tab.page().target_id()).await {
                // It went by itself meanwhile, or with its browser: closed is closed.
                Ok(()) | Err(chromium::Error::TabClosed | chromium::Error::BrowserGone { .. }) => {}
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
    pub fn question_near(&self, tab: &Tab) -> Option<(Arc<Tab>, Question)> {
        let asks = |tab: &Arc<Tab>| tab.page().question().map(|asked| (Arc::clone(tab), asked));
        let mut asking: Vec<_> = self.tabs().iter().filter_map(asks).collect();
        let own = asking.iter().position(|(other, _)| other.id() == tab.id());
        let near = |other: &Tab| tab.page().may_share(other.page());
        let at = own.or_else(|| asking.iter().position(|(other, _)| near(other)))?;
        Some(asking.swap_remove(at))
    }

    /// Gives a tab another page in place of one that cannot be helped, which is
    /// closed; answers the tab as it is now.
    ///
    /// # Errors
    /// The browser is not there.
    pub async fn replace(&self, tab: &Tab) -> Result<Arc<Tab>> {
        let gone = || Error::new(Reason::TabNotFound, format!("there is no tab {}", tab.id()));
        let context = self.context().ok_or_else(gone)?;
        let page = context.new_page().await?;
        let old = tab.page().target_id().clone();
        let moved = tab.moved_to(Arc::clone(&page));
        self.put_in_place(&moved).ok_or_else(gone)?;
        // It goes when its process lets it.
        tokio::spawn(async move {
            if let Err(fault) = context.browser().close_page(&old).await {
                tracing::debug!(%fault, "a page that hung was not closed");
            }
        });
        Ok(moved)
    }

    /// Puts a tab in the place of what it was; none when that was closed.
    pub(super) fn put_in_place(&self, moved: &Arc<Tab>) -> Option<()> {
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
    pub(crate) fn context(&self) -> Option<Context> {
        self.lock_context().get().cloned()
    }

    pub(super) fn add(&self, tab: Arc<Tab>) {
        let mut tabs = self.lock();
        tabs.active = tabs.active.or(Some(tab.id()));
        tabs.all.push(tab);
    }

    /// Drops the tab of `target` from the list; its neighbour becomes active.
    pub(super) fn forget(&self, target: &TargetId) -> Option<Arc<Tab>> {
        let mut tabs = self.lock();
        let at = tabs.all.iter().position(|tab| tab.page().target_id() == target)?;
        let tab = tabs.all.remove(at);
        let place = *self.place.borrow();
        if matches!(place, Place::Shown | Place::Left) {
            tabs.departed.retain(|(when, _)| when.elapsed() < TOGETHER);
            tabs.departed.push((Instant::now(), Arc::clone(&tab)));
        }
        if tabs.all.is_empty() {
            // Said before anybody can open a tab in a window that was closed.
            self.leave();
        }
        if tabs.active == Some(tab.id()) {
            let neighbour = tabs.all.get(at.saturating_sub(1)).map(|tab| tab.id());
            tabs.active = neighbour;
        }
        Some(tab)
    }

    /// Ends the context with its tabs, cookies and storage.
    pub(super) async fn end(&self) -> Result<()> {
        *self.lock() = Tabs::default();
        self.recording().take();
        match self.context().filter(|context| !context.browser().is_gone()) {
            Some(context) => Ok(context.dispose().await?),
            None => Ok(()),
        }
    }

    pub(super) fn all(&self) -> Result<Arc<Sessions>> {
        let gone = || Error::new(Reason::ShuttingDown, "the daemon is shutting down");
        self.sessions.upgrade().ok_or_else(gone)
    }

    pub(super) fn lock_context(&self) -> MutexGuard<'_, Arc<OnceCell<Context>>> {
        self.context.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn lock(&self) -> MutexGuard<'_, Tabs> {
        self.tabs.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
