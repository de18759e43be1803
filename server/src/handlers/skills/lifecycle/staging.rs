//! A folder in a tier that a command prepares a skill in. It goes when it is
//! dropped, unless it has become the skill.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::Path;

use browse_proto::Reason;

use super::errors;
use crate::skills::{
    drafts::unwritable_error,
    hash,
    store::{OpenFolder, STAGING_PREFIX, copy, random_id},
    tier::Tier,
};
use browse_base::{Error, Result};

/// The folder.
pub struct StagingFolder {
    /// The tier that it lies in.
    tier: OpenFolder,
    name: OsString,
    /// Locked as long as this lives.
    folder: Option<OpenFolder>,
}

impl StagingFolder {
    /// A copy of `from` in the folder of a tier.
    ///
    /// # Errors
    /// `DRAFT_REFUSED`, `FILE_UNWRITABLE`.
    pub fn copy(from: &OpenFolder, folder: OpenFolder) -> Result<Self> {
        let failed = |error: io::Error| unwritable_error(folder.path(), &error);
        let name = OsString::from(format!("{STAGING_PREFIX}{}", random_id()));
        let work = folder.create_locked_child(&name).map_err(failed)?;
        let this = Self { tier: folder, name, folder: Some(work) };
        copy::copy(from, this.folder()?, &copy::SKILL_RULES)
            .map_err(|error| errors::copy_error(from, error))?;
        Ok(this)
    }

    /// It itself.
    ///
    /// # Errors
    /// It has become the skill.
    pub fn folder(&self) -> Result<&OpenFolder> {
        self.folder.as_ref().ok_or_else(|| Error::new(Reason::Bug, "the folder was given away"))
    }

    /// Its content hash.
    ///
    /// # Errors
    /// A file cannot be read.
    pub fn hash(&self) -> Result<String> {
        let folder = self.folder()?;
        hash::hash(folder.path()).map_err(|error| unwritable_error(folder.path(), &error))
    }

    /// Makes it the skill `name`, which is not there yet. The caller holds the
    /// lock of the tier.
    ///
    /// # Errors
    /// `SKILL_EXISTS`; `SKILL_CHANGED` when it is not what it was with `hash`.
    pub fn install(mut self, name: &str, tier: Tier, hash: &str) -> Result<()> {
        let wanted = OsStr::new(name);
        let failed = |error: io::Error| unwritable_error(self.tier.path(), &error);
        match self.tier.move_to(&self.name, &self.tier, wanted) {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                return Err(errors::already_exists(name, tier));
            }
            moved => moved.map_err(failed)?,
        }
        self.tier.sync().map_err(failed)?;
        let same = self.is_installed_at(wanted)? && self.has_content(wanted, hash);
        self.folder = None;
        if same {
            return Ok(());
        }
        let _ = self.tier.remove(wanted);
        Err(errors::changed(name))
    }

    /// Puts it in the place of the skill `name`, at once, and removes that one
    /// when it is still what it was with the hash `old`. The caller holds the
    /// lock of the tier.
    ///
    /// # Errors
    /// `SKILL_CHANGED`, with the skill as it was.
    pub fn replace(self, name: &str, old: &str, new: &str) -> Result<()> {
        let wanted = OsStr::new(name);
        let failed = |error: io::Error| unwritable_error(self.tier.path(), &error);
        if !self.has_content(wanted, old) {
            return Err(errors::changed(name));
        }
        self.tier.exchange(&self.name, wanted).map_err(failed)?;
        self.tier.sync().map_err(failed)?;
        // Whoever wrote between the look and the exchange keeps what was written.
        let same = self.is_installed_at(wanted)? && self.has_content(wanted, new);
        if same && self.has_content(&self.name, old) {
            return Ok(());
        }
        self.tier.exchange(&self.name, wanted).map_err(failed)?;
        self.tier.sync().map_err(failed)?;
        Err(errors::changed(name))
    }

    /// The lock of the tier, for as long as it lives.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn lock(&self) -> Result<OpenFolder> {
        lock_tier(self.tier.path())
    }

    fn is_installed_at(&self, name: &OsStr) -> Result<bool> {
        let own = self
            .folder()?
            .metadata()
            .map_err(|error| unwritable_error(self.tier.path(), &error))?;
        Ok(self.tier.entry(name).is_ok_and(|entry| entry.identity == own.identity))
    }

    fn has_content(&self, name: &OsStr, wanted: &str) -> bool {
        hash::hash(&self.tier.path().join(name)).is_ok_and(|hash| hash == wanted)
    }
}

impl Drop for StagingFolder {
    fn drop(&mut self) {
        if self.folder.is_some()
            && let Err(error) = self.tier.remove(&self.name).and_then(|()| self.tier.sync())
        {
            tracing::warn!(%error, "a folder that a command worked in cannot be removed");
        }
    }
}

