//! What a client has asked for.

use std::collections::{HashMap, HashSet, VecDeque};

use browse_chromium::{SessionId, TargetId};

use super::{downloads::DownloadBehavior, filter::TargetFilter};

/// Ended sessions that are remembered: a client may still write to one.
const MAX_ENDED_SESSIONS: usize = 2_000;

/// A session of the browser: that of the connection has no id.
pub(super) type BrowserSession = Option<String>;

/// What a client has asked for.
#[derive(Default)]
pub(super) struct ClientState {
    /// Sessions that are answered by us.
    pub own_sessions: HashMap<String, OwnSession>,
    /// What each session of the browser hears of.
    pub watches: HashMap<BrowserSession, Watch>,
    /// Attachments under way, by their tag.
    pub attaches: HashMap<u64, BrowserSession>,
    pub last_tag: u64,
    /// Sessions of targets that were attached to by a session of the browser or a tab.
    pub parents: HashMap<SessionId, ParentSession>,
    /// Windows that were asked for, by their number, and their tabs.
    pub windows: Vec<TargetId>,
    /// Where downloads are copied, by context.
    pub downloads: HashMap<String, DownloadBehavior>,
    ended_sessions: VecDeque<String>,
}

/// Who attached a session.
pub(super) struct ParentSession {
    pub session: BrowserSession,
    pub target: TargetId,
}

/// A session that is answered by us.
#[derive(Clone)]
pub(super) enum OwnSession {
    /// Of the browser.
    Browser,
    /// Of a tab, whose page is a target below it.
    Tab {
        /// Its page.
        page: TargetId,
        /// Who attached it.
        parent: BrowserSession,
    },
}

/// What a session of the browser hears of.
#[derive(Default)]
pub(super) struct Watch {
    pub discovers: Option<TargetFilter>,
    pub attaches: Option<AutoAttach>,
    /// Targets that were reported as created.
    pub announced: HashSet<String>,
    /// Targets that were attached to by themselves.
    pub attached: HashSet<String>,
}

/// Attaching to targets by themselves.
#[derive(Clone)]
pub(super) struct AutoAttach {
    pub filter: TargetFilter,
    /// Whether new targets wait.
    pub waits: bool,
}

impl ClientState {
    /// A tag for an attachment that `parent` asks for.
    pub(super) fn tag(&mut self, parent: BrowserSession) -> u64 {
        self.last_tag += 1;
        self.attaches.insert(self.last_tag, parent);
        self.last_tag
    }

    /// Whether a session of the browser has new targets wait.
    pub(super) fn waits(&self) -> bool {
        self.watches.values().any(|watch| watch.attaches.as_ref().is_some_and(|auto| auto.waits))
    }

    /// Remembers that a session ended.
    pub(super) fn note_ended(&mut self, session: &str) {
        self.ended_sessions.push_back(session.to_owned());
        if self.ended_sessions.len() > MAX_ENDED_SESSIONS {
            self.ended_sessions.pop_front();
        }
    }

    /// Whether a session was one of the client.
    pub(super) fn has_ended(&self, session: &str) -> bool {
        self.ended_sessions.iter().any(|ended| ended == session)
    }
}

/// What the id of a tab begins with; the id of its page follows.
const TAB_PREFIX: &str = "TAB-";

/// The id of the tab of a page.
pub(super) fn tab_id(page: &str) -> String {
    format!("{TAB_PREFIX}{page}")
}

/// The page that an id means, where it is that of a tab.
pub(super) fn page_of_tab(id: &str) -> Option<&str> {
    id.strip_prefix(TAB_PREFIX)
}
