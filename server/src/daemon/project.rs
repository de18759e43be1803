//! The folder that a daemon serves.

use std::{
    env, fs, io,
    os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use browse_proto::{Reason, project::ProjectSearch};

use crate::error::{Error, Result};

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
        let ignore = folder.join(".gitignore");
        match fs::File::create_new(&ignore) {
            Ok(mut file) => io::Write::write_all(&mut file, GITIGNORE.as_bytes())
                .map_err(|error| unwritable(&ignore, &error))?,
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(unwritable(&ignore, &error)),
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
/// cloned project must not make us write elsewhere.
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

/// Writes `text` to `path` with mode 0600, through a temporary file, so that
/// nobody reads half of it.
///
/// # Errors
/// `FILE_UNWRITABLE`.
pub fn write_private(path: &Path, text: &str) -> Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    let write = || -> io::Result<()> {
        let mut file = tempfile::Builder::new()
            .prefix(".daemon-")
            .permissions(fs::Permissions::from_mode(0o600))
            .tempfile_in(folder)?;
        io::Write::write_all(&mut file, text.as_bytes())?;
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
