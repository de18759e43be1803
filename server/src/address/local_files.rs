//! Which local files may be opened as pages: those of the root caller under
//! its working directory or the temp directory, and never the places that hold
//! secrets.

use std::{
    env, fs,
    path::{Path, PathBuf},
};

use browse_proto::{
    Reason,
    sensitive_paths::{is_private, private_name},
};
use url::Url;

use super::UrlRequester;
use browse_base::{Error, Result};

/// Reads what follows `file:` as a page: `//./x`, `//~/x`, `///abs/x`. Query
/// and fragment survive.
///
/// # Errors
/// `FILE_DENIED` outside the allowed places, `FILE_UNREADABLE` when there is
/// no such plain file.
pub fn parse_file_url(rest: &str, asker: &UrlRequester<'_>) -> Result<Url> {
    let Some(cwd) = asker.cwd else {
        return Err(denied(
            "only the owner of the daemon opens local files",
            "an http or https address",
        ));
    };
    let end = rest.find(['?', '#']).unwrap_or(rest.len());
    let (path, suffix) = rest.split_at(end);
    let path = absolute(&decode(path), cwd)?;
    let real = fs::canonicalize(&path).map_err(|error| unreadable(&path, &error.to_string()))?;
    if real.is_dir() {
        return Err(denied(&format!("`{}` is a directory", path.display()), "a file in it"));
    }
    if !real.is_file() {
        return Err(unreadable(&path, "it is not a plain file"));
    }
    ensure_allowed(&real, cwd, asker.home)?;
    let url = Url::from_file_path(&real).map_err(|()| unreadable(&path, "the path is odd"))?;
    Url::parse(&format!("{url}{suffix}")).map_err(|error| unreadable(&path, &error.to_string()))
}

/// The real path of a file that may be given to a page.
///
/// # Errors
/// As [`parse_file_url`].
pub fn readable_file(path: &Path, cwd: &Path, home: &Path) -> Result<PathBuf> {
    let path = cwd.join(path);
    let real = fs::canonicalize(&path).map_err(|error| unreadable(&path, &error.to_string()))?;
    if !real.is_file() {
        return Err(unreadable(&path, "it is not a plain file"));
    }
    ensure_allowed(&real, cwd, home)?;
    Ok(real)
}

/// Checks that the resolved path `real` lies in an allowed place.
fn ensure_allowed(real: &Path, cwd: &Path, home: &Path) -> Result<()> {
    let resolved = |path: &Path| fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let temp = resolved(&env::temp_dir());
    let cwd = resolved(cwd);
    if !real.starts_with(&cwd) && !real.starts_with(&temp) {
        return Err(denied(
            &format!("`{}` is outside", real.display()),
            &describe_files_under(&cwd),
        ));
    }
    if real.starts_with(resolved(home)) || is_private(real) {
        return Err(denied(
            &format!("`{}` may hold secrets", real.display()),
            ALLOWED_INSTEAD_OF_SECRET,
        ));
    }
    match private_name(real, &[&cwd]) {
        Ok(None) => {}
        Ok(Some(other)) => {
            let message = format!("`{}` is the same file as `{}`", real.display(), other.display());
            return Err(denied(&message, ALLOWED_INSTEAD_OF_SECRET));
        }
        Err(error) => return Err(unreadable(real, &error.to_string())),
    }
    Ok(())
}

fn absolute(text: &str, cwd: &Path) -> Result<PathBuf> {
    let path = text.strip_prefix("//").unwrap_or(text);
    let path = path.strip_prefix("localhost/").map_or(path.to_owned(), |rest| format!("/{rest}"));
    if let Some(rest) = path.strip_prefix("~/") {
        let home = env::var_os("HOME").ok_or_else(|| unreadable(Path::new(&path), "no HOME"))?;
        return Ok(Path::new(&home).join(rest));
    }
    Ok(cwd.join(path))
}

fn decode(text: &str) -> String {
    percent_encoding::percent_decode_str(text).decode_utf8_lossy().into_owned()
}

/// What may be opened in the place of a file that holds secrets.
const ALLOWED_INSTEAD_OF_SECRET: &str = "a file that holds no secrets";

fn describe_files_under(path: &Path) -> String {
    format!("a file under `{}`", path.display())
}

fn denied(message: &str, allowed: &str) -> Error {
    Error::new(Reason::FileDenied, message).with("allowed", allowed)
}

fn unreadable(path: &Path, why: &str) -> Error {
    let message = format!("`{}` cannot be read: {why}", path.display());
    Error::new(Reason::FileUnreadable, message).with("path", path.display())
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Place {
        dir: tempfile::TempDir,
    }

    impl Place {
        fn new() -> Self {
            let dir = tempfile::tempdir().expect("a dir");
            Self { dir }
        }

        fn write(&self, name: &str) {
            let path = self.dir.path().join(name);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, "x").expect("a file");
        }

        fn open(&self, rest: &str) -> Result<String, &'static str> {
            let home = self.dir.path().join("home");
            let asker = UrlRequester { cwd: Some(self.dir.path()), home: &home };
            let url = parse_file_url(rest, &asker).map_err(|error| error.reason().name())?;
            Ok(url.as_str().rsplit('/').next().unwrap_or_default().to_owned())
        }
    }

    #[test]
    fn pages_under_the_working_directory_open() {
        let place = Place::new();
        place.write("a b.html");
        assert_eq!(place.open("//./a%20b.html?q=1#top"), Ok("a%20b.html?q=1#top".to_owned()));
        assert_eq!(place.open("a b.html"), Ok("a%20b.html".to_owned()));
    }

    #[test]
    fn everything_else_is_refused() {
        let place = Place::new();
        for name in [
            ".env.local",
            ".ENV",
            ".SSH/x",
            "a.PEM",
            ".ssh/config",
            ".browse/daemon.json",
            "home/x",
            "a.pem",
            ".git/config",
            "credentials.json",
        ] {
            place.write(name);
            assert_eq!(place.open(&format!("//./{name}")), Err("FILE_DENIED"), "{name}");
        }
        fs::hard_link(place.dir.path().join(".env.local"), place.dir.path().join("a.html"))
            .expect("a link");
        assert_eq!(place.open("//./a.html"), Err("FILE_DENIED"));
        assert_eq!(place.open("///etc/passwd"), Err("FILE_DENIED"));
        assert_eq!(place.open("//./../../../../../../etc/passwd"), Err("FILE_DENIED"));
        assert_eq!(place.open("//./"), Err("FILE_DENIED"));
        assert_eq!(place.open("//./none.html"), Err("FILE_UNREADABLE"));
    }

    #[test]
    fn skills_of_the_project_open() {
        let place = Place::new();
        place.write(".browse/skills/a/fixtures/p.html");
        assert_eq!(place.open("//./.browse/skills/a/fixtures/p.html"), Ok("p.html".to_owned()));
    }
}
