//! The folder that a daemon serves.

use std::{
    env, fs, io,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use browse_proto::{Reason, project::ProjectSearch};

use browse_base::{Error, Result};

/// Everything in `.browse` stays out of version control, but what a team
/// shares.
const GITIGNORE: &str = "*\n!.gitignore\n!config.toml\n!skills/\n!skills/**\n";

/// The `.browse` folder of a project.
#[derive(Debug)]
pub struct Project {
    folder: PathBuf,
}

/// The project around `start`, by the rule that the command line and the SDKs
/// share.
pub fn find(start: &Path, browse_home: Option<&Path>) -> PathBuf {
    let home = env::var_os("HOME").map(PathBuf::from);
    let uid = Some(nix::unistd::geteuid().as_raw());
    browse_proto::project::find(start, ProjectSearch { uid, home: home.as_deref(), browse_home })
}

impl Project {
    /// Makes the folder `folder` (mode 0700) and its `.gitignore`.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE` on a read-only mount or a full disk.
    pub fn prepare(folder: &Path) -> Result<Self> {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|error| unwritable(folder, &error))?;
        refuse_links(folder)?;
        // Whatever mode it was cloned with: the logs in it are nobody else's.
        let about = fs::metadata(folder).map_err(|error| unwritable(folder, &error))?;
        if about.permissions().mode() & 0o077 != 0 {
            fs::set_permissions(folder, fs::Permissions::from_mode(0o700))
                .map_err(|error| unwritable(folder, &error))?;
        }
        // One that came with a clone, or that a full disk cut, would let the token of
        // the daemon into a commit.
        let ignore = folder.join(".gitignore");
        let is_file = fs::symlink_metadata(&ignore).is_ok_and(|about| about.is_file());
        if !is_file || fs::read(&ignore).ok().as_deref() != Some(GITIGNORE.as_bytes()) {
            write_private(&ignore, GITIGNORE)?;
        }
        Ok(Self { folder: folder.to_path_buf() })
    }

    /// The folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }
}

/// Refuses a project whose `.browse` is a link, before anything in it is read.
///
/// # Errors
/// `STATE_FILE_INVALID`.
pub fn refuse_link(project: &Path, browse_home: &Path) -> Result<()> {
    if !browse_proto::project::has_linked_settings(project, Some(browse_home)) {
        return Ok(());
    }
    let path = project.join(".browse");
    let message = format!("`{}` is a link: it has to be a folder", path.display());
    Err(Error::new(Reason::StateFileInvalid, message).with("path", path.display()))
}

/// Refuses a folder of somebody else, and links in the place of our files: a
/// cloned project must not make us write somewhere else.
fn refuse_links(folder: &Path) -> Result<()> {
    let refuse = |path: &Path, what: &str| {
        let message = format!("`{}` {what}", path.display());
        Err(Error::new(Reason::StateFileInvalid, message).with("path", path.display()))
    };
    let found = fs::metadata(folder).map_err(|error| unwritable(folder, &error))?;
    if found.uid() != nix::unistd::geteuid().as_raw() {
        return refuse(folder, "belongs to another user");
    }
    let entries = fs::read_dir(folder).map_err(|error| unwritable(folder, &error))?;
    for entry in entries.flatten() {
        let ours = !["config.toml", "skills"].iter().any(|team| entry.file_name() == *team);
        if ours && entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
            return refuse(&entry.path(), "is a link");
        }
    }
    Ok(())
}

/// Writes `content` to `path` with mode 0600, through a temporary file, so that
/// nobody reads half of it.
///
/// # Errors
/// `FILE_UNWRITABLE`.
pub fn write_private(path: &Path, content: impl AsRef<[u8]>) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || -> io::Result<()> {
        let mut file = tempfile::Builder::new()
            .prefix(".daemon-")
            .permissions(fs::Permissions::from_mode(0o600))
            .tempfile_in(folder)?;
        io::Write::write_all(&mut file, content.as_ref())?;
        file.persist(path)?;
        Ok(())
    };
    write().map_err(|error| unwritable(path, &error))
}

/// The error for a place that cannot be written.
pub fn unwritable(path: &Path, error: &io::Error) -> Error {
    let message = format!("`{}` cannot be written: {error}", path.display());
    Error::new(Reason::FileUnwritable, message).with("path", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_clone_says_of_ignored_files_and_modes_does_not_count() {
        let place = tempfile::tempdir().expect("a folder");
        let folder = place.path().join(".browse");
        for cloned in [None, Some(""), Some("!*\n")] {
            let _ = fs::remove_dir_all(&folder);
            if let Some(text) = cloned {
                fs::create_dir(&folder).expect("made");
                fs::set_permissions(&folder, fs::Permissions::from_mode(0o755)).expect("set");
                fs::write(folder.join(".gitignore"), text).expect("written");
            }
            Project::prepare(&folder).expect("prepared");
            let text = fs::read_to_string(folder.join(".gitignore")).expect("read");
            assert_eq!(text, GITIGNORE, "{cloned:?}");
            let mode = fs::metadata(&folder).expect("there").permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{cloned:?}");
        }
    }
}
