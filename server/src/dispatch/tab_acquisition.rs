//! The way of a call to its page.

use std::{sync::Arc, time::Duration};

use browse_proto::{Reason, Requires, Scope};
use tokio::time::{Instant, timeout};
use url::Url;

use super::{CallContext, dialog};
use browse_base::{Error, HINT_KEY, Result};
use browse_chromium::{LoadState, Navigated, NavigationState};
use browse_engine::retry_across_navigation;
use browse_policy::{ClientKind, TabPolicy};
use browse_sessions::{Session, Tab, TabState};

/// Time that a page gets for a sign of life before it is left.
const RESPONSE_TIMEOUT: Duration = Duration::from_millis(300);

/// Time that a call waits for a page to answer that did not answer the call before.
const HUNG_WAIT: Duration = Duration::from_secs(1);

/// Time that a hung page gets to be freed of its script.
const INTERRUPT_TIMEOUT: Duration = Duration::from_millis(200);

/// Time that a busy page gets to come back before its process is ended: a third of what
/// the call has left, within these.
const BUSY_TIMEOUTS: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(10)];

/// Time in which the browser reports the other tabs of a process that was ended.
const CRASH_REPORT_TIMEOUT: Duration = Duration::from_millis(100);

/// Time that the process of a page that hangs gets to end: half of what the call has
/// left, within these. Where it does not, the history of the tab is lost.
const PROCESS_EXIT_TIMEOUTS: [Duration; 2] = [Duration::from_millis(500), Duration::from_secs(3)];

/// Time that a tab gets to load again after its browser ended.
const RELOAD_TIMEOUT: Duration = Duration::from_secs(10);

/// Time that calls get to end when a person takes their session.
pub const HELD_SINCE_LONG: Duration = Duration::from_secs(5);

/// Commands of BrowserService that say nothing of a page.
const ALLOWED_WHILE_HELD: [&str; 8] =
    ["approve", "ask", "handoff", "inbox", "inbox picture", "resume", "say", "watch stop"];

/// Commands of other services that concern the pages of a session.
const REFUSED_WHILE_HELD: [&str; 1] = ["cdp-url"];

/// Commands that are not for reading, and that an agent looks with while it is paused, or its
/// session handed to a person.
const ALLOWED_WHILE_PAUSED: [&str; 6] =
    ["tabs", "trace list", "trace picture", "trace save", "trace show", "trace step"];

/// Commands that may end a handoff; an agent has no scope for them.
const ENDS_A_HANDOFF: [&str; 2] = ["connect", "disconnect"];

/// Refuses while the person has paused the agents of a session.
///
/// # Errors
/// `HANDED_OFF`.
pub fn ensure_not_paused(session: &Session) -> Result<()> {
    if !session.control().is_paused() {
        return Ok(());
    }
    let message = format!("the person has paused you in the session `{}`", session.name());
    Err(Error::new(Reason::HandedOff, message).with("session", session.name()))
}

impl CallContext {
    /// Resolves the tab of a command that acts on a page, and opens the first
    /// tab of a session. Refuses at once what would queue behind a hung page,
    /// and waits a little for a navigation that has no answer yet.
    ///
    /// # Errors
    /// The session or tab does not exist or belongs to somebody else; the page
    /// hangs, or waits for its server.
    pub(super) async fn acquire_tab(&self) -> Result<()> {
        self.open_kept_session().await?;
        self.open_fleet_session().await?;
        if self.uses_session()
            && let Some(session) = self.existing_session()
        {
            self.use_session(&session);
        }
        self.check_not_held()?;
        self.check_not_paused()?;
        self.check_handed_off()?;
        match self.command().requires {
            Requires::Daemon => Ok(()),
            requires => {
                let tab = self.prepare_tab(requires).await?;
                if matches!(requires, Requires::Page | Requires::Navigation) {
                    self.acquire_shared_lock(tab).await;
                }
                Ok(())
            }
        }
    }

    /// Refuses what reads or acts in a session that a person holds by a dashboard.
    ///
    /// # Errors
    /// `HANDED_OFF`.
    pub(super) fn check_not_held(&self) -> Result<()> {
        if !self.concerns_pages() {
            return Ok(());
        }
        let session = self.daemon().sessions().get(&self.session_name());
        session.map_or(Ok(()), |session| self.check_session_free(&session))
    }

