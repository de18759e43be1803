//! Which skills the user trusts: path and content hash, in `trust.json`.
//!
//! A bundled skill is trusted when its hash is one that this build knows.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use browse_proto::Reason;
use serde::{Deserialize, Serialize};

use super::{skill::Skill, tier::Tier};
use crate::error::{Error, Result};

/// Name and hash of each skill that this build ships.
const BUNDLED: &[(&str, &str)] = include!(concat!(env!("OUT_DIR"), "/bundled.rs"));

/// The record of trust.
pub struct Trust {
    file: PathBuf,
    /// The record as it was last read, and what its file looked like.
    read: Mutex<Option<(Stamp, Arc<Record>)>>,
}

/// Change time, size and inode.
type Stamp = (i64, i64, u64, u64);

#[derive(Clone, Default, Serialize, Deserialize)]
struct Record {
    trusted: Vec<Entry>,
}

#[derive(Clone, Serialize, Deserialize)]
struct Entry {
    skill: String,
    folder: PathBuf,
    hash: String,
}

impl Trust {
    /// The record in the home of browse.
    pub fn new(home: &Path) -> Self {
        Self { file: home.join("trust.json"), read: Mutex::default() }
    }

    /// Whether the skill is trusted with this content.
    pub fn holds(&self, skill: &Skill, hash: &str) -> bool {
        if skill.tier == Tier::Bundled && BUNDLED.contains(&(skill.name.as_str(), hash)) {
            return true;
        }
        let Ok(folder) = skill.folder.canonicalize() else { return false };
        self.read().trusted.iter().any(|entry| entry.folder == folder && entry.hash == hash)
    }

    /// Trusts the skill with this content.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn record(&self, skill: &Skill, hash: &str) -> Result<()> {
        self.write(skill, hash).map_err(|error| {
            let message = format!("`{}` cannot be written: {error}", self.file.display());
            Error::new(Reason::FileUnwritable, message).with("path", self.file.display())
        })
    }

    /// Ends the trust in the skill, if there is any.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn forget(&self, skill: &Skill) -> Result<()> {
        let folder = skill.folder.canonicalize().unwrap_or_else(|_| skill.folder.clone());
        if !self.read().trusted.iter().any(|entry| entry.folder == folder) {
            return Ok(());
        }
        self.edit(|record| record.trusted.retain(|entry| entry.folder != folder)).map_err(|error| {
            let message = format!("`{}` cannot be written: {error}", self.file.display());
            Error::new(Reason::FileUnwritable, message).with("path", self.file.display())
        })
    }

    fn write(&self, skill: &Skill, hash: &str) -> io::Result<()> {
        let folder = skill.folder.canonicalize()?;
        self.edit(|record| {
            record.trusted.retain(|entry| entry.folder != folder && entry.folder.is_dir());
            record.trusted.push(Entry { skill: skill.name.clone(), folder, hash: hash.to_owned() });
        })
    }

    fn edit(&self, change: impl FnOnce(&mut Record)) -> io::Result<()> {
        let home = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(home)?;
        // Two daemons may record at once: the home is their lock.
        let lock = File::open(home)?;
        lock.lock()?;
        let mut record = Record::clone(&self.read());
        change(&mut record);
        let mut file = tempfile::NamedTempFile::new_in(home)?;
        file.write_all(&serde_json::to_vec_pretty(&record)?)?;
        file.as_file().sync_all()?;
        file.persist(&self.file)?;
        Ok(())
    }

    /// The record as it is now. One that cannot be read trusts nobody.
    fn read(&self) -> Arc<Record> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
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
            Record::default()
        }));
        *read = Some((stamp, Arc::clone(&record)));
        record
    }
}

#[cfg(test)]
mod tests {
    use super::{Skill, Tier, Trust};

    #[test]
    fn trust_ends_with_the_content() {
        let home = tempfile::tempdir().expect("a folder");
        let trust = Trust::new(home.path());
        let skill = Skill::read(Tier::Global, home.path().to_owned());
        assert!(!trust.holds(&skill, "a"));
        trust.record(&skill, "a").expect("recorded");
        assert!(trust.holds(&skill, "a"));
        assert!(!trust.holds(&skill, "b"));
        trust.record(&skill, "b").expect("recorded");
        assert!(!trust.holds(&skill, "a"));
    }

    #[test]
    fn a_copy_elsewhere_is_not_trusted() {
        let (home, other) = (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
        let trust = Trust::new(home.path());
        let skill = |folder: &std::path::Path| Skill::read(Tier::Global, folder.to_owned());
        trust.record(&skill(home.path()), "a").expect("recorded");
        assert!(!trust.holds(&skill(other.path()), "a"));
    }

    #[test]
    fn a_damaged_record_trusts_nobody_and_is_replaced() {
        let home = tempfile::tempdir().expect("a folder");
        let trust = Trust::new(home.path());
        let skill = Skill::read(Tier::Global, home.path().to_owned());
        std::fs::write(home.path().join("trust.json"), "{").expect("written");
        assert!(!trust.holds(&skill, "a"));
        trust.record(&skill, "a").expect("recorded");
        assert!(trust.holds(&skill, "a"));
    }

    #[test]
    fn the_bundled_skills_of_this_tree_are_known() {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../browser-skills/hackernews-frontpage");
        let hash = crate::skills::hash::hash(folder.as_ref()).expect("hashed");
        let trust = Trust::new("/nowhere".as_ref());
        let skill = |tier| Skill::read(tier, folder.into());
        assert!(trust.holds(&skill(Tier::Bundled), &hash));
        assert!(!trust.holds(&skill(Tier::Global), &hash));
        assert!(!trust.holds(&skill(Tier::Bundled), "other"));
    }
}
