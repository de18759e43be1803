//! The session, the tab and the page of a call.

use std::sync::Arc;

use browse_proto::{Command, Reason};

use super::CallContext;
use crate::kept_sessions::KeptState;
use browse_base::{Error, HINT_KEY, Result};
use browse_chromium::{Browser, Page, TargetId, browser_gone};
use browse_engine::Engine;
use browse_fleet::opens_on_demand;
use browse_policy::{ClientKind, Listener, SessionRule, TabPolicy};
use browse_sessions::{Attachment, Session, SessionName, SessionRules, SharedGuard, Tab, TabId};

impl CallContext {
    /// The session that the caller named, which need not exist.
    pub fn requested_session(&self) -> Option<&str> {
        self.metadata.session.as_deref()
    }

    /// The name of the session of the call: that of its tab, else the one that the
    /// token is bound to, else the one that the caller named.
    pub(crate) fn session_name(&self) -> String {
        if let Some(tab) = self.tab.get() {
            return tab.session().to_owned();
        }
        match (&self.capability().session, self.requested_session()) {
            (SessionRule::Only(own), _) => own.clone(),
            (SessionRule::Any, Some(named)) => named.to_owned(),
            (SessionRule::Any, None) => SessionName::default_session().to_string(),
        }
    }

    /// The session of the call. One that does not exist yet is opened for callers
    /// that may open sessions, which the answer notes; in a fleet, for commands that open theirs.
    ///
    /// # Errors
    /// `SESSION_NOT_FOUND`, for one that is kept and not open, too; `SESSION_DENIED` when the
    /// token is bound to another.
    pub fn session(&self) -> Result<Arc<Session>> {
        if let (SessionRule::Only(own), Some(asked)) =
            (&self.capability().session, self.requested_session())
            && own != asked
        {
            let message = format!("the token is not good for the session `{asked}`");
            return Err(Error::new(Reason::SessionDenied, message));
        }
        let name = self.session_name();
        // What is kept of it would be out of reach behind another session of its name.
        if self.daemon.kept_sessions().state_of(&name) == Some(KeptState::Closed) {
            let message = format!("the session `{name}` is kept, and not open");
            let hint = format!("Run `browse session new {name} --keep`");
            let error = Error::new(Reason::SessionNotFound, message).with("session", &name);
            return Err(error.with(HINT_KEY, hint));
        }
        if let Some(session) = self.daemon.sessions().get(&name) {
            self.check_attached(&session)?;
            return Ok(session);
        }
        let opens = match self.is_of_fleet() {
            // The gateway has given the session its place.
            true => opens_on_demand(self.command()),
            false => Command::by_name("session new")
                .is_some_and(|command| self.permit.for_command(command).is_ok()),
        };
        if !opens {
            return self.daemon.sessions().require(&name);
        }
        let (sessions, rules) = (self.daemon.sessions(), self.session_rules());
        let session = sessions.get_or_open_restricted(&name.parse()?, self.client(), &rules);
        self.add_notice(&format!("opened the session `{name}`"));
        Ok(session)
    }

    /// What a session is held to that the call opens: for a skill that calls a pod, its hosts.
    pub(crate) fn session_rules(&self) -> SessionRules {
        match self.capability().kind {
            ClientKind::Skill => SessionRules { hosts: self.capability().hosts.clone() },
            _ => SessionRules::unrestricted(),
        }
    }

    /// Keeps callers out of the browser of a person that are confined: there are no borders
    /// between its sites.
    fn check_attached(&self, session: &Session) -> Result<()> {
        let capability = self.capability();
        let is_local =
            matches!(capability.kind, ClientKind::Root | ClientKind::Agent | ClientKind::Dashboard);
        if !session.is_attached() || is_local && capability.hosts.is_any() {
            return Ok(());
        }
        let message = format!("`{}` may not act in the browser of a person", capability.client);
        Err(Error::new(Reason::ForeignBrowser, message))
    }

    /// The remote, a fleet, whose browser the skill drives that the call runs; none for that of
    /// this daemon.
    ///
    /// # Errors
    /// `SCOPE_DENIED`: the sign-in of a fleet is its owner's.
    pub fn fleet_remote(&self) -> Result<Option<&str>> {
        let remote = self.metadata.remote.as_deref();
        if remote.is_none() || self.is_root() && self.listener() == Listener::Local {
            return Ok(remote);
        }
        let message = format!("`{}` may not use the sign-in of a fleet", self.client());
        let hint = "Ask the owner to run it: `browse --remote <name> skill run`";
        Err(Error::new(Reason::ScopeDenied, message).with(HINT_KEY, hint))
    }

