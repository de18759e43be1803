//! Which skills the user trusts: path and content hash, in `trust.json`, and a copy of
//! what each held then.
//!
//! A bundled skill is trusted when its hash is one that this build knows.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use browse_proto::Reason;
use serde::{Deserialize, Serialize};

use super::{skill::Skill, skill_content::SkillContent, tier::Tier, trusted_copies::TrustedCopies};
use browse_base::{Error, Result};

/// Name and hash of each skill that this build ships.
const BUNDLED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// The record of trust.
pub struct TrustStore {
    file: PathBuf,
    /// The record as it was last read, and what its file looked like.
    cached: Mutex<Option<(TrustFileStamp, Arc<TrustFile>)>>,
    copies: TrustedCopies,
}

/// A skill as it was trusted last.
pub struct TrustedVersion {
    /// Its content hash.
    pub hash: String,
    /// What it held; none when that is not kept or cannot be read.
    pub content: Option<SkillContent>,
}

/// Change time, size and inode.
type TrustFileStamp = (i64, i64, u64, u64);

#[derive(Clone, Default, Serialize, Deserialize)]
struct TrustFile {
    trusted: Vec<TrustEntry>,
}

#[derive(Clone, Serialize, Deserialize)]
struct TrustEntry {
    skill: String,
    folder: PathBuf,
    hash: String,
}

impl TrustStore {
    /// The record in the home of browse.
    pub fn new(home: &Path) -> Self {
        Self {
            file: home.join("trust.json"),
            cached: Mutex::default(),
            copies: TrustedCopies::new(home),
        }
    }

    /// Whether the skill is trusted with this content.
    pub fn is_trusted(&self, skill: &Skill, hash: &str) -> bool {
        if skill.tier == Tier::Bundled && BUNDLED.contains(&(skill.name.as_str(), hash)) {
            return true;
        }
        let Ok(folder) = skill.folder.canonicalize() else { return false };
        self.read().trusted.iter().any(|entry| entry.folder == folder && entry.hash == hash)
    }

    /// Whether the skill was trusted, with this content or another.
    pub fn was_trusted(&self, skill: &Skill) -> bool {
        let Ok(folder) = skill.folder.canonicalize() else { return false };
        self.read().trusted.iter().any(|entry| entry.folder == folder)
    }

    /// The skill as it was trusted last, when it was.
    pub fn trusted_version(&self, skill: &Skill) -> Option<TrustedVersion> {
        let folder = skill.folder.canonicalize().ok()?;
        let record = self.read();
        let entry = record.trusted.iter().find(|entry| entry.folder == folder)?;
        let hash = entry.hash.clone();
        let content = self.copies.read(&folder).filter(|content| content.hash == hash);
        Some(TrustedVersion { hash, content })
    }

    /// Trusts the skill with this content, and keeps a copy of it.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn add(&self, skill: &Skill, content: &SkillContent) -> Result<()> {
        let folder = skill.folder.canonicalize().map_err(|error| self.unwritable(&error))?;
        self.update(|record| {
            self.copies.write(&folder, content)?;
            record.trusted.retain(|entry| entry.folder != folder && entry.folder.is_dir());
            record.trusted.push(TrustEntry {
                skill: skill.name.clone(),
                folder,
                hash: content.hash.clone(),
            });
            Ok(())
        })
    }

    /// Ends the trust in the skill, if there is any.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn remove(&self, skill: &Skill) -> Result<()> {
        let folder = skill.folder.canonicalize().unwrap_or_else(|_| skill.folder.clone());
        if !self.read().trusted.iter().any(|entry| entry.folder == folder) {
            return Ok(());
        }
        self.update(|record| {
            record.trusted.retain(|entry| entry.folder != folder);
            Ok(())
        })
    }

    /// Changes the record, and removes the copies of what is not in it any more.
    fn update(&self, change: impl FnOnce(&mut TrustFile) -> Result<()>) -> Result<()> {
        let home = self.file.parent().unwrap_or(Path::new("."));
        // Two daemons may record at once: the home is their lock.
        let locked = || -> io::Result<File> {
            fs::create_dir_all(home)?;
            let lock = File::open(home)?;
            lock.lock()?;
            Ok(lock)
        };
        let _locked = locked().map_err(|error| self.unwritable(&error))?;
        let mut record = TrustFile::clone(&self.read());
        change(&mut record)?;
        self.write(home, &record).map_err(|error| self.unwritable(&error))?;
        self.copies.keep_only(record.trusted.iter().map(|entry| entry.folder.as_path()));
        Ok(())
    }

    fn write(&self, home: &Path, record: &TrustFile) -> io::Result<()> {
        let mut file = tempfile::NamedTempFile::new_in(home)?;
        file.write_all(&serde_json::to_vec_pretty(record)?)?;
        file.as_file().sync_all()?;
        file.persist(&self.file)?;
        Ok(())
    }

    fn unwritable(&self, error: &io::Error) -> Error {
        let message = format!("`{}` cannot be written: {error}", self.file.display());
        Error::new(Reason::FileUnwritable, message).with("path", self.file.display())
    }

    /// The record as it is now. One that cannot be read trusts nobody.
    fn read(&self) -> Arc<TrustFile> {
        let mut read = self.cached.lock().unwrap_or_else(PoisonError::into_inner);
        let stamp = fs::metadata(&self.file)
            .map(|meta| (meta.ctime(), meta.ctime_nsec(), meta.size(), meta.ino()));
        let Ok(stamp) = stamp else {
            *read = None;
            return Arc::default();
        };
        if let Some((_, record)) = read.as_ref().filter(|(known, _)| *known == stamp) {
            return Arc::clone(record);
        }
        let bytes = fs::read(&self.file).unwrap_or_default();
        let record = Arc::new(serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            tracing::warn!(file = %self.file.display(), %error, "the record of trust is damaged");
            TrustFile::default()
        }));
        *read = Some((stamp, Arc::clone(&record)));
        record
    }
}

