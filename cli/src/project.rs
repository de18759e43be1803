//! Which project a command is for, and where its daemon keeps its state.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use browse_proto::{
    Reason,
    project::{self, ProjectSearch},
};
use rustix::process::geteuid;

use crate::{
    failure::{Failure, Result},
    io_failure,
};

/// A project and the files of its daemon. The daemon locks the top folder as
/// long as it lives; the process that starts one locks the folder of the state file.
/// Both are folders, so that no lock file is ever left behind.
#[derive(Clone, Debug)]
pub struct ProjectPaths {
    /// The top folder.
    pub root: PathBuf,
    /// Whether the caller named it; otherwise it was found around the working
    /// directory.
    pub is_named: bool,
    /// What the daemon says of itself.
    pub state_file: PathBuf,
    /// Where a daemon that dies early leaves its last words.
    pub startup_stderr: PathBuf,
}

impl ProjectPaths {
    /// The project of `folder` when given, else the one around the working
    /// directory.
    pub fn find(folder: Option<&Path>) -> Result<Self> {
        let root = match folder {
            Some(folder) => named_project(folder)?,
            None => project_around(&working_directory()?),
        };
        let home = env::var_os("BROWSE_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let home =
            home.or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".browse")));
        if project::has_linked_settings(&root, home.as_deref()) {
            let path = root.join(".browse").display().to_string();
            let message = format!("`{path}` is a link: it has to be a folder");
            return Err(Failure::with_values(Reason::StateFileInvalid, message, [("path", path)]));
        }
        let file = env::var_os("BROWSE_STATE_FILE").filter(|file| !file.is_empty());
        let state = match file {
            Some(file) => working_directory()?.join(file),
            None => root.join(".browse/daemon.json"),
        };
        let words = state.with_extension("err");
        Ok(Self { root, is_named: folder.is_some(), state_file: state, startup_stderr: words })
    }
}

/// The working directory.
pub fn working_directory() -> Result<PathBuf> {
    env::current_dir().map_err(|error| {
        let message = format!("the working directory is gone: {}", io_failure::error_text(&error));
        Failure::new(Reason::ArgumentInvalid, message).with_hint("Change to a folder that exists")
    })
}

fn named_project(folder: &Path) -> Result<PathBuf> {
    let found = fs::canonicalize(folder).ok().filter(|path| path.is_dir());
    found.ok_or_else(|| {
        let message = format!("the project `{}` is not a folder", folder.display());
        Failure::new(Reason::ArgumentInvalid, message)
            .with_hint("Give a folder with `--project` or BROWSE_PROJECT, or leave both out")
    })
}

/// The project around `folder`, by the rule that daemon and SDKs share.
fn project_around(folder: &Path) -> PathBuf {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let (home, browse_home) = (set("HOME"), set("BROWSE_HOME"));
    let asker = ProjectSearch {
        uid: Some(geteuid().as_raw()),
        home: home.as_deref(),
        browse_home: browse_home.as_deref(),
    };
    project::find(folder, asker)
}
