//! What the skills held when they were trusted, in `trusted-skills` in the home of
//! browse: one file for each skill, with its texts, which are compared with later.

use std::collections::HashSet;
use std::ffi::{OsStr, OsString};
use std::fs::DirBuilder;
use std::io::{self, Read as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::DirBuilderExt as _;
use std::path::{Path, PathBuf};

use browse_base::{Result, hex};
use sha2::{Digest as _, Sha256};

use super::{skill_content::SkillContent, store::OpenFolder};
use crate::project::{unwritable, write_private};

/// Bytes of a copy that are read: its texts are at most 4 MiB, and escapes of JSON.
const MAX_COPY_BYTES: u64 = 64 << 20;

/// The copies of a home.
pub struct TrustedCopies {
    folder: PathBuf,
}

impl TrustedCopies {
    /// The copies in this home.
    pub fn new(home: &Path) -> Self {
        Self { folder: home.join("trusted-skills") }
    }

    /// Keeps `content` for the skill in `skill`, in place of an earlier one.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn write(&self, skill: &Path, content: &SkillContent) -> Result<()> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.folder);
        // A link would lead what is written somewhere else.
        let opened = made.and_then(|()| OpenFolder::open(&self.folder));
        opened.map_err(|error| unwritable(&self.folder, &error))?;
        let path = self.folder.join(file_name(skill));
        let json = serde_json::to_vec(content)
            .map_err(|error| unwritable(&path, &io::Error::from(error)))?;
        write_private(&path, json)
    }

    /// What is kept for the skill in `skill`: none when it cannot be read.
    pub fn read(&self, skill: &Path) -> Option<SkillContent> {
        let folder = OpenFolder::open(&self.folder).ok()?;
        let (file, _) = folder.read(&file_name(skill)).ok()?;
        let mut json = Vec::new();
        file.take(MAX_COPY_BYTES).read_to_end(&mut json).ok()?;
        let read = serde_json::from_slice(&json);
        read.inspect_err(|error| {
            tracing::warn!(skill = %skill.display(), %error, "the copy of a skill is damaged");
        })
        .ok()
    }

    /// Removes what is kept for all skills but those in these folders.
    pub fn keep_only<'a>(&self, skills: impl IntoIterator<Item = &'a Path>) {
        let kept: HashSet<_> = skills.into_iter().map(file_name).collect();
        if let Err(error) = self.remove_others(&kept) {
            tracing::warn!(folder = %self.folder.display(), %error, "a copy cannot be removed");
        }
    }

    fn remove_others(&self, kept: &HashSet<OsString>) -> io::Result<()> {
        let folder = match OpenFolder::open(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(()),
            folder => folder?,
        };
        for name in folder.names()? {
            if !kept.contains(&name) && is_ours(&name) {
                folder.remove(&name)?;
            }
        }
        Ok(())
    }
}

/// The file for the skill in a folder.
fn file_name(skill: &Path) -> OsString {
    let hash = Sha256::digest(skill.as_os_str().as_bytes());
    format!("{}.json", hex(&hash[..16])).into()
}

/// Whether a file is one of ours, or one that a daemon was killed over.
fn is_ours(name: &OsStr) -> bool {
    let name = name.to_string_lossy();
    name.ends_with(".json") || name.starts_with(".daemon-")
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};
    use std::path::Path;

    use super::{SkillContent, TrustedCopies};

    fn content(hash: &str) -> SkillContent {
        SkillContent { hash: hash.to_owned(), files: Vec::new() }
    }

    #[test]
    fn the_last_copy_is_kept_and_private() {
        let home = tempfile::tempdir().expect("a folder");
        let copies = TrustedCopies::new(home.path());
        let (one, two) = (Path::new("/skills/one"), Path::new("/skills/two"));
        assert_eq!(copies.read(one), None);
        copies.keep_only([one]);
        for (skill, hash) in [(one, "a"), (two, "b"), (one, "c")] {
            copies.write(skill, &content(hash)).expect("written");
        }
        assert_eq!(copies.read(one), Some(content("c")));
        let folder = home.path().join("trusted-skills");
        let mode = |path: &Path| fs::metadata(path).expect("there").permissions().mode() & 0o777;
        assert_eq!(mode(&folder), 0o700);
        let files: Vec<_> = fs::read_dir(&folder).expect("read").flatten().collect();
        assert_eq!(files.len(), 2);
        assert!(files.iter().all(|file| mode(&file.path()) == 0o600));
        copies.keep_only([two]);
        assert_eq!((copies.read(one), copies.read(two)), (None, Some(content("b"))));
    }

    #[test]
    fn a_link_is_neither_read_nor_written_through() {
        let home = tempfile::tempdir().expect("a folder");
        let (copies, skill) = (TrustedCopies::new(home.path()), Path::new("/skills/one"));
        copies.write(skill, &content("a")).expect("written");
        let file = home.path().join("trusted-skills").join(super::file_name(skill));
        let other = home.path().join("other.json");
        fs::rename(&file, &other).expect("moved");
        symlink(&other, &file).expect("linked");
        assert_eq!(copies.read(skill), None);
        copies.write(skill, &content("b")).expect("written");
        assert_eq!(copies.read(skill), Some(content("b")));
        assert!(fs::read_to_string(&other).expect("read").contains("\"a\""));
        fs::write(&file, "{").expect("written");
        assert_eq!(copies.read(skill), None);
        fs::rename(home.path().join("trusted-skills"), home.path().join("away")).expect("moved");
        symlink(home.path().join("away"), home.path().join("trusted-skills")).expect("linked");
        assert!(copies.write(skill, &content("c")).is_err());
    }
}