/// The folder of a tier, to be written to. A project comes from others: what
/// it holds in the place of `.browse` and `skills` is not a link to somewhere else.
///
/// # Errors
/// `SKILL_PLACE_LINKED`, `FILE_UNWRITABLE`.
pub fn open_tier(tier: Tier, path: &Path) -> Result<OpenFolder> {
    let failed = |path: &Path| {
        let path = path.to_owned();
        move |error: io::Error| unwritable_error(&path, &error)
    };
    let project = path.parent().and_then(Path::parent).filter(|_| tier == Tier::Project);
    let Some(project) = project else {
        return OpenFolder::create_all(path, 0o777).map_err(failed(path));
    };
    let mut folder = OpenFolder::create_all(project, 0o777).map_err(failed(project))?;
    for name in path.components().rev().take(2).collect::<Vec<_>>().into_iter().rev() {
        folder = open_child(&folder, name.as_os_str(), 0o777)?;
    }
    Ok(folder)
}

/// The folder `name` in this one, made where there is none.
///
/// # Errors
/// `SKILL_PLACE_LINKED`, `FILE_UNWRITABLE`.
pub fn open_child(folder: &OpenFolder, name: &OsStr, mode: u32) -> Result<OpenFolder> {
    folder.open_or_create_child(name, mode).map_err(|error| {
        let path = folder.path().join(name);
        let is_link = path.symlink_metadata().is_ok_and(|found| found.is_symlink());
        if is_link { errors::symlink_error(&path) } else { unwritable_error(&path, &error) }
    })
}

/// Locks the tier with this folder against other daemons.
///
/// # Errors
/// `FILE_UNWRITABLE`.
pub fn lock_tier(tier: &Path) -> Result<OpenFolder> {
    let locked = OpenFolder::open(tier).and_then(|folder| folder.lock().map(|()| folder));
    locked.map_err(|error| unwritable_error(tier, &error))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::symlink;
    use std::path::Path;

    use super::{OpenFolder, Reason, StagingFolder, Tier};

    /// Work in a new tier, on a copy of one file.
    fn work() -> (tempfile::TempDir, StagingFolder) {
        let root = tempfile::tempdir().expect("a folder");
        fs::create_dir(root.path().join("from")).expect("made");
        fs::write(root.path().join("from/a"), "one").expect("written");
        let from = OpenFolder::open(&root.path().join("from")).expect("open");
        let tier = super::open_tier(Tier::Global, &root.path().join("tier")).expect("opened");
        let work = StagingFolder::copy(&from, tier).expect("copied");
        (root, work)
    }

    fn names(tier: &Path) -> Vec<std::ffi::OsString> {
        OpenFolder::open(tier).expect("open").names().expect("listed")
    }

    #[test]
    fn what_is_swapped_before_the_rename_is_not_installed() {
        let (root, work) = work();
        let (tier, hash) = (root.path().join("tier"), work.hash().expect("hashed"));
        let place = work.folder().expect("there").path().to_owned();
        fs::rename(&place, root.path().join("away")).expect("moved");
        symlink(root.path().join("from"), &place).expect("linked");
        let error = work.install("a", Tier::Global, &hash).expect_err("it is a link");
        assert_eq!(error.reason(), Reason::SkillChanged);
        assert!(names(&tier).is_empty(), "{:?}", names(&tier));
        assert!(root.path().join("from/a").is_file());
    }

    #[test]
    fn what_is_written_after_the_look_is_not_installed() {
        let (root, work) = work();
        let hash = work.hash().expect("hashed");
        let place = work.folder().expect("there").path().to_owned();
        fs::write(place.join("a"), "two").expect("written");
        let error = work.install("a", Tier::Global, &hash).expect_err("it is another");
        assert_eq!(error.reason(), Reason::SkillChanged);
        assert!(names(&root.path().join("tier")).is_empty());
    }

    #[test]
    fn a_skill_that_was_written_to_meanwhile_is_not_replaced() {
        let (root, work) = work();
        let tier = root.path().join("tier");
        fs::create_dir(tier.join("a")).expect("made");
        fs::write(tier.join("a/a"), "old").expect("written");
        let old = crate::skills::hash::hash(&tier.join("a")).expect("hashed");
        fs::write(tier.join("a/a"), "older").expect("written");
        let new = work.hash().expect("hashed");
        let error = work.replace("a", &old, &new).expect_err("it is another");
        assert_eq!(error.reason(), Reason::SkillChanged);
        assert_eq!(fs::read_to_string(tier.join("a/a")).expect("read"), "older");
        assert_eq!(names(&tier), ["a"]);
    }

    #[test]
    fn the_skills_of_a_project_are_behind_no_link() {
        let root = tempfile::tempdir().expect("a folder");
        let project = root.path().canonicalize().expect("there");
        let open = |name: &str| {
            super::open_tier(Tier::Project, &project.join(name).join(".browse/skills"))
        };
        fs::create_dir_all(project.join("elsewhere")).expect("made");
        fs::create_dir_all(project.join("a/.browse")).expect("made");
        symlink(project.join("elsewhere"), project.join("a/.browse/skills")).expect("linked");
        fs::create_dir_all(project.join("b")).expect("made");
        symlink(project.join("elsewhere"), project.join("b/.browse")).expect("linked");
        for name in ["a", "b"] {
            let error = open(name).expect_err("it is a link");
            assert_eq!(error.reason(), Reason::SkillPlaceLinked, "{error}");
        }
        assert!(names(&project.join("elsewhere")).is_empty());
        assert_eq!(open("c").expect("made").path(), project.join("c/.browse/skills"));
    }

    #[test]
    fn what_is_dropped_is_gone() {
        let (root, work) = work();
        drop(work);
        assert!(names(&root.path().join("tier")).is_empty());
    }
}