    /// Refuses what is more than looking while the person has paused the agents.
    ///
    /// # Errors
    /// `HANDED_OFF`.
    pub(super) fn check_not_paused(&self) -> Result<()> {
        // The person at a dashboard is not an agent.
        let is_person = self.capability().kind == ClientKind::Dashboard;
        if is_person || !self.concerns_pages() || self.only_looks() {
            return Ok(());
        }
        let session = self.daemon().sessions().get(&self.session_name());
        session.map_or(Ok(()), |session| ensure_not_paused(&session))
    }

    /// Whether an agent may do this while a person works in the window of its session.
    fn only_looks(&self) -> bool {
        let command = self.command();
        let reads = command.scope == Scope::Read
            && !command.has_side_effects
            && command.requires != Requires::Navigation;
        reads || ALLOWED_WHILE_PAUSED.contains(&command.name)
    }

    /// Whether the command reads or acts in pages, so that it waits while a person has them.
    pub(super) fn concerns_pages(&self) -> bool {
        let command = self.command();
        command.service == "BrowserService" && !ALLOWED_WHILE_HELD.contains(&command.name)
            || REFUSED_WHILE_HELD.contains(&command.name)
    }

    /// Refuses what concerns a session that somebody else holds.
    ///
    /// # Errors
    /// `HANDED_OFF`.
    pub fn check_session_free(&self, session: &Session) -> Result<()> {
        let lease = session.control().holder().filter(|lease| lease.client != *self.client());
        let Some(lease) = lease else { return Ok(()) };
        let why = match lease.reason.as_str() {
            "" => String::new(),
            reason => format!(": {}", browse_base::quote(reason)),
        };
        let message =
            format!("a person (`{}`) holds the session `{}`{why}", lease.client, session.name());
        Err(Error::new(Reason::HandedOff, message).with("session", session.name()))
    }

    /// The same for the answer of a call that began before the session was taken, and did not
    /// end in the time that such calls get.
    pub(super) fn check_not_held_since_long(&self) -> Result<()> {
        self.check_not_held().or_else(|error| {
            let session = self.daemon().sessions().get(&self.session_name());
            let lease = session.and_then(|session| session.control().holder());
            let held = lease.and_then(|lease| lease.since.elapsed().ok()).unwrap_or_default();
            if held < HELD_SINCE_LONG {
                return Ok(());
            }
            let next = match self.may_resume() {
                true => "run `browse resume` when the person is done",
                false => "look at the page when the person is done",
            };
            let hint = format!("The call had begun before, and may have had its effect; {next}");
            Err(error.with(HINT_KEY, hint))
        })
    }

    /// Refuses actions while a person has the session.
    fn check_handed_off(&self) -> Result<()> {
        let ends_it = ENDS_A_HANDOFF.contains(&self.command().name);
        if !self.concerns_pages() || self.only_looks() || ends_it {
            return Ok(());
        }
        let Some(session) = self.daemon().sessions().get(&self.session_name()) else {
            return Ok(());
        };
        if let Some(request) = session.control().request() {
            let message = format!(
                "a person was asked to take the session `{}` over ({})",
                session.name(),
                browse_base::quote(&request)
            );
            return Err(Error::new(Reason::HandedOff, message).with("session", session.name()));
        }
        let window = self.daemon().windows().get(session.name());
        if !window.is_some_and(|window| window.is_handed_off()) {
            return Ok(());
        }
        let message = format!("the session `{}` is handed to a person", session.name());
        Err(Error::new(Reason::HandedOff, message).with("session", session.name()))
    }

