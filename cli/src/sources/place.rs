//! Which files may be read for a command: those under the working directory or
//! the temp directory, and none that holds secrets. An agent that is talked
//! into reading `~/.ssh` by a page shall not be able to.

use std::{
    env, fs,
    path::{Component, Path, PathBuf},
};

use browse_proto::Reason;

use super::input::unreadable;
use crate::{
    failure::{Failure, Result},
    project::working_directory,
    save,
};

/// Folders whose content is nobody's to send.
const FOLDERS: &[&str] = &[".ssh", ".aws", ".gnupg", ".kube", ".azure", ".gcloud", ".docker"];

/// Endings of key and cookie stores.
const ENDINGS: &[&str] =
    &[".pem", ".key", ".p12", ".pfx", ".jks", ".keystore", ".kdbx", ".keychain", ".keychain-db"];

/// Names of key and cookie stores.
const NAMES: &[&str] = &[
    "id_rsa",
    "id_dsa",
    "id_ecdsa",
    "id_ed25519",
    ".netrc",
    ".pgpass",
    ".npmrc",
    ".pypirc",
    ".git-credentials",
    "credentials",
    "cookies",
    "cookies.sqlite",
    "login data",
    "key4.db",
    "logins.json",
];

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
            &directory,
        ));
    }
    if is_secret(&real) {
        return Err(denied(path, "is of a kind that holds secrets", &directory));
    }
    Ok(real)
}

fn denied(path: &str, why: &str, directory: &Path) -> Failure {
    let allowed = directory.display().to_string();
    Failure::with(Reason::FileDenied, format!("`{path}` {why}"), [("allowed", allowed)])
}

/// Whether `path` may be written: what a page serves must not become a setting,
/// a hook or a credential. Links of folders are followed before it is judged.
pub fn is_writable(path: &Path) -> bool {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).ok();
    let real = folder.zip(path.file_name()).map(|(folder, name)| folder.join(name));
    let real = real.as_deref().unwrap_or(path);
    !is_guarded(real) && !parts(real).iter().any(|part| part == ".git")
}

fn is_secret(path: &Path) -> bool {
    let parts = parts(path);
    let name = parts.last().map_or("", String::as_str);
    is_guarded(path) || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

fn parts(path: &Path) -> Vec<String> {
    let normal = |component| match component {
        Component::Normal(part) => Some(std::ffi::OsStr::to_string_lossy(part).to_lowercase()),
        _ => None,
    };
    path.components().filter_map(normal).collect()
}

/// Whether settings, credentials or our own files lie there.
fn is_guarded(path: &Path) -> bool {
    let parts = parts(path);
    let name = parts.last().map_or("", String::as_str);
    let ours = parts.iter().position(|part| part == ".browse").is_some_and(|at| {
        // The skills of a project are source code, which a team commits.
        parts.get(at + 1).is_none_or(|next| next != "skills")
    });
    let home = env::var_os("BROWSE_HOME").and_then(|home| fs::canonicalize(home).ok());
    ours || home.is_some_and(|home| path.starts_with(home))
        || name.starts_with(".env")
        || parts.iter().any(|part| FOLDERS.contains(&part.as_str()))
        || NAMES.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_are_known_by_their_places_and_names() {
        let secret = |path| is_secret(Path::new(path));
        for path in [
            "/p/.browse/daemon.json",
            "/p/.browse/config.toml",
            "/p/.env",
            "/p/.env.local",
            "/home/a/.ssh/config",
            "/home/a/.aws/x",
            "/p/server.PEM",
            "/p/id_ed25519",
            "/p/Cookies",
        ] {
            assert!(secret(path), "{path}");
        }
        for path in ["/p/.browse/daemon.json", "/p/.git/hooks/pre-commit", "/p/.env", "/h/.ssh/a"] {
            assert!(!is_writable(Path::new(path)), "{path}");
        }
        for path in ["/p/server.pem", "/p/.github/a.yml", "/p/.browse/skills/a/page.html"] {
            assert!(is_writable(Path::new(path)), "{path}");
        }
        for path in ["/p/.browse/skills/a/script.ts", "/p/page.html", "/p/environment.js"] {
            assert!(!secret(path), "{path}");
        }
    }
}