    /// The browser of browse's own, for what acts on the whole of it.
    ///
    /// # Errors
    /// `FOREIGN_BROWSER` in a session that is in another; it does not run.
    pub async fn own_browser(&self) -> Result<Arc<Browser>> {
        self.ensure_own_browser()?;
        self.daemon.sessions().browser_handle().browser().await
    }

    /// Refuses what needs a browser of browse's own.
    ///
    /// # Errors
    /// `FOREIGN_BROWSER`.
    pub fn ensure_own_browser(&self) -> Result<()> {
        let session = self.session()?;
        if !session.is_attached() {
            return Ok(());
        }
        let message = format!("the session `{}` is in a browser of a person", session.name());
        Err(Error::new(Reason::ForeignBrowser, message))
    }

    /// The browser in which the session is.
    ///
    /// # Errors
    /// It does not run.
    pub async fn browser(&self) -> Result<Arc<Browser>> {
        let session = self.session()?;
        session.wait_until_settled().await;
        session.ensure_attached().await?;
        if let Attachment::Browser { browser, .. } = session.attachment() {
            return Ok(browser);
        }
        match session.context() {
            Some(context) if !context.browser().is_gone() => Ok(Arc::clone(context.browser())),
            _ => self.daemon.sessions().browser_handle().browser().await,
        }
    }

    /// The session of the call, if there is one by now.
    pub(crate) fn existing_session(&self) -> Option<Arc<Session>> {
        self.daemon.sessions().get(&self.session_name())
    }

    /// Has the session of the call kept soon: it may have changed what it holds.
    pub(crate) fn schedule_state_save(&self) {
        if self.command().service == "BrowserService"
            && let Some(session) = self.existing_session()
        {
            session.schedule_snapshot();
        }
    }

    /// The tab that the caller named.
    pub fn requested_tab(&self) -> Option<TabId> {
        self.metadata.tab
    }

    /// The tab of the call.
    ///
    /// # Panics
    /// For commands of the groups tabs, batch, daemon and skill, which have
    /// none.
    pub fn tab(&self) -> &Arc<Tab> {
        self.tab.get().expect("commands that act on a page have a tab")
    }

    /// The page of the tab.
    pub fn page(&self) -> &Arc<Page> {
        self.tab().page()
    }

    /// The engine of the tab.
    pub fn engine(&self) -> &Engine {
        self.tab().engine()
    }

    /// Checks that the caller may touch `tab`.
    ///
    /// # Errors
    /// `TAB_DENIED`.
    pub fn check_tab(&self, tab: &Tab) -> Result<()> {
        let own = tab.owner() == *self.client();
        if self.capability().tabs == TabPolicy::Session || own {
            return Ok(());
        }
        let message = format!("tab {} belongs to `{}`", tab.id(), tab.owner());
        Err(Error::new(Reason::TabDenied, message).with("tab", tab.id()))
    }

    /// Whether the caller is a guest in `session`: what it opens there does not
    /// become the tab that the owner's commands go to.
    pub fn is_guest_in(&self, session: &Session) -> bool {
        self.capability().tabs == TabPolicy::Own && session.owner() != self.client()
    }

    /// The id of the tab that shows `target`, for receipts.
    pub fn tab_id_of_target(&self, target: &TargetId) -> Option<TabId> {
        self.daemon.sessions().tab_by_target(target).map(|tab| tab.id())
    }

    /// Notes that the call, or the one that it is a step of, works with `page`.
    pub(crate) fn set_first_page(&self, page: &Arc<Page>) {
        let _ = self.first_page.get_or_init(|| Arc::clone(page));
    }

    /// The error of a call whose browser has ended.
    pub(crate) fn browser_gone_error(&self) -> Option<Error> {
        let is_lost = self.first_page.get().is_some_and(|page| page.is_browser_gone());
        is_lost.then(|| browser_gone(&self.daemon.sessions().browser_handle().exit_reason()))
    }

    /// Notes the tab of the call.
    pub(crate) fn set_tab(&self, tab: Arc<Tab>) -> &Arc<Tab> {
        self.tab.get_or_init(|| tab)
    }

    /// Notes that the call leaves the document of `tab`: a question that is open
    /// there is dismissed.
    pub(crate) fn mark_leaving(&self, tab: &Tab) {
        let _ = self.leaving.get_or_init(|| tab.page().begin_leaving());
    }

    /// Waits for a share in the tab, which keeps raw protocol calls out of it
    /// until this call is answered.
    pub(crate) async fn acquire_shared_lock(&self, tab: &Tab) {
        let share = SharedGuard::acquire(self.daemon.sessions().browser_lock(), tab).await;
        let _ = self.shared_guard.set(share);
    }

    /// The tab, of commands that have one.
    pub(crate) fn tab_if_any(&self) -> Option<&Arc<Tab>> {
        self.tab.get()
    }
}
