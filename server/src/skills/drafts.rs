//! Drafts: folders under `$BROWSE_HOME/.tmp` that skills are written in.

use std::ffi::{OsStr, OsString};
use std::io;
use std::path::{Path, PathBuf};

use browse_proto::Reason;

use super::skill_name;
use super::store::{OpenFolder, random_id};
use browse_base::{Error, Result};

/// Begins the name of a draft that is not whole yet.
pub const PARTIAL_PREFIX: &str = ".stage-";

/// Ends the name of the note on a draft that is being committed.
pub const COMMIT_NOTE_SUFFIX: &str = ".commit";

/// The drafts of a home.
#[derive(Debug)]
pub struct DraftStore {
    folder: PathBuf,
}

/// A draft that this command alone works on.
#[derive(Debug)]
pub struct SkillDraft {
    /// `skillify-…`.
    pub name: String,
    /// Its folder, locked as long as this lives.
    pub folder: OpenFolder,
    /// The folder of all drafts.
    pub parent: OpenFolder,
}

/// What a word of a command line means.
#[derive(Debug)]
pub enum DraftArgument {
    /// A draft, by its name or its folder.
    Draft(String),
    /// Some other folder.
    Folder(PathBuf),
}

impl DraftStore {
    /// The drafts below this home.
    pub fn new(home: &Path) -> Self {
        Self { folder: home.join(".tmp") }
    }

    /// Where they are.
    pub fn path(&self) -> &Path {
        &self.folder
    }

    /// Makes a draft; `fill` puts its files into it. It appears when it is whole.
    ///
    /// # Errors
    /// Those of `fill`, and `FILE_UNWRITABLE`.
    pub fn create(&self, fill: impl FnOnce(&OpenFolder) -> Result<()>) -> Result<SkillDraft> {
        let unwritable = |error: io::Error| unwritable_error(&self.folder, &error);
        let all = OpenFolder::create_all(&self.folder, 0o700).map_err(unwritable)?;
        let id = random_id();
        let (part, name) = (
            OsString::from(format!("{PARTIAL_PREFIX}{id}")),
            format!("{}{id}", skill_name::DRAFT_PREFIX),
        );
        let folder = all.create_locked_child(&part).map_err(unwritable)?;
        let made = fill(&folder)
            .and_then(|()| all.move_to(&part, &all, OsStr::new(&name)).map_err(unwritable))
            .and_then(|()| all.sync().map_err(unwritable));
        if let Err(error) = made {
            let _ = all.remove(&part);
            return Err(error);
        }
        let folder = OpenFolder::open(&self.folder.join(&name)).map_err(unwritable)?;
        Ok(SkillDraft { name, folder, parent: all })
    }

    /// Makes a folder that is removed when it is dropped, and swept away when
    /// the daemon dies before.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn create_scratch(&self) -> Result<ScratchFolder> {
        let unwritable = |error: io::Error| unwritable_error(&self.folder, &error);
        let all = OpenFolder::create_all(&self.folder, 0o700).map_err(unwritable)?;
        let name = OsString::from(format!("{PARTIAL_PREFIX}{}", random_id()));
        let folder = all.create_locked_child(&name).map_err(unwritable)?;
        Ok(ScratchFolder { parent: all, name, folder })
    }

    /// Whether `name` is how drafts are called, and there is none called so.
    pub fn is_gone(&self, name: &str) -> bool {
        is_draft_name(name) && self.folder.join(name).symlink_metadata().is_err()
    }

    /// What `word` means to a caller in `cwd`.
    ///
    /// # Errors
    /// `DRAFT_NOT_FOUND`: nothing.
    pub fn resolve(&self, word: &str, cwd: Option<&Path>) -> Result<DraftArgument> {
        if is_draft_name(word) {
            return Ok(DraftArgument::Draft(word.to_owned()));
        }
        let path = cwd.map(|cwd| cwd.join(word)).filter(|_| !word.is_empty());
        let path = path.and_then(|path| {
            // The folder that holds it is resolved; itself it may not be a link.
            let name = path.file_name()?.to_owned();
            Some(path.parent()?.canonicalize().ok()?.join(name))
        });
        let path = path
            .filter(|path| path.symlink_metadata().is_ok())
            .ok_or_else(|| draft_not_found(word))?;
        let of_ours = self.folder.canonicalize().is_ok_and(|all| path.parent() == Some(&all));
        let name =
            path.file_name().and_then(OsStr::to_str).filter(|name| of_ours && is_draft_name(name));
        Ok(match name {
            Some(name) => DraftArgument::Draft(name.to_owned()),
            None => DraftArgument::Folder(path),
        })
    }

    /// Removes what stands in the place of the draft `name` and is none, such as
    /// a link: not what it leads to.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn remove_invalid(&self, name: &str) -> Result<()> {
        let removed = OpenFolder::open(&self.folder).and_then(|all| {
            all.remove(OsStr::new(name))?;
            all.sync()
        });
        removed.map_err(|error| unwritable_error(&self.folder, &error))
    }

    /// Opens the draft `name`, for one command at a time.
    ///
    /// # Errors
    /// `DRAFT_NOT_FOUND`, `DRAFT_BUSY`, and `DRAFT_REFUSED` when it is not a folder.
    pub fn open(&self, name: &str) -> Result<SkillDraft> {
        let Ok(all) = OpenFolder::open(&self.folder) else { return Err(draft_not_found(name)) };
        let folder = all.child(OsStr::new(name)).map_err(|_| match all.has(OsStr::new(name)) {
            true => not_a_folder_error(all.path(), name),
            false => draft_not_found(name),
        })?;
        if !folder.try_lock() {
            let message = format!("another command works on the draft `{name}`");
            return Err(Error::new(Reason::DraftBusy, message).with("draft", name));
        }
        // The other command may have ended, and the draft with it.
        let same = |entry: super::store::FolderEntry| {
            folder.metadata().is_ok_and(|own| own.identity == entry.identity)
        };
        if !all.entry(OsStr::new(name)).is_ok_and(same) {
            return Err(draft_not_found(name));
        }
        Ok(SkillDraft { name: name.to_owned(), folder, parent: all })
    }
}

