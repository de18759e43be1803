//! Removes what commands of dead daemons left behind. What a living command
//! works on is locked, and left alone.

use std::ffi::OsStr;
use std::fs::File;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde::{Deserialize, Serialize};

use super::{
    drafts, hash,
    store::{OpenFolder, STAGING_PREFIX},
};

/// A draft that nobody touched for so long goes.
const MAX_DRAFT_AGE: Duration = Duration::from_secs(24 * 3600);

/// What is noted before a draft becomes a skill: when the folder is there with
/// this content, only the draft is left to be removed.
#[derive(Debug, Serialize, Deserialize)]
pub struct CommitNote {
    /// Folder of the skill.
    pub folder: PathBuf,
    /// Its content hash.
    pub hash: String,
}

/// Sweeps the drafts and the folders of tiers.
pub fn sweep(drafts: &Path, tiers: &[PathBuf]) {
    if let Ok(all) = OpenFolder::open(drafts) {
        log_failure(drafts, all.lock());
        log_failure(drafts, finish_commits(&all));
        log_failure(drafts, remove_old_drafts(&all));
        log_failure(drafts, remove_leftovers(&all, drafts::PARTIAL_PREFIX));
    }
    for tier in tiers {
        let Ok(tier) = tier.canonicalize() else { continue };
        if let Ok(folder) = OpenFolder::open(&tier) {
            log_failure(&tier, folder.lock());
            log_failure(&tier, remove_leftovers(&folder, STAGING_PREFIX));
        }
    }
}

fn log_failure(place: &Path, swept: io::Result<()>) {
    if let Err(error) = swept {
        tracing::warn!(%error, place = %place.display(), "what a command left cannot be removed");
    }
}

/// Ends commits that were all but done, and forgets those that were not.
fn finish_commits(all: &OpenFolder) -> io::Result<()> {
    for name in all.names()? {
        let text = name.to_string_lossy().into_owned();
        let Some(draft) = text.strip_suffix(drafts::COMMIT_NOTE_SUFFIX) else { continue };
        let draft = OsStr::new(draft);
        let folder = all.child(draft).ok();
        if folder.as_ref().is_some_and(|folder| !folder.try_lock()) {
            continue;
        }
        let note = all.read(&name).ok().and_then(|(file, _)| read(&file));
        let done =
            note.is_some_and(|note| hash::hash(&note.folder).is_ok_and(|hash| hash == note.hash));
        if done {
            all.remove(draft)?;
        }
        all.remove(&name)?;
    }
    Ok(())
}

fn read(file: &File) -> Option<CommitNote> {
    use std::io::Read as _;
    serde_json::from_reader(file.take(64 * 1024)).ok()
}

fn remove_old_drafts(all: &OpenFolder) -> io::Result<()> {
    for name in all.names()? {
        let is_draft = name.to_str().is_some_and(drafts::is_draft_name);
        let Some(folder) = is_draft.then(|| all.child(&name).ok()).flatten() else { continue };
        let old = last_modified(folder.path()).elapsed().is_ok_and(|age| age > MAX_DRAFT_AGE);
        if old && folder.try_lock() {
            all.remove(&name)?;
        }
    }
    Ok(())
}

/// When anything in the folder was last written.
fn last_modified(folder: &Path) -> SystemTime {
    let Ok(meta) = folder.symlink_metadata() else { return SystemTime::UNIX_EPOCH };
    let own = meta.modified().unwrap_or_else(|_| SystemTime::now());
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let inner = entries.filter_map(|entry| {
        let meta = entry.metadata().ok()?;
        if meta.is_dir() { Some(last_modified(&entry.path())) } else { meta.modified().ok() }
    });
    inner.fold(own, SystemTime::max)
}

fn remove_leftovers(place: &OpenFolder, prefix: &str) -> io::Result<()> {
    for name in place.names()? {
        if !name.to_string_lossy().starts_with(prefix) {
            continue;
        }
        let free = place.child(&name).map_or(true, |folder| folder.try_lock());
        if free {
            place.remove(&name)?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs::{self, File};
    use std::path::Path;
    use std::time::{Duration, SystemTime};

    use super::{CommitNote, OpenFolder, hash, sweep};

    fn make(folder: &Path) {
        fs::create_dir_all(folder).expect("made");
        fs::write(folder.join("a"), "text").expect("written");
    }

    #[test]
    fn only_what_nobody_works_on_goes() {
        let root = tempfile::tempdir().expect("a folder");
        let (drafts, tier) = (root.path().join("d"), root.path().join("t"));
        for name in [".stage-1", ".stage-2", "skillify-00000001", "skillify-00000002", "other"] {
            make(&drafts.join(name));
        }
        for name in [".work-1", ".work-2", ".tombstones", "a"] {
            make(&tier.join(name));
        }
        let held = [".stage-2", "../t/.work-2"].map(|name| {
            let folder = OpenFolder::open(&drafts.join(name)).expect("open");
            assert!(folder.try_lock());
            folder
        });
        let old = drafts.join("skillify-00000002");
        let before = SystemTime::now() - Duration::from_secs(25 * 3600);
        for path in [old.join("a"), old] {
            File::open(path).expect("open").set_modified(before).expect("set");
        }
        sweep(&drafts, &[tier.clone(), root.path().join("none")]);
        let names =
            |folder: &Path| OpenFolder::open(folder).expect("open").names().expect("listed");
        assert_eq!(names(&drafts), [".stage-2", "other", "skillify-00000001"]);
        assert_eq!(names(&tier), [".tombstones", ".work-2", "a"]);
        drop(held);
        sweep(&drafts, std::slice::from_ref(&tier));
        assert_eq!(names(&tier), [".tombstones", "a"]);
    }

    #[test]
    fn a_commit_that_was_done_takes_its_draft_along() {
        let root = tempfile::tempdir().expect("a folder");
        let (drafts, skill) = (root.path().join("d"), root.path().join("a"));
        let draft = |name: &str| drafts.join(name);
        for name in ["skillify-00000001", "skillify-00000002"] {
            make(&draft(name));
        }
        make(&skill);
        let note = |name: &str, hash: String| {
            let note = CommitNote { folder: skill.clone(), hash };
            fs::write(draft(name), serde_json::to_vec(&note).expect("json")).expect("written");
        };
        note("skillify-00000001.commit", hash::hash(&skill).expect("hashed"));
        note("skillify-00000002.commit", "other".to_owned());
        fs::write(draft("skillify-00000003.commit"), "{").expect("written");
        sweep(&drafts, &[]);
        let names = OpenFolder::open(&drafts).expect("open").names().expect("listed");
        assert_eq!(names, ["skillify-00000002"]);
    }
}
