//! Remembers the hashes of skills, so that only what changed is read again.

use std::collections::HashMap;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::hash;

/// What tells that a file is as it was: change time, size and inode.
type FileStamp = (PathBuf, i64, i64, u64, u64);

/// The hashes of the skills that were asked for.
#[derive(Default)]
pub struct HashCache {
    cached: Mutex<HashMap<PathBuf, (Vec<FileStamp>, String)>>,
}

impl HashCache {
    /// The hash of the skill in `folder`, as it is now.
    pub fn get(&self, folder: &Path) -> io::Result<String> {
        let stamps = stamps(folder)?;
        let mut known = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((same, hash)) = known.get(folder)
            && *same == stamps
        {
            return Ok(hash.clone());
        }
        let hash = hash::hash(folder)?;
        known.insert(folder.to_owned(), (stamps, hash.clone()));
        Ok(hash)
    }
}

/// The change time cannot be set back by whoever rewrites a file, as the
/// modification time can.
fn stamps(folder: &Path) -> io::Result<Vec<FileStamp>> {
    let stamp = |path: PathBuf| {
        let meta = std::fs::metadata(folder.join(&path))?;
        Ok((path, meta.ctime(), meta.ctime_nsec(), meta.size(), meta.ino()))
    };
    hash::files(folder)?.into_iter().map(stamp).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::HashCache;

    #[test]
    fn any_change_of_a_file_is_another_hash() {
        let folder = tempfile::tempdir().expect("a folder");
        let (file, hashes) = (folder.path().join("a"), HashCache::default());
        let hash = || hashes.get(folder.path()).expect("hashed");
        fs::write(&file, "one").expect("written");
        let mut seen = vec![hash()];
        assert_eq!(hash(), seen[0]);
        fs::write(&file, "two").expect("written");
        seen.push(hash());
        fs::rename(&file, folder.path().join("b")).expect("renamed");
        seen.push(hash());
        fs::set_permissions(folder.path().join("b"), fs::Permissions::from_mode(0o755))
            .expect("set");
        seen.push(hash());
        fs::create_dir(folder.path().join("c")).expect("made");
        fs::write(folder.path().join("c/d"), "").expect("written");
        seen.push(hash());
        seen.sort();
        seen.dedup();
        assert_eq!(seen.len(), 5);
    }

    #[test]
    fn a_link_has_no_hash() {
        let folder = tempfile::tempdir().expect("a folder");
        symlink("/etc/hostname", folder.path().join("a")).expect("linked");
        assert!(HashCache::default().get(folder.path()).is_err());
    }
}
