//! Watches folders for changes.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use notify::{RecommendedWatcher, RecursiveMode, Watcher as _};

/// The watcher; without one (no inotify instances left), everything counts as
/// changed, and stats decide.
pub struct FolderWatcher {
    changed: Arc<AtomicBool>,
    watcher: Mutex<Option<(RecommendedWatcher, BTreeSet<PathBuf>)>>,
}

impl FolderWatcher {
    pub fn new() -> Self {
        let changed = Arc::new(AtomicBool::new(true));
        let flag = Arc::clone(&changed);
        let on_event = move |event: notify::Result<notify::Event>| {
            if !event.is_ok_and(|event| event.kind.is_access()) {
                flag.store(true, Ordering::Release);
            }
        };
        let watcher = notify::recommended_watcher(on_event);
        if let Err(error) = &watcher {
            tracing::warn!(%error, "skills are not watched");
        }
        Self { changed, watcher: Mutex::new(watcher.ok().map(|it| (it, BTreeSet::new()))) }
    }

    /// Watches these folders, and no others.
    pub fn watch_only<'a>(&self, folders: impl Iterator<Item = &'a Path>) {
        let mut watcher = self.watcher.lock().unwrap_or_else(PoisonError::into_inner);
        let Some((watcher, followed)) = watcher.as_mut() else { return };
        let wanted: BTreeSet<PathBuf> = folders.map(Path::to_owned).collect();
        for gone in followed.difference(&wanted) {
            let _ = watcher.unwatch(gone);
        }
        // A folder that was replaced has its old name and a new watch.
        for folder in &wanted {
            if let Err(error) = watcher.watch(folder, RecursiveMode::NonRecursive) {
                tracing::warn!(%error, folder = %folder.display(), "a skill is not watched");
            }
        }
        *followed = wanted;
    }

    /// Whether something changed since the last question.
    pub fn take_change(&self) -> bool {
        self.changed.swap(false, Ordering::AcqRel)
    }

    /// Whether there is a watcher, and it has seen nothing.
    pub fn is_quiet(&self) -> bool {
        let watches = self.watcher.lock().unwrap_or_else(PoisonError::into_inner).is_some();
        watches && !self.changed.load(Ordering::Acquire)
    }
}
