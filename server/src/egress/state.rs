//! The guard of a daemon: its readers, its canaries, its setting.

use std::{
    hash::{BuildHasher as _, RandomState},
    sync::{
        Arc, Mutex, OnceLock, PoisonError, Weak,
        atomic::{AtomicBool, AtomicU64, Ordering},
        mpsc::{self, SyncSender},
    },
    thread,
};

use browse_guard::egress::Canaries;

use super::{EgressMode, client_taint::ClientTaint, recent_actions::RecentActions};
use browse_policy::{ClientId, ClientKind};

/// Readers that are remembered; who has been quiet for longest gives way.
const MAX_CLIENTS: usize = 32;

/// Readers that wait for the worker; a further one is served by its next act.
const MAX_QUEUED_CLIENTS: usize = 64;

/// What watches over what leaves.
pub struct Egress {
    setting: Option<EgressMode>,
    canaries: Mutex<Canaries>,
    has_minted: AtomicBool,
    /// Those that called last stand last.
    taints: Mutex<Vec<(ClientId, Arc<ClientTaint>)>>,
    worker: OnceLock<SyncSender<Weak<ClientTaint>>>,
    recent_actions: RecentActions,
    hash_state: RandomState,
    blocked_flows: AtomicU64,
    warned_flows: AtomicU64,
}

impl Egress {
    /// A guard with the owner's setting.
    pub fn new(setting: Option<EgressMode>) -> Self {
        Self {
            setting,
            canaries: Mutex::new(Canaries::new(rand::random())),
            has_minted: AtomicBool::new(false),
            taints: Mutex::default(),
            worker: OnceLock::new(),
            recent_actions: RecentActions::default(),
            hash_state: RandomState::new(),
            blocked_flows: AtomicU64::new(0),
            warned_flows: AtomicU64::new(0),
        }
    }

    /// What is done about callers of this kind.
    pub fn mode(&self, kind: ClientKind) -> EgressMode {
        match kind {
            // A person decides what it sends.
            ClientKind::Dashboard => EgressMode::Off,
            _ => self.setting.unwrap_or(EgressMode::default_for(kind)),
        }
    }

    /// Makes a canary: a token for one answer, which must never be sent. Where
    /// it is seen on its way out, the act is refused, whatever is switched off.
    pub fn mint_canary(&self) -> String {
        let token =
            self.canaries.lock().unwrap_or_else(PoisonError::into_inner).mint(rand::random());
        self.has_minted.store(true, Ordering::Release);
        token
    }

    /// Whether `text` holds a canary, in any of the encodings that are known.
    pub fn holds_canary(&self, text: &str) -> bool {
        self.has_minted.load(Ordering::Acquire)
            && self.canaries.lock().unwrap_or_else(PoisonError::into_inner).are_in_text(text)
    }

    /// Whether there is a canary that may be sent.
    pub(crate) fn has_canaries(&self) -> bool {
        self.has_minted.load(Ordering::Acquire)
    }

    /// The acts whose documents are checked.
    pub(crate) fn recent_actions(&self) -> &RecentActions {
        &self.recent_actions
    }

    /// A hash of what is sent, to tell one approval from another.
    pub(crate) fn approval_hash(&self, text: &str) -> u64 {
        self.hash_state.hash_one(text)
    }

    /// Acts that were refused and acts that were warned of, so far.
    pub fn counts(&self) -> (u64, u64) {
        (self.blocked_flows.load(Ordering::Relaxed), self.warned_flows.load(Ordering::Relaxed))
    }

    pub(crate) fn count_outcome(&self, mode: EgressMode) {
        match mode {
            EgressMode::Block | EgressMode::Ask => {
                self.blocked_flows.fetch_add(1, Ordering::Relaxed)
            }
            EgressMode::Warn => self.warned_flows.fetch_add(1, Ordering::Relaxed),
            EgressMode::Off => 0,
        };
    }

    /// What `client` has read, in all of its sessions.
    pub(crate) fn client_taint(&self, client: &ClientId) -> Arc<ClientTaint> {
        let mut readers = self.taints.lock().unwrap_or_else(PoisonError::into_inner);
        let known = readers.iter().position(|(known, _)| known == client);
        let entry = match known {
            Some(at) => readers.remove(at),
            None => (client.clone(), Arc::new(ClientTaint::new(rand::random()))),
        };
        if readers.len() >= MAX_CLIENTS {
            readers.remove(0);
        }
        let reader = Arc::clone(&entry.1);
        readers.push(entry);
        reader
    }

    /// Has what `reader` read hashed soon.
    pub(crate) fn schedule_flush(&self, reader: &Arc<ClientTaint>) {
        let worker = self.worker.get_or_init(|| {
            let (sender, waiting) = mpsc::sync_channel::<Weak<ClientTaint>>(MAX_QUEUED_CLIENTS);
            let work = move || {
                while let Ok(reader) = waiting.recv() {
                    if let Some(reader) = reader.upgrade() {
                        drop(reader.flush());
                    }
                }
            };
            if let Err(error) = thread::Builder::new().name("egress".to_owned()).spawn(work) {
                tracing::warn!(%error, "what is read is hashed when something is sent");
            }
            sender
        });
        // A full queue or no worker: the next act settles it.
        let _ = worker.try_send(Arc::downgrade(reader));
    }
}