    /// The same for a handler that knows only by its arguments what it needs.
    ///
    /// # Errors
    /// As [`Context::approach`].
    pub(crate) async fn prepare_tab(&self, requires: Requires) -> Result<&Arc<Tab>> {
        if let Some(error) = self.browser_gone_error() {
            return Err(error);
        }
        self.session()?.ensure_attached().await?;
        let tab = loop {
            match self.find_tab(requires).await {
                Ok(tab) if !tab.page().is_browser_gone() => break tab,
                // Nothing was done with it yet: the next browser has it.
                Ok(_) if self.session()?.is_headless() => {}
                Err(error) if is_browser_gone(&error) && self.session()?.is_headless() => {
                    self.daemon().sessions().browser_handle().browser().await?;
                }
                done => break done?,
            }
        };
        self.set_first_page(tab.page());
        let tab = self.set_tab(tab);
        self.check_no_dashboard(tab)?;
        if (requires == Requires::Page || dialog::needs_page(self.command()))
            && let Some(open) = dialog::blocking_dialog(self, tab).await
        {
            return Err(dialog::blocked_error(self, &open));
        }
        if requires != Requires::Page {
            return Ok(tab);
        }
        if tab.state() == TabState::Hung {
            let half = self.deadline().saturating_duration_since(Instant::now()) / 2;
            tab.wait_until_responsive(half.min(HUNG_WAIT)).await;
        }
        if tab.state() == TabState::Hung {
            let message = format!("tab {} does not answer", tab.id());
            return Err(Error::new(Reason::TabHung, message).with("tab", tab.id()));
        }
        let page = tab.page();
        let is_under_way = |error: &browse_chromium::Error| {
            matches!(error, browse_chromium::Error::NavigationPending { .. })
        };
        let answers = || std::future::ready(page.ensure_answering());
        let limit = self.finite_deadline().map(Instant::into_std);
        retry_across_navigation(limit, || page.commit_count(), is_under_way, answers).await?;
        Ok(tab)
    }

    /// Keeps callers off the page of a dashboard, which a person may have open in a browser that
    /// was connected: it holds a token.
    fn check_no_dashboard(&self, tab: &Tab) -> Result<()> {
        let url = Url::parse(&tab.url());
        if !url.is_ok_and(|url| self.daemon().dashboard().is_at(&url)) {
            return Ok(());
        }
        Err(Error::new(Reason::AddressDenied, "the tab shows the dashboard of this daemon")
            .with(HINT_KEY, "Run `browse newtab`, or `browse closetab` to give the tab back"))
    }

    /// The tab of the call, in a browser that runs, and free for what the call does.
    async fn find_tab(&self, requires: Requires) -> Result<Arc<Tab>> {
        let session = self.session()?;
        self.use_session(&session);
        // An empty tab that nobody asked for would stand in the browser of a person.
        if requires != Requires::Navigation && session.is_attached() && session.tabs().is_empty() {
            let message =
                format!("the session `{}` has no tab in the browser of its person", session.name());
            let hint = "Run `browse goto URL` to open one there, or `browse adopt ADDRESS`";
            return Err(Error::new(Reason::TabNotFound, message).with(HINT_KEY, hint));
        }
        let mut tab = self.resolve_tab().await?;
        if tab.page().is_browser_gone() && session.is_headless() {
            tab = session.reattach(&tab).await?;
        }
        let is_new = tab.mark_used();
        if requires == Requires::Navigation && !is_new {
            self.mark_leaving(&tab);
            if let Some(open) = dialog::blocking_dialog(self, &tab).await {
                return Err(dialog::blocked_error(self, &open));
            }
            return self.recover_hung_tab(tab).await;
        }
        if requires == Requires::Page
            || requires != Requires::Navigation && dialog::needs_page(self.command())
        {
            self.reload_after_restart(&tab).await?;
        }
        Ok(tab)
    }

    /// Loads again what `tab` showed before its browser ended. A document that does
    /// not come to its end is used as it is.
    async fn reload_after_restart(&self, tab: &Tab) -> Result<()> {
        if tab.pending_reload().is_none() {
            return Ok(());
        }
        let _turn = tab.acquire_navigation_lock(self.deadline()).await;
        // Somebody else may have.
        let Some(remains) = tab.pending_reload() else { return Ok(()) };
        if remains.interrupted {
            let when = match self.daemon().fleet_sessions() {
                Some(_) => "its browser ended or its session moved to this pod",
                None => "its browser ended",
            };
            let message = format!("tab {} was not loaded again after {when}", tab.id());
            let error = Error::new(Reason::TabUnloaded, message).with("tab", tab.id());
            return Err(error.with("url", remains.url));
        }
        if let Ok(url) = Url::parse(&remains.url)
            && matches!(url.scheme(), "http" | "https")
        {
            self.check_address(&url)?;
        }
        let went = tab.reload_pending(&remains).await?;
        if let Some(Navigated::Document(loader)) = went {
            let half = self.deadline().saturating_duration_since(Instant::now()) / 2;
            let loaded = tab.page().wait_for(&loader, LoadState::Load);
            if let Ok(loaded) = timeout(half.min(RELOAD_TIMEOUT), loaded).await {
                loaded?;
            }
        }
        Ok(())
    }