/// A folder to work in.
#[derive(Debug)]
pub struct ScratchFolder {
    parent: OpenFolder,
    name: OsString,
    /// It itself.
    pub folder: OpenFolder,
}

impl Drop for ScratchFolder {
    fn drop(&mut self) {
        if let Err(error) = self.parent.remove(&self.name) {
            tracing::debug!(%error, "a folder that was worked in cannot be removed");
        }
    }
}

impl SkillDraft {
    /// Removes it, and the note on its commit.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn remove(&self) -> Result<()> {
        let removed = self
            .parent
            .remove(OsStr::new(&self.name))
            .and_then(|()| self.parent.remove(&self.commit_note_name()))
            .and_then(|()| self.parent.sync());
        removed.map_err(|error| unwritable_error(self.parent.path(), &error))
    }

    /// The name of the note on its commit.
    pub fn commit_note_name(&self) -> OsString {
        format!("{}{COMMIT_NOTE_SUFFIX}", self.name).into()
    }
}

/// Whether this is how drafts are called.
pub fn is_draft_name(word: &str) -> bool {
    word.strip_prefix(skill_name::DRAFT_PREFIX)
        .is_some_and(|id| id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit()))
}

/// `FILE_UNWRITABLE` for this path.
pub fn unwritable_error(path: &Path, error: &io::Error) -> Error {
    let message = format!("`{}` cannot be written: {error}", path.display());
    Error::new(Reason::FileUnwritable, message).with("path", path.display())
}

fn not_a_folder_error(all: &Path, name: &str) -> Error {
    let message = format!("the draft `{name}` is not a folder of its own, but a link or a file");
    Error::new(Reason::DraftRefused, message).with("file", all.join(name).display())
}

fn draft_not_found(word: &str) -> Error {
    let word: String = word.chars().take(200).collect();
    let message = format!("there is no draft or folder `{}`", word.escape_debug());
    Error::new(Reason::DraftNotFound, message).with("draft", word.escape_debug())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::{PermissionsExt as _, symlink};

    use super::{DraftArgument, DraftStore, OsStr, Reason};

    fn drafts() -> (tempfile::TempDir, DraftStore) {
        let home = tempfile::tempdir().expect("a folder");
        let drafts = DraftStore::new(home.path());
        (home, drafts)
    }

    #[test]
    fn a_draft_is_whole_or_not_there() {
        let (home, drafts) = drafts();
        let failed = drafts.create(|_| Err(browse_base::Error::new(Reason::Bug, "no")));
        assert!(failed.is_err());
        assert_eq!(fs::read_dir(home.path().join(".tmp")).expect("read").count(), 0);
        let draft = drafts.create(|_| Ok(())).expect("made");
        let mode = fs::metadata(draft.folder.path()).expect("there").permissions().mode();
        assert_eq!(mode & 0o777, 0o700);
    }

    #[test]
    fn one_command_works_on_a_draft() {
        let (_home, drafts) = drafts();
        let name = drafts.create(|_| Ok(())).expect("made").name;
        let draft = drafts.open(&name).expect("open");
        assert_eq!(drafts.open(&name).expect_err("busy").reason(), Reason::DraftBusy);
        draft.remove().expect("removed");
        drop(draft);
        assert_eq!(drafts.open(&name).expect_err("gone").reason(), Reason::DraftNotFound);
    }

    #[test]
    fn words_are_drafts_or_folders_and_never_lead_elsewhere() {
        let (home, drafts) = drafts();
        let draft = drafts.create(|_| Ok(())).expect("made");
        let cwd = home.path().canonicalize().expect("there");
        let named = |word: &str| drafts.resolve(word, Some(&cwd));
        let path = draft.folder.path().display().to_string();
        for word in [draft.name.as_str(), &path, &format!(".tmp/{}", draft.name)] {
            assert!(
                matches!(named(word), Ok(DraftArgument::Draft(name)) if name == draft.name),
                "{word}"
            );
        }
        symlink("/", home.path().join(".tmp/skillify-0000000a")).expect("linked");
        let refused = drafts.open("skillify-0000000a").expect_err("a link is not a draft");
        assert_eq!(refused.reason(), Reason::DraftRefused);
        assert!(!drafts.is_gone("skillify-0000000a"));
        drafts.remove_invalid("skillify-0000000a").expect("removed");
        assert!(drafts.is_gone("skillify-0000000a") && std::path::Path::new("/etc").is_dir());
        assert!(matches!(named("."), Err(_) | Ok(DraftArgument::Folder(_))));
        for word in ["", "nowhere", "skillify-1/../x", "\0"] {
            assert!(named(word).is_err(), "{word}");
        }
    }

    #[test]
    fn what_is_swapped_after_the_opening_is_not_taken() {
        let (home, drafts) = drafts();
        let made = drafts
            .create(|folder| {
                let written = folder.write(OsStr::new("a"), b"one", false);
                written.map_err(|error| super::unwritable_error(folder.path(), &error))
            })
            .expect("made");
        let draft = drafts.open(&made.name).expect("open");
        fs::rename(draft.folder.path(), home.path().join("away")).expect("moved");
        symlink("/etc", draft.folder.path()).expect("linked");
        assert_eq!(draft.folder.names().expect("listed"), ["a"]);
        drop(draft);
        assert!(drafts.open(&made.name).is_err());
    }
}
