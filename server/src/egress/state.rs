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

use super::{Mode, hops::RecentActs, reader::Reader};
use crate::policy::{ClientId, Kind};

/// Readers that are remembered; who has been quiet for longest gives way.
const MOST_READERS: usize = 32;

/// Readers that wait for the worker; a further one is served by its next act.
const QUEUE: usize = 64;

/// What watches over what leaves.
pub struct Egress {
    setting: Option<Mode>,
    canaries: Mutex<Canaries>,
    minted: AtomicBool,
    /// Those that called last stand last.
    readers: Mutex<Vec<(ClientId, Arc<Reader>)>>,
    worker: OnceLock<SyncSender<Weak<Reader>>>,
    recent_acts: RecentActs,
    digests: RandomState,
    stopped: AtomicU64,
    warned: AtomicU64,
}

impl Egress {
    /// A guard with the owner's setting.
    pub fn new(setting: Option<Mode>) -> Self {
        Self {
            setting,
            canaries: Mutex::new(Canaries::new(rand::random())),
            minted: AtomicBool::new(false),
            readers: Mutex::default(),
            worker: OnceLock::new(),
            recent_acts: RecentActs::default(),
            digests: RandomState::new(),
            stopped: AtomicU64::new(0),
            warned: AtomicU64::new(0),
        }
    }

    /// What is done about callers of this kind.
    pub fn mode(&self, kind: Kind) -> Mode {
        self.setting.unwrap_or(Mode::usual(kind))
    }

    /// Makes a canary: a token for one answer, which must never be sent. Where
    /// it is seen on its way out, the act is refused, whatever is switched off.
    pub fn canary(&self) -> String {
        let token =
            self.canaries.lock().unwrap_or_else(PoisonError::into_inner).mint(rand::random());
        self.minted.store(true, Ordering::Release);
        token
    }

    /// Whether `text` holds a canary, in any of the encodings that are known.
    pub fn holds_canary(&self, text: &str) -> bool {
        self.minted.load(Ordering::Acquire)
            && self.canaries.lock().unwrap_or_else(PoisonError::into_inner).leak_in(text)
    }

    /// Whether there is a canary that may be sent.
    pub(super) fn has_canaries(&self) -> bool {
        self.minted.load(Ordering::Acquire)
    }

    /// The acts whose documents are checked.
    pub(super) fn recent_acts(&self) -> &RecentActs {
        &self.recent_acts
    }

    /// A hash of what is sent, to tell one approval from another.
    pub(super) fn digest(&self, text: &str) -> u64 {
        self.digests.hash_one(text)
    }

    /// Acts that were refused and acts that were warned of, so far.
    pub fn counts(&self) -> (u64, u64) {
        (self.stopped.load(Ordering::Relaxed), self.warned.load(Ordering::Relaxed))
    }

    pub(super) fn count(&self, mode: Mode) {
        match mode {
            Mode::Block => self.stopped.fetch_add(1, Ordering::Relaxed),
            Mode::Warn => self.warned.fetch_add(1, Ordering::Relaxed),
            Mode::Off => 0,
        };
    }

    /// What `client` has read, in all of its sessions.
    pub(super) fn reader(&self, client: &ClientId) -> Arc<Reader> {
        let mut readers = self.readers.lock().unwrap_or_else(PoisonError::into_inner);
        let known = readers.iter().position(|(known, _)| known == client);
        let entry = match known {
            Some(at) => readers.remove(at),
            None => (client.clone(), Arc::new(Reader::new(rand::random()))),
        };
        if readers.len() >= MOST_READERS {
            readers.remove(0);
        }
        let reader = Arc::clone(&entry.1);
        readers.push(entry);
        reader
    }

    /// Has what `reader` read hashed soon.
    pub(super) fn hurry(&self, reader: &Arc<Reader>) {
        let worker = self.worker.get_or_init(|| {
            let (sender, waiting) = mpsc::sync_channel::<Weak<Reader>>(QUEUE);
            let work = move || {
                while let Ok(reader) = waiting.recv() {
                    if let Some(reader) = reader.upgrade() {
                        drop(reader.settle());
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
