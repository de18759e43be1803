//! Which files may be read for a command: those under the working directory or
//! the temp directory, and none that holds secrets. An agent that is talked
//! into reading `~/.ssh` by a page shall not be able to.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use browse_proto::{
    Reason,
    private::{is_private, private_name},
};

use super::input::unreadable;
use crate::{
    failure::{Failure, Result},
    project::working_directory,
    save,
};

/// The real path of `path`, when it may be read.
pub fn readable(path: &str) -> Result<PathBuf> {
    let shown = format!("`{path}`");
    let real = fs::canonicalize(path).map_err(|e| unreadable(&shown, &save::cause(&e)))?;
    if !real.is_file() {
        return Err(unreadable(&shown, "it is no plain file"));
    }
    let directory = working_directory()?;
    let mut places = [directory.clone(), env::temp_dir(), PathBuf::from("/tmp")];
    places.iter_mut().for_each(|place| {
        if let Ok(real) = fs::canonicalize(&place) {
            *place = real;
        }
    });
    if !places.iter().any(|place| real.starts_with(place)) {
        return Err(denied(
            path,
            "is outside the working directory and the temp directory",
            format!("a file under `{}`", directory.display()),
        ));
    }
    if is_private(&real) || is_ours(&real) {
        return Err(denied(path, "is of a kind that holds secrets", HARMLESS));
    }
    // A link of another kind: the same file under a harmless name.
    let folders: Vec<_> = places.iter().take(1).map(PathBuf::as_path).collect();
    let other = private_name(&real, &folders).map_err(|e| unreadable(&shown, &e.to_string()))?;
    if let Some(other) = other {
        let other = other.strip_prefix(&places[0]).unwrap_or(&other).display().to_string();
        return Err(denied(path, &format!("is the same file as `{other}`"), HARMLESS));
    }
    Ok(real)
}

/// What may be read in the place of a file that holds secrets.
const HARMLESS: &str = "a file that holds no secrets";

fn denied(path: &str, why: &str, allowed: impl Into<String>) -> Failure {
    Failure::with(Reason::FileDenied, format!("`{path}` {why}"), [("allowed", allowed.into())])
}

/// Whether `path` may be written: what a page serves must not become a setting,
/// a hook or a credential. Links of folders are followed before it is judged.
pub fn is_writable(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok();
    let real = folder.zip(path.file_name()).map(|(folder, name)| folder.join(name));
    let real = real.as_deref().unwrap_or(path);
    // A key or a certificate is content; what is private by its place or name is not.
    !is_ours(real) && !is_private(&without_extension(real))
}

/// The path as it is without the endings that keys have, which may be written.
fn without_extension(path: &Path) -> PathBuf {
    let is_key = path.extension().is_some_and(|ending| {
        let ending = ending.to_string_lossy().to_lowercase();
        ["pem", "key", "p12", "pfx", "jks", "kdbx", "keystore", "ppk"].contains(&ending.as_str())
    });
    if is_key { path.with_extension("") } else { path.to_path_buf() }
}

/// Whether our own settings lie there.
fn is_ours(path: &Path) -> bool {
    let home = env::var_os("BROWSE_HOME").and_then(|home| fs::canonicalize(home).ok());
    home.is_some_and(|home| path.starts_with(home))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_page_serves_is_no_setting() {
        for path in ["/p/.browse/daemon.json", "/p/.git/hooks/pre-commit", "/p/.env", "/h/.ssh/a"] {
            assert!(!is_writable(Path::new(path)), "{path}");
        }
        for path in ["/p/server.pem", "/p/.github/a.yml", "/p/.browse/skills/a/page.html"] {
            assert!(is_writable(Path::new(path)), "{path}");
        }
    }
}