#[cfg(test)]
mod tests {
    use super::{Skill, SkillContent, Tier, TrustStore};

    fn content(hash: &str) -> SkillContent {
        SkillContent { hash: hash.to_owned(), files: Vec::new() }
    }

    #[test]
    fn trust_ends_with_the_content() {
        let home = tempfile::tempdir().expect("a folder");
        let trust = TrustStore::new(home.path());
        let skill = Skill::read(Tier::Global, home.path().to_owned());
        assert!(!trust.is_trusted(&skill, "a"));
        trust.add(&skill, &content("a")).expect("recorded");
        assert!(trust.is_trusted(&skill, "a"));
        assert!(!trust.is_trusted(&skill, "b"));
        trust.add(&skill, &content("b")).expect("recorded");
        assert!(!trust.is_trusted(&skill, "a"));
    }

    #[test]
    fn a_copy_elsewhere_is_not_trusted() {
        let (home, other) = (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
        let trust = TrustStore::new(home.path());
        let skill = |folder: &std::path::Path| Skill::read(Tier::Global, folder.to_owned());
        trust.add(&skill(home.path()), &content("a")).expect("recorded");
        assert!(!trust.is_trusted(&skill(other.path()), "a"));
    }

    #[test]
    fn a_damaged_record_trusts_nobody_and_is_replaced() {
        let home = tempfile::tempdir().expect("a folder");
        let trust = TrustStore::new(home.path());
        let skill = Skill::read(Tier::Global, home.path().to_owned());
        std::fs::write(home.path().join("trust.json"), "{").expect("written");
        assert!(!trust.is_trusted(&skill, "a"));
        trust.add(&skill, &content("a")).expect("recorded");
        assert!(trust.is_trusted(&skill, "a"));
    }

    #[test]
    fn what_was_trusted_last_is_kept_until_trust_is_removed() {
        let home = tempfile::tempdir().expect("a folder");
        let trust = TrustStore::new(home.path());
        let skill = Skill::read(Tier::Global, home.path().to_owned());
        assert!(!trust.was_trusted(&skill) && trust.trusted_version(&skill).is_none());
        for hash in ["a", "b"] {
            trust.add(&skill, &content(hash)).expect("recorded");
        }
        let version = trust.trusted_version(&skill).expect("a version");
        assert_eq!((version.hash.as_str(), version.content), ("b", Some(content("b"))));
        let copies = || {
            let folder = home.path().join("trusted-skills");
            std::fs::read_dir(folder).expect("read").flatten().collect::<Vec<_>>()
        };
        assert_eq!(copies().len(), 1);
        // A copy of another content is not what was trusted.
        let text = serde_json::to_string(&content("a")).expect("JSON");
        std::fs::write(copies()[0].path(), text).expect("written");
        let version = trust.trusted_version(&skill).expect("a version");
        assert_eq!((version.hash.as_str(), version.content), ("b", None));
        trust.remove(&skill).expect("recorded");
        assert!(!trust.was_trusted(&skill) && copies().is_empty());
    }

    #[test]
    fn the_bundled_skills_of_this_tree_are_known() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../browser-skills/hackernews-frontpage");
        let hash = crate::skills::hash::hash(folder.as_ref()).expect("hashed");
        let trust = TrustStore::new("/nowhere".as_ref());
        let skill = |tier| Skill::read(tier, folder.into());
        assert!(trust.is_trusted(&skill(Tier::Bundled), &hash));
        assert!(!trust.is_trusted(&skill(Tier::Global), &hash));
        assert!(!trust.is_trusted(&skill(Tier::Bundled), "other"));
    }
}
