//! Who did what: a ring of calls, and a feed for those who follow.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
    time::{Duration, SystemTime},
};

use browse_proto::{Command, Reason, Scope, v1};
use tokio::sync::broadcast;

use super::{CallCounters, request_target};
use browse_policy::{ClientId, layer::RefusedCall};

/// Calls that are remembered.
const MAX_ENTRIES: usize = 2_000;

/// Calls that a follower may lag behind.
const MAX_FOLLOWER_LAG: usize = 256;

/// The calls of a daemon.
pub struct ActivityLog {
    ring: Mutex<VecDeque<v1::ActivityEntry>>,
    feed: broadcast::Sender<v1::ActivityEntry>,
    counters: CallCounters,
}

/// A call that has begun.
pub struct PendingActivity {
    client: ClientId,
    command: &'static Command,
    target: String,
    element: String,
    tab: Option<u64>,
    session: String,
    raw: bool,
    trace_id: String,
}

impl Default for ActivityLog {
    fn default() -> Self {
        Self {
            ring: Mutex::default(),
            feed: broadcast::Sender::new(MAX_FOLLOWER_LAG),
            counters: CallCounters::default(),
        }
    }
}

/// Commands that a dashboard calls all the time, and that say what a person does in a page or a
/// terminal.
const UNLISTED: [&str; 3] = ["control input", "terminal write", "view update"];

/// Who calls what, as far as the call says.
pub struct CallFacts<'a> {
    /// The caller.
    pub client: &'a ClientId,
    /// The command.
    pub command: &'static Command,
    /// The tab that the call names.
    pub tab: Option<u64>,
    /// The session that the call names.
    pub session: Option<&'a str>,
    /// Whether the caller asks for page content without the guard.
    pub raw: bool,
    /// The trace that the call is part of.
    pub trace_id: Option<&'a str>,
}

/// What a client of the DevTools protocol did.
pub struct ClientActivity {
    /// The client.
    pub client: String,
    /// The session that it drives.
    pub session: String,
    /// What it did, or the method that was refused, and why.
    pub target: String,
    /// Why it was refused.
    pub refused: Option<Reason>,
}

impl PendingActivity {
    /// Bytes of the largest request in which a target is looked for.
    pub const MAX_REQUEST_BYTES: usize = request_target::MAX_REQUEST_BYTES;

    /// Notes who calls what. Typed text, values and queries are left out. `request` is
    /// protobuf; of a request above [`Self::MAX_REQUEST_BYTES`] it is empty.
    pub fn begin(call: CallFacts<'_>, request: &[u8]) -> Self {
        Self {
            client: call.client.clone(),
            command: call.command,
            target: request_target::target_of_request(call.command, request),
            element: String::new(),
            tab: call.tab,
            session: call.session.unwrap_or_default().to_owned(),
            raw: call.raw,
            trace_id: call.trace_id.unwrap_or_default().to_owned(),
        }
    }

    /// Notes the tab that the call came to act on. `label_of` answers what the element
    /// of a target is called, where the target is a ref.
    pub fn set_tab(
        &mut self,
        tab: u64,
        session: &str,
        label_of: impl FnOnce(&str) -> Option<String>,
    ) {
        self.tab = Some(tab);
        self.session = session.to_owned();
        self.element = request_target::element_label(label_of(&self.target));
    }
}

impl PendingActivity {
    /// Whether a dashboard or a side panel looked at something, as it does every few seconds:
    /// that would push out what agents did.
    fn is_look_of_dashboard(&self) -> bool {
        let is_look = match self.command.scope {
            Scope::Read | Scope::Meta | Scope::Any => !self.command.has_side_effects,
            // Without an id it lists what waits.
            _ => self.command.name == "approve" && self.target.is_empty(),
        };
        let people = ["dashboard:", "panel:"];
        is_look && people.iter().any(|kind| self.client.as_str().starts_with(kind))
    }
}

impl ActivityLog {
    /// Notes how a call ended.
    pub fn record_ended(&self, entry: PendingActivity, took: Duration, failed: Option<Reason>) {
        self.counters.count(entry.command.name, failed.map_or("ok", Reason::name), took);
        if failed == Some(Reason::RateLimited) && entry.client == ClientId::anonymous()
            || UNLISTED.contains(&entry.command.name)
            || entry.is_look_of_dashboard()
        {
            return;
        }
        self.add(v1::ActivityEntry {
            time: timestamp_now(),
            client: entry.client.to_string(),
            command: entry.command.name.to_owned(),
            target: entry.target,
            element: entry.element,
            duration_ms: (took.as_secs_f64() * 10_000.0).round() / 10.0,
            outcome: failed.map_or("ok", Reason::name).to_owned(),
            tab: entry.tab,
            session: entry.session,
            raw: entry.raw,
            trace_id: entry.trace_id,
        });
    }

    /// How often each command was called, and how that ended.
    pub fn counters(&self) -> &CallCounters {
        &self.counters
    }

    /// Notes a call that was refused before it ran.
    pub fn record_refused(&self, refusal: &RefusedCall) {
        // Floods of anonymous callers would push out what is worth keeping.
        if refusal.client.is_none() && refusal.reason == Reason::RateLimited {
            return;
        }
        let command = Command::by_path(&refusal.path).map_or("unknown", |command| command.name);
        let client = refusal.client.as_ref().map_or("unknown".to_owned(), ClientId::to_string);
        self.add(v1::ActivityEntry {
            time: timestamp_now(),
            client,
            command: command.to_owned(),
            outcome: refusal.reason.name().to_owned(),
            ..v1::ActivityEntry::default()
        });
    }

    /// Notes what a client of the DevTools protocol did. It reads without the guard.
    pub fn record_client(&self, activity: ClientActivity) {
        self.add(v1::ActivityEntry {
            time: timestamp_now(),
            client: activity.client,
            command: "cdp-url".to_owned(),
            target: activity.target,
            outcome: activity.refused.map_or("ok", Reason::name).to_owned(),
            session: activity.session,
            raw: true,
            ..v1::ActivityEntry::default()
        });
    }

    /// The last call that acted on a tab by one of the commands that `acts` names.
    pub fn last_of_tab(&self, tab: u64, acts: impl Fn(&str) -> bool) -> Option<v1::ActivityEntry> {
        let ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        let is_it = |entry: &&v1::ActivityEntry| entry.tab == Some(tab) && acts(&entry.command);
        ring.iter().rev().find(is_it).cloned()
    }

    /// The calls so far, oldest first, and those to come.
    pub fn subscribe(&self) -> (Vec<v1::ActivityEntry>, broadcast::Receiver<v1::ActivityEntry>) {
        let ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        (ring.iter().cloned().collect(), self.feed.subscribe())
    }

    fn add(&self, entry: v1::ActivityEntry) {
        let mut ring = self.ring.lock().unwrap_or_else(PoisonError::into_inner);
        ring.push_back(entry.clone());
        if ring.len() > MAX_ENTRIES {
            ring.pop_front();
        }
        // Nobody follows: that is fine.
        let _ = self.feed.send(entry);
    }
}

fn timestamp_now() -> String {
    humantime::format_rfc3339_millis(SystemTime::now()).to_string()
}
