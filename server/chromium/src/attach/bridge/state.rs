//! What is known of the connection: tabs, sessions, and calls without an answer.

use std::collections::{HashMap, HashSet};

use serde_json::Value;
use tokio::sync::oneshot;

#[derive(Default)]
pub(super) struct BridgeState {
    pub(super) last_call: u64,
    pub(super) waiting: HashMap<u64, Waiting>,
    /// The tabs that the daemon may use.
    pub(super) tabs: HashMap<String, OwnTab>,
    /// Tabs that the person had when a tab was given: they are never taken as windows of it.
    pub(super) others: HashSet<String>,
    /// The context of the browser, a profile or a private window, in which all tabs are.
    pub(super) context: Option<String>,
    pub(super) sessions: HashMap<String, SessionUse>,
    /// Targets to which a session that watches documents is being attached, with their tab.
    pub(super) watching: HashMap<String, String>,
    /// Tabs for whose closing nobody is to hear.
    pub(super) leaving: HashSet<String>,
}

/// A tab that the daemon may use.
#[derive(Clone, Copy, Debug)]
pub(super) struct OwnTab {
    pub(super) origin: TabOrigin,
    /// Whether it shows a page of the browser itself, which is not read and not acted on.
    pub(super) is_browser_page: bool,
}

/// How a tab came to be the daemon's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum TabOrigin {
    /// It was opened for it, or by a page of one that was.
    Opened,
    /// A person gave it, or a page of such a tab opened it: it stays when the daemon goes.
    Given,
}

/// What a session is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum SessionUse {
    /// The daemon uses it for a tab of its own.
    Tab(String),
    /// The daemon uses it for a frame or a worker of such a tab.
    Child {
        tab: String,
        /// Whether it is a worker that other tabs of the site have too.
        is_shared: bool,
    },
    /// It stops the documents of a tab or of a frame in it, which the daemon sees as if the
    /// browser stopped them.
    Documents(String),
}

impl SessionUse {
    /// The tab that it belongs to.
    pub(super) fn tab(&self) -> &str {
        match self {
            Self::Tab(tab) | Self::Child { tab, .. } | Self::Documents(tab) => tab,
        }
    }
}

/// Who waits for an answer of the browser.
pub(super) enum Waiting {
    /// The daemon, under this number and on this session.
    Daemon {
        id: Value,
        session: Option<String>,
        /// Whether the answer tells something of the page that the tab shows.
        is_of_page: bool,
    },
    /// A call of our own.
    Own(oneshot::Sender<Result<Value, Value>>),
}
