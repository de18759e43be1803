//! Browsers that a person sees. A session moves to a window of its own, with
//! its cookies, storage and tabs, and back.
//!
//! The headless browser keeps the session's context meanwhile, without tabs:
//! what does not travel (caches, databases) is there again afterwards.

mod change;
mod display;
mod inbox;
mod luggage;
mod open;
mod panel;
mod unpack;
mod watch;

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

pub use change::{Change, Changed};
pub use display::{Screen, find as find_screen};
pub use inbox::{Inbox, Letter};
use luggage::Luggage;
pub use open::{Closing, Returned};
use panel::Panel;
pub use unpack::Note;

use crate::{
    chromium::Context,
    daemon::Daemon,
    sessions::{Session, TabId},
};

/// The windows of a daemon, by session.
#[derive(Default)]
pub struct Windows {
    all: Mutex<HashMap<String, Arc<Window>>>,
    /// What became of tabs whose window was closed by the person that they
    /// were handed to, until somebody asks.
    finished: Mutex<HashMap<String, Vec<Change>>>,
    /// What people wrote in side panels.
    inbox: Inbox,
    /// Held while a window is opened or closed.
    turn: tokio::sync::Mutex<()>,
}

/// A session in a window.
pub struct Window {
    session: Arc<Session>,
    shown: Context,
    /// Its context in the headless browser.
    home: Option<Context>,
    since: SystemTime,
    terms: Mutex<Terms>,
    /// The session as it was a moment ago.
    last: Mutex<Luggage>,
    /// Its side panel, once it has one.
    panel: tokio::sync::Mutex<Option<Panel>>,
    /// Whether the session is back in the headless browser.
    closed: tokio::sync::Mutex<bool>,
}

/// Why a window is there.
#[derive(Clone, Debug, Default)]
pub struct Terms {
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
    pub before: Vec<(TabId, String)>,
}

impl Windows {
    /// The window of the session `name`.
    pub fn get(&self, name: &str) -> Option<Arc<Window>> {
        self.lock().get(name).cloned()
    }

    /// All windows.
    pub fn all(&self) -> Vec<Arc<Window>> {
        self.lock().values().cloned().collect()
    }

    /// What became of the tabs of a session whose window a person closed.
    pub fn take_finished(&self, name: &str) -> Option<Vec<Change>> {
        self.finished().remove(name)
    }

    /// What people wrote to the agent.
    pub fn inbox(&self) -> &Inbox {
        &self.inbox
    }

    fn finished(&self) -> MutexGuard<'_, HashMap<String, Vec<Change>>> {
        self.finished.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<String, Arc<Window>>> {
        self.all.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Window {
    /// The session that it shows.
    pub fn session(&self) -> &Arc<Session> {
        &self.session
    }

    /// Its browser and the context there.
    pub fn context(&self) -> &Context {
        &self.shown
    }

    /// When it was opened.
    pub fn since(&self) -> SystemTime {
        self.since
    }

    /// Why it is there.
    pub fn terms(&self) -> MutexGuard<'_, Terms> {
        self.terms.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Tabs, and where they are.
    pub fn addresses(&self) -> Vec<(TabId, String)> {
        let tabs = self.session.tabs();
        tabs.iter().map(|tab| (tab.id(), tab.page().address())).collect()
    }

    /// Shows the active tab in front.
    pub async fn raise(&self) {
        if let Some(tab) = self.session.active() {
            // A tab that is just closing cannot come.
            let _ = tab.page().bring_to_front().await;
        }
    }

    /// Opens the side panel, unless it has one.
    ///
    /// # Errors
    /// The browser opens none; the window is as good without.
    pub async fn show_panel(&self, daemon: &Daemon) -> crate::chromium::Result<()> {
        let mut panel = self.panel.lock().await;
        if panel.is_none() {
            let browser = self.shown.browser();
            *panel = Some(Panel::open(browser, self.session.name(), daemon.activity()).await?);
        }
        Ok(())
    }

    fn last(&self) -> MutexGuard<'_, Luggage> {
        self.last.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
