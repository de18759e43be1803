//! When each skill was checked last, and what was found: `checks.json` in the home
//! of browse. It is not part of a skill, whose trust hangs on its files.

use std::fs::{self, File};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, UNIX_EPOCH};

use browse_base::now_ms;
use serde::{Deserialize, Serialize};

use super::skill::Skill;

/// The record of checks.
pub struct CheckHistory {
    file: PathBuf,
    /// Held while this daemon changes it.
    write_lock: Mutex<()>,
}

#[derive(Default, Serialize, Deserialize)]
struct CheckFile {
    checks: Vec<SkillCheck>,
}

/// The last check of a skill.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SkillCheck {
    folder: PathBuf,
    /// SHA-256 of the files that were checked.
    hash: String,
    /// When, in milliseconds since 1970.
    pub time_ms: u64,
    /// fresh, drifted, broken or unchecked.
    pub state: String,
}

impl CheckHistory {
    /// The record in the home of browse.
    pub fn new(home: &Path) -> Self {
        Self { file: home.join("checks.json"), write_lock: Mutex::default() }
    }

    /// Notes what was found just now in skills with these hashes.
    ///
    /// # Errors
    /// The file cannot be written.
    pub fn record(&self, found: &[(&Skill, String, &str)]) -> io::Result<()> {
        if found.is_empty() {
            return Ok(());
        }
        let _writing = self.write_lock.lock().unwrap_or_else(PoisonError::into_inner);
        let home = self.file.parent().unwrap_or(Path::new("."));
        fs::create_dir_all(home)?;
        // Two daemons may record at once: the home is their lock.
        let lock = File::open(home)?;
        lock.lock()?;
        let mut record = self.read();
        for (skill, hash, state) in found {
            let folder = canonical_folder(skill);
            record.checks.retain(|check| check.folder != folder && check.folder.is_dir());
            let (hash, state) = (hash.clone(), (*state).to_owned());
            record.checks.push(SkillCheck { folder, hash, time_ms: now_ms(), state });
        }
        let mut file = tempfile::NamedTempFile::new_in(home)?;
        file.write_all(&serde_json::to_vec_pretty(&record)?)?;
        file.as_file().sync_all()?;
        file.persist(&self.file)?;
        Ok(())
    }

    /// The last check of each skill, for a listing.
    pub fn all(&self) -> KnownChecks {
        KnownChecks(self.read().checks)
    }

    /// One that cannot be read knows of no check: the next one writes it anew.
    fn read(&self) -> CheckFile {
        let Ok(bytes) = fs::read(&self.file) else { return CheckFile::default() };
        serde_json::from_slice(&bytes).unwrap_or_else(|error| {
            tracing::warn!(file = %self.file.display(), %error, "the record of checks is damaged");
            CheckFile::default()
        })
    }
}

/// The checks that are known.
pub struct KnownChecks(Vec<SkillCheck>);

impl KnownChecks {
    /// The last check of a skill.
    pub fn last_check(&self, skill: &Skill) -> Option<&SkillCheck> {
        let folder = canonical_folder(skill);
        self.0.iter().find(|check| check.folder == folder)
    }

    /// Whether a skill with this hash was not checked for `age`, or changed since.
    pub fn is_due(&self, skill: &Skill, hash: &str, age: Duration) -> bool {
        let age = u64::try_from(age.as_millis()).unwrap_or(u64::MAX);
        self.last_check(skill)
            .is_none_or(|check| check.hash != hash || now_ms().saturating_sub(check.time_ms) >= age)
    }
}

impl SkillCheck {
    /// When it was, and what it found: `fresh, checked 2026-11-25T04:10:00Z`.
    pub fn summary(&self) -> String {
        let time = UNIX_EPOCH + Duration::from_millis(self.time_ms);
        format!("{}, checked {}", self.state, humantime::format_rfc3339_seconds(time))
    }
}

fn canonical_folder(skill: &Skill) -> PathBuf {
    skill.folder.canonicalize().unwrap_or_else(|_| skill.folder.clone())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::skills::tier::Tier;

    #[test]
    fn a_skill_is_due_until_it_was_checked_and_when_it_changed() {
        let home = tempfile::tempdir().expect("a folder");
        let folder = home.path().join("skills/a");
        fs::create_dir_all(&folder).expect("made");
        let skill = Skill::read(Tier::Global, folder);
        let checks = CheckHistory::new(home.path());
        let day = Duration::from_secs(86_400);
        assert!(checks.all().is_due(&skill, "one", day));
        checks.record(&[(&skill, "one".to_owned(), "fresh")]).expect("written");
        let known = checks.all();
        assert!(!known.is_due(&skill, "one", day));
        assert!(known.is_due(&skill, "two", day), "its files changed");
        assert!(known.is_due(&skill, "one", Duration::ZERO));
        assert_eq!(known.last_check(&skill).map(|check| check.state.as_str()), Some("fresh"));
        fs::write(home.path().join("checks.json"), "{").expect("written");
        assert!(checks.all().last_check(&skill).is_none());
    }
}
