//! Browsers that a person sees. A session moves to a window of its own, with
//! its cookies, storage and tabs, and back.
//!
//! The headless browser keeps the session's context meanwhile, without tabs:
//! what does not travel (caches) is there again afterwards.

mod change;
mod display;
mod lifecycle;
mod panel;
mod restore;
mod session_migration;
mod watch;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

pub use change::{TabChangeKind, WindowTabChange, compare_tabs};
pub use display::{DisplayEnvironment, find_display as find_screen};
pub use lifecycle::{CloseInitiator, WindowCloseResult};
use panel::Panel;
pub use restore::MigrationNotice;
use session_migration::SessionMigration;

use crate::{dashboard::PanelAccess, idle_timer::IdleTimer, notices::RootNotices};
use browse_base::Result;
use browse_chromium::BrowserContext;
use browse_sessions::{Session, TabId};

/// The windows of a daemon, by session.
pub struct Windows {
    windows: Mutex<HashMap<String, Arc<SessionWindow>>>,
    /// What became of tabs whose window was closed by the person that they
    /// were handed to, until somebody asks.
    finished_handoffs: Mutex<HashMap<String, Vec<WindowTabChange>>>,
    /// Held while a window is opened or closed.
    transition_lock: tokio::sync::Mutex<()>,
    idle_timer: Arc<IdleTimer>,
    notices: Arc<RootNotices>,
}

/// A session in a window.
pub struct SessionWindow {
    session: Arc<Session>,
    headed_context: BrowserContext,
    /// Its context in the headless browser.
    headless_context: Option<BrowserContext>,
    opened_at: SystemTime,
    purpose: Mutex<WindowPurpose>,
    /// The session as it was a moment ago.
    last_state: Mutex<SessionMigration>,
    /// Its side panel, once it has one.
    panel: tokio::sync::Mutex<Option<Panel>>,
    /// Whether the session is back in the headless browser.
    closed: tokio::sync::Mutex<bool>,
}

/// Why a window is there.
#[derive(Clone, Debug, Default)]
pub struct WindowPurpose {
    /// It is there until it is disconnected.
    pub connected: bool,
    /// A person was asked to do something.
    pub handoff: Option<Handoff>,
}

/// What a person was asked for.
#[derive(Clone, Debug)]
pub struct Handoff {
    /// What it was, in words.
    pub reason: String,
    /// Tabs, and where they were then.
    pub tabs_before: Vec<(TabId, String)>,
    /// Whether the person has done it: agents act again, in the window as long as it is there.
    pub is_done: bool,
}

impl Windows {
    /// No window. What happens in one counts as use, and is reported.
    pub fn new(idle_timer: Arc<IdleTimer>, notices: Arc<RootNotices>) -> Self {
        Self {
            windows: Mutex::default(),
            finished_handoffs: Mutex::default(),
            transition_lock: tokio::sync::Mutex::default(),
            idle_timer,
            notices,
        }
    }

    /// The window of the session `name`.
    pub fn get(&self, name: &str) -> Option<Arc<SessionWindow>> {
        self.lock().get(name).cloned()
    }

    /// All windows.
    pub fn all(&self) -> Vec<Arc<SessionWindow>> {
        self.lock().values().cloned().collect()
    }

    /// What became of the tabs of a session whose window a person closed.
    pub fn take_finished(&self, name: &str) -> Option<Vec<WindowTabChange>> {
        self.lock_finished_handoffs().remove(name)
    }

    fn lock_finished_handoffs(&self) -> MutexGuard<'_, HashMap<String, Vec<WindowTabChange>>> {
        self.finished_handoffs.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<SessionWindow>>> {
        self.windows.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl SessionWindow {
    /// The session that it shows.
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Its browser and the context there.
    pub fn context(&self) -> &BrowserContext {
        &self.headed_context
    }

    /// When it was opened.
    pub fn opened_at(&self) -> SystemTime {
        self.opened_at
    }

    /// Why it is there.
    pub fn purpose(&self) -> MutexGuard<'_, WindowPurpose> {
        self.purpose.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Whether a person was asked for something and has not done it yet.
    pub fn is_handed_off(&self) -> bool {
        self.purpose().handoff.as_ref().is_some_and(|handoff| !handoff.is_done)
    }

    /// Notes that the person has done what they were asked for; answers whether they were.
    pub fn finish_handoff(&self) -> bool {
        let was_handed_off = match &mut self.purpose().handoff {
            Some(handoff) => !std::mem::replace(&mut handoff.is_done, true),
            None => false,
        };
        self.session.control().notify();
        was_handed_off
    }

    /// Tabs, and where they are.
    pub fn tab_urls(&self) -> Vec<(TabId, String)> {
        let tabs = self.session.tabs();
        tabs.iter().map(|tab| (tab.id(), tab.page().intended_url())).collect()
    }

    /// Shows the active tab in front.
    pub async fn raise(&self) {
        if let Some(tab) = self.session.active() {
            // A tab that is just closing cannot come.
            let _ = tab.page().bring_to_front().await;
        }
    }

    /// Opens the side panel, unless it has one. `access` is asked for when it has none.
    ///
    /// # Errors
    /// The panel is not allowed, or the browser opens none. The window works without it.
    pub async fn show_panel(
        &self,
        access: impl Future<Output = Result<PanelAccess>>,
    ) -> Result<()> {
        let mut panel = self.panel.lock().await;
        if panel.is_none() {
            let access = access.await?;
            *panel = Some(Panel::open(self.headed_context.browser(), access).await?);
        }
        Ok(())
    }

    /// Whether it has a side panel.
    pub async fn has_panel(&self) -> bool {
        self.panel.lock().await.is_some()
    }

    /// Ends the side panel, and what it may do.
    async fn end_panel(&self) {
        drop(self.panel.lock().await.take());
    }

    fn lock_last_state(&self) -> MutexGuard<'_, SessionMigration> {
        self.last_state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
