//! Which files may be read for a command: those under the working directory or
//! the temp directory, and none that holds secrets. An agent that is talked
//! into reading `~/.ssh` by a page shall not be able to.

use std::{
    env, fs,
    path::{Component, Path, PathBuf},
};

use browse_proto::{
    Reason,
    sensitive_paths::{is_private, private_name},
};

use super::input::unreadable;
use crate::{
    failure::{Failure, Result},
    io_failure,
    project::working_directory,
};

/// The real path of `path`, when it may be read.
pub fn check_readable(path: &str) -> Result<PathBuf> {
    let shown = format!("`{path}`");
    let directory = working_directory()?;
    let mut places = [directory.clone(), env::temp_dir(), PathBuf::from("/tmp")];
    places.iter_mut().for_each(|place| {
        if let Ok(real) = fs::canonicalize(&place) {
            *place = real;
        }
    });
    let is_outside = |real: &Path| !places.iter().any(|place| real.starts_with(place));
    let outside = || {
        denied(
            path,
            "is outside the working directory and the temp directory",
            format!("a file under `{}`", directory.display()),
        )
    };
    let real = match fs::canonicalize(path) {
        Ok(real) if is_outside(&real) => return Err(outside()),
        Ok(real) => real,
        // Callers do not learn which other files exist.
        Err(_) if is_outside(&without_dots(&directory.join(path))) => return Err(outside()),
        Err(error) => return Err(unreadable(&shown, &io_failure::error_text(&error))),
    };
    if !real.is_file() {
        return Err(unreadable(&shown, "it is not a plain file"));
    }
    if is_private(&real) || is_in_browse_home(&real) {
        return Err(denied(path, "is of a kind that holds secrets", ALLOWED_FILES));
    }
    // A link of another kind: the same file under a harmless name.
    let folders: Vec<_> = places.iter().take(1).map(PathBuf::as_path).collect();
    let other = private_name(&real, &folders).map_err(|e| unreadable(&shown, &e.to_string()))?;
    if let Some(other) = other {
        let other = other.strip_prefix(&places[0]).unwrap_or(&other).display().to_string();
        return Err(denied(path, &format!("is the same file as `{other}`"), ALLOWED_FILES));
    }
    Ok(real)
}

/// `path` without `.` and `..`, whether or not it exists.
fn without_dots(path: &Path) -> PathBuf {
    let mut plain = PathBuf::new();
    for part in path.components() {
        match part {
            Component::CurDir => {}
            Component::ParentDir => drop(plain.pop()),
            part => plain.push(part),
        }
    }
    plain
}

/// What may be read in the place of a file that holds secrets.
const ALLOWED_FILES: &str = "a file that holds no secrets";

fn denied(path: &str, why: &str, allowed: impl Into<String>) -> Failure {
    Failure::with_values(
        Reason::FileDenied,
        format!("`{path}` {why}"),
        [("allowed", allowed.into())],
    )
}

/// Whether our own settings lie there.
fn is_in_browse_home(path: &Path) -> bool {
    let home = env::var_os("BROWSE_HOME").and_then(|home| fs::canonicalize(home).ok());
    home.is_some_and(|home| path.starts_with(home))
}
