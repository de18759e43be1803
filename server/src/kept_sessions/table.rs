//! Which sessions the project keeps, and which of them are open.

use std::{
    collections::BTreeMap,
    path::PathBuf,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::SystemTime,
};

use browse_proto::Reason;
use tokio::time::Instant;

use super::session_lock::{self, KeptSessionLock};
use crate::{
    keychain::Keychain,
    notices::RootNotices,
    session_state::{Keyring, StateKey, StateName, StateStore},
};
use browse_base::{Error, Result};
use browse_sessions::Sessions;

/// The sessions that the project keeps.
pub struct KeptSessions {
    pub(super) parts: KeptSessionsParts,
    entries: Mutex<BTreeMap<String, KeptEntry>>,
    /// Held while one is opened, saved or closed, except by the end of the daemon.
    pub(super) turn: tokio::sync::Mutex<()>,
    /// Held after `turn` while one is saved or closed.
    pub(super) saving: tokio::sync::Mutex<()>,
}

/// What they are made of.
pub struct KeptSessionsParts {
    /// The home of browse.
    pub home: PathBuf,
    /// Folder of the project.
    pub project: String,
    /// The keychain, unless it is switched off.
    pub keychain: Option<Arc<Keychain>>,
    /// The sessions of the daemon.
    pub sessions: Arc<Sessions>,
    /// Where the local user is warned.
    pub notices: Arc<RootNotices>,
    /// A session that is in a browser of a person, and is therefore not opened from disk.
    pub attached: Option<String>,
}

/// How it stands with a kept session.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeptState {
    /// It is open.
    Open,
    /// It is not: a command that names it opens it.
    Closed,
}

/// A kept session, for a list.
#[derive(Clone, Debug)]
pub struct KeptListing {
    /// Its name.
    pub name: String,
    /// How it stands with it.
    pub state: KeptState,
    /// When it was saved.
    pub saved_at: Option<SystemTime>,
}

/// A session that is kept.
struct KeptEntry {
    name: StateName,
    saved_at: Option<SystemTime>,
    open: Option<OpenKeptSession>,
}

/// What is needed of a kept session while it is open.
pub(super) struct OpenKeptSession {
    pub lock: KeptSessionLock,
    pub key: Arc<StateKey>,
    pub progress: SaveProgress,
}

/// How far a session is saved.
#[derive(Clone, Copy, Default)]
pub(super) struct SaveProgress {
    /// The version of the snapshot that was saved.
    pub version: Option<u64>,
    /// The hash of what was saved.
    pub hash: Option<[u8; 32]>,
    /// When it was written, or this was tried, because something had changed.
    pub last_timed: Option<Instant>,
    /// Whether the local user knows that it is not saved.
    pub is_failure_reported: bool,
}

/// The folders that a kept session is in: its own, and that of the key.
pub(super) struct KeptStores {
    pub states: StateStore,
    pub sessions: StateStore,
}

impl KeptSessions {
    /// Those that the project keeps; none is open.
    pub fn new(parts: KeptSessionsParts) -> Self {
        let folder = StateStore::sessions_folder(&parts.home);
        let names = session_lock::sessions_of(&folder, &parts.project).into_iter();
        let names = names.filter(|name| parts.attached.as_deref() != Some(name.as_str()));
        let entry = |name: StateName| {
            let saved_at = StateStore::saved_at_in(&folder, &name);
            (name.to_string(), KeptEntry { name, saved_at, open: None })
        };
        let entries = Mutex::new(names.map(entry).collect());
        let (turn, saving) = (tokio::sync::Mutex::default(), tokio::sync::Mutex::default());
        Self { parts, entries, turn, saving }
    }

    /// How it stands with the session `name`; none when the project does not keep it.
    pub fn state_of(&self, name: &str) -> Option<KeptState> {
        self.lock().get(name).map(KeptEntry::state)
    }

    /// Those that the project keeps, by name.
    pub fn list(&self) -> Vec<KeptListing> {
        let entries = self.lock();
        let listing = |(name, entry): (&String, &KeptEntry)| KeptListing {
            name: name.clone(),
            state: entry.state(),
            saved_at: entry.saved_at,
        };
        entries.iter().map(listing).collect()
    }

    /// Waits until none is opened, saved or closed.
    pub(super) async fn save_turn(&self) -> [tokio::sync::MutexGuard<'_, ()>; 2] {
        [self.turn.lock().await, self.saving.lock().await]
    }

    /// The names of those that are open.
    pub(super) fn open_names(&self) -> Vec<String> {
        let open = |(_, entry): &(&String, &KeptEntry)| entry.state() == KeptState::Open;
        self.lock().iter().filter(open).map(|(name, _)| name.clone()).collect()
    }

    /// Notes that a session is open.
    pub(super) fn insert(
        &self,
        name: &StateName,
        saved_at: Option<SystemTime>,
        open: OpenKeptSession,
    ) {
        let entry = KeptEntry { name: name.clone(), saved_at, open: Some(open) };
        self.lock().insert(name.to_string(), entry);
    }

    /// Notes that a session is not open, and answers what was needed of it.
    pub(super) fn set_closed(&self, name: &str) -> Option<(StateName, OpenKeptSession)> {
        let mut entries = self.lock();
        let entry = entries.get_mut(name)?;
        Some((entry.name.clone(), entry.open.take()?))
    }

    /// Forgets a session.
    pub(super) fn remove(&self, name: &str) {
        self.lock().remove(name);
    }

    /// The name, the key and the progress of a session that is open.
    pub(super) fn open_entry(
        &self,
        name: &str,
    ) -> Option<(StateName, Arc<StateKey>, SaveProgress)> {
        let entries = self.lock();
        let entry = entries.get(name)?;
        let open = entry.open.as_ref()?;
        Some((entry.name.clone(), Arc::clone(&open.key), open.progress))
    }

    /// Changes how far a session is saved that is open.
    pub(super) fn update_progress(&self, name: &str, change: impl FnOnce(&mut SaveProgress)) {
        if let Some(open) = self.lock().get_mut(name).and_then(|entry| entry.open.as_mut()) {
            change(&mut open.progress);
        }
    }

    /// Notes that a session was saved now.
    pub(super) fn note_saved(&self, name: &str) {
        if let Some(entry) = self.lock().get_mut(name) {
            entry.saved_at = Some(SystemTime::now());
        }
    }

    /// The folders of the home of browse.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub(super) fn stores(&self) -> Result<KeptStores> {
        let states = StateStore::in_home(&self.parts.home)?;
        let sessions = states.sessions()?;
        Ok(KeptStores { states, sessions })
    }

    /// Where the keys are found and made.
    pub(super) fn keyring<'a>(&'a self, stores: &'a KeptStores) -> Keyring<'a> {
        Keyring { store: &stores.states, keychain: self.parts.keychain.as_deref() }
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, KeptEntry>> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl KeptEntry {
    fn state(&self) -> KeptState {
        match self.open {
            Some(_) => KeptState::Open,
            None => KeptState::Closed,
        }
    }
}

/// Runs `work` to its end, also when the caller goes away meanwhile: a session must not be left
/// half open.
pub(super) async fn run_to_completion<T: Send + 'static>(
    work: impl Future<Output = Result<T>> + Send + 'static,
) -> Result<T> {
    let done = tokio::spawn(work).await;
    let broken = |error| Error::new(Reason::Bug, format!("a kept session broke off: {error}"));
    done.map_err(broken)?
}