    /// Sees to it that a document which is given up does not hold up the next
    /// one, which may share its process: ends its script, else its process, else
    /// gives the tab another page.
    async fn recover_hung_tab(&self, tab: Arc<Tab>) -> Result<Arc<Tab>> {
        let page = tab.page();
        let state = tab.state();
        if state == TabState::Crashed {
            return Ok(tab);
        }
        let stuck = page.is_stuck(RESPONSE_TIMEOUT).await;
        let responds = match state {
            _ if stuck => false,
            TabState::Loading => true,
            TabState::Idle | TabState::Unloaded => page.is_responsive(RESPONSE_TIMEOUT).await,
            _ => false,
        };
        if responds || page.is_closed() || page.interrupt(INTERRUPT_TIMEOUT).await {
            return Ok(tab);
        }
        let awaits = matches!(page.navigation(), NavigationState::AwaitingHeaders { .. });
        if awaits && !stuck {
            return Ok(tab);
        }
        // It may be busy for a moment, and other tabs of its process with it: nothing is
        // lost as long as there is time.
        let third = self.deadline().saturating_duration_since(Instant::now()) / 3;
        let busy_timeout = third.clamp(BUSY_TIMEOUTS[0], BUSY_TIMEOUTS[1]);
        let comes_back = match stuck {
            true => !page.is_stuck(busy_timeout).await,
            false => page.is_responsive(busy_timeout).await,
        };
        if comes_back {
            tab.clear_hung();
            return Ok(tab);
        }
        tracing::info!(tab = tab.id(), "the page cannot be freed");
        let half = self.deadline().saturating_duration_since(Instant::now()) / 2;
        if let Ok(ended) = timeout(
            half.clamp(PROCESS_EXIT_TIMEOUTS[0], PROCESS_EXIT_TIMEOUTS[1]),
            page.end_process(),
        )
        .await
        {
            ended?;
            tab.clear_hung();
            self.report_crashed_tabs(&tab).await?;
            return Ok(tab);
        }
        let session = self.session()?;
        self.add_notice("the page hung beyond help, so the tab has a new one: its history is gone");
        session.replace_page(&tab).await
    }

    /// Names the tabs that shared the process of `tab`, which was ended.
    async fn report_crashed_tabs(&self, tab: &Tab) -> Result<()> {
        for other in self.session()?.tabs() {
            let may_share = other.page().may_share_process(tab.page());
            if may_share && other.page().wait_crashed(CRASH_REPORT_TIMEOUT).await {
                self.add_notice(&format!(
                    "tab {0} shared the process of a page that hung, which was ended: `browse reload --tab {0}`",
                    other.id()
                ));
            }
        }
        Ok(())
    }

    async fn resolve_tab(&self) -> Result<Arc<Tab>> {
        let session = self.session()?;
        // A session that moves to another browser has its tabs in none.
        session.wait_until_settled().await;
        let own = self.capability().tabs == TabPolicy::Own;
        // A window that a page opens does not take the place of the tab.
        let last = || {
            let mut own: Vec<_> = session.tabs();
            own.retain(|tab| tab.owner() == *self.client());
            let opened = own.iter().rfind(|tab| tab.page().opener().is_none()).cloned();
            opened.or_else(|| own.pop())
        };
        let tab = match self.requested_tab() {
            Some(id) => session.tab(id)?,
            // The active tab may be somebody else's.
            None if own => match last() {
                Some(tab) => tab,
                None if self.is_guest_in(&session) => {
                    session.open_background_tab(self.client()).await?
                }
                None => session.open_tab(self.client()).await?,
            },
            None => session.active_or_first(self.client()).await?,
        };
        self.check_tab(&tab)?;
        Ok(tab)
    }
}

fn is_browser_gone(error: &Error) -> bool {
    error.reason() == Reason::BrowserGone
}
