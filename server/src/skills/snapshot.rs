//! A private copy of a skill with exactly the content that was hashed. What is
//! trusted, translated or built is the copy: a file that is swapped between the
//! look and the start changes nothing.

use std::fs;
use std::io;
use std::path::Path;
use std::time::{Duration, SystemTime};

use browse_proto::Reason;

use super::{
    drafts::unwritable_error,
    hash,
    skill_folder::SkillFolder,
    store::{
        OpenFolder,
        copy::{SNAPSHOT_RULES, copy},
    },
};
use browse_base::{Error, Result};

/// A copy that no run used for so long is removed.
const MAX_UNUSED_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// `skill` as it was when it had this hash: the same skill in a folder that
/// nobody else writes to.
///
/// # Errors
/// `SKILL_CHANGED`: it has another content by now.
pub fn verified_copy(skill: &SkillFolder, hash: &str, cache: &Path) -> Result<SkillFolder> {
    let root = cache.join("skills");
    let folder = root.join(format!("{}-{}", skill.name, &hash[..32]));
    if !folder.is_dir() {
        create_copy(skill, hash, &root, &folder)?;
        let _ = remove_unused(&root);
    }
    let touched = fs::File::open(&folder).and_then(|file| file.set_modified(SystemTime::now()));
    if let Err(error) = touched {
        tracing::debug!(%error, "a copy of a skill cannot be touched");
    }
    Ok(SkillFolder { folder, ..skill.clone() })
}

fn create_copy(skill: &SkillFolder, hash: &str, root: &Path, folder: &Path) -> Result<()> {
    let failed = |error: io::Error| unwritable_error(root, &error);
    let changed = |problem: String| {
        let message = format!("the skill `{}` was written to meanwhile: {problem}", skill.name);
        Error::new(Reason::SkillChanged, message).with("skill", &skill.name)
    };
    fs::create_dir_all(root).map_err(failed)?;
    let draft = tempfile::Builder::new().prefix(".draft-").tempdir_in(root).map_err(failed)?;
    let from = OpenFolder::open(&skill.folder).map_err(|error| changed(error.to_string()))?;
    let to = OpenFolder::open(draft.path()).map_err(failed)?;
    copy(&from, &to, &SNAPSHOT_RULES).map_err(|error| changed(error.to_string()))?;
    if hash::hash(draft.path()).map_err(failed)? != hash {
        return Err(changed("its content is another".to_owned()));
    }
    match fs::rename(draft.path(), folder) {
        // Another daemon was quicker, with the same content.
        Err(_) if folder.is_dir() => Ok(()),
        done => done.map_err(failed),
    }
}

/// Removes what no run used for long.
///
/// # Errors
/// The folder cannot be read or changed.
pub fn remove_unused(root: &Path) -> io::Result<()> {
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        if entry.metadata()?.modified()?.elapsed().is_ok_and(|age| age > MAX_UNUSED_AGE) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::{Reason, SkillFolder, verified_copy};
    use crate::skills::{hash::hash, tier::Tier};

    #[test]
    fn a_copy_is_what_was_hashed_or_none() {
        let (folder, cache) =
            (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
        fs::write(folder.path().join("run"), "one").expect("written");
        fs::create_dir(folder.path().join("__pycache__")).expect("made");
        fs::write(folder.path().join("__pycache__/a.pyc"), "").expect("written");
        let skill = SkillFolder::new(Tier::Global, folder.path().to_owned());
        let one = hash(folder.path()).expect("hashed");
        let copy = verified_copy(&skill, &one, cache.path()).expect("copied");
        fs::write(folder.path().join("run"), "two").expect("written");
        assert_eq!(hash(&copy.folder).expect("hashed"), one);
        assert_eq!(verified_copy(&skill, &one, cache.path()).expect("kept").folder, copy.folder);
        let swapped =
            verified_copy(&skill, &"0".repeat(64), cache.path()).expect_err("it is another");
        assert_eq!(swapped.reason(), Reason::SkillChanged);
        assert_eq!(fs::read_dir(cache.path().join("skills")).expect("read").count(), 1);
    }
}
