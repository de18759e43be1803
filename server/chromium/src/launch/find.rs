//! Which binary to start.
//!
//! Debian puts wrapper scripts on PATH that do not `exec`: a signal to the
//! wrapper's pid would orphan the browser. So the binaries themselves are
//! looked up in the places packages put them, and PATH is the last resort.

use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::hint::install_hint;
use super::info::Flavour;
use crate::error::{Error, Result};

/// Headless shells, best first.
const HEADLESS_SHELL_PATHS: &[&str] = &[
    "/usr/lib/chromium/chromium-headless-shell",
    "/usr/lib64/chromium-browser/headless_shell",
    "/opt/chrome-headless-shell/chrome-headless-shell",
];

/// Full browsers, best first.
const BROWSER_PATHS: &[&str] = &[
    "/usr/lib/chromium/chromium",
    "/usr/lib64/chromium-browser/chromium-browser",
    "/opt/google/chrome/chrome",
    "/opt/google/chrome-beta/chrome",
    "/opt/microsoft/msedge/msedge",
    "/opt/brave.com/brave/brave",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge",
];

/// Names looked up on PATH when no known place has a browser.
const PROGRAM_NAMES: &[&str] = &["chrome-headless-shell", "chromium", "google-chrome", "chrome"];

/// A binary and how it will run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct BrowserBinary {
    pub executable: PathBuf,
    pub flavour: Flavour,
}

/// The configured browser, else the best installed one.
pub(crate) fn find_browser(configured: Option<&Path>, headed: bool) -> Result<BrowserBinary> {
    if let Some(path) = configured {
        let executable = check_executable(path)
            .map_err(|problem| Error::BrowserUnusable { path: path.to_owned(), problem })?;
        let executable = resolve_wrapper(executable);
        let flavour = flavour_of(&executable, headed);
        // A shell that is configured for headless work has no windows: for
        // those the installed browsers are looked up.
        if !(headed && flavour == Flavour::HeadlessShell) {
            return Ok(BrowserBinary { executable, flavour });
        }
    }
    let shells = HEADLESS_SHELL_PATHS.iter().filter(|_| !headed);
    let home = std::env::home_dir().unwrap_or_default();
    shells
        .chain(BROWSER_PATHS)
        .map(PathBuf::from)
        .chain(BROWSER_PATHS.iter().map(|path| home.join(path.trim_start_matches('/'))))
        .chain(on_path())
        .filter_map(|path| check_executable(&path).ok())
        .map(|executable| {
            let executable = resolve_wrapper(executable);
            let flavour = flavour_of(&executable, headed);
            BrowserBinary { executable, flavour }
        })
        .find(|found| !(headed && found.flavour == Flavour::HeadlessShell))
        .ok_or_else(|| Error::BrowserNotFound { hint: install_hint(headed) })
}

/// The program that shows windows: the configured browser, unless that is a
/// headless shell, else the best installed one.
///
/// # Errors
/// `NotFound`, or `Unusable` for a configured program that cannot run.
pub fn find_headed(configured: Option<&Path>) -> Result<PathBuf> {
    find_browser(configured, true).map(|found| found.executable)
}

/// The candidates on PATH.
fn on_path() -> impl Iterator<Item = PathBuf> {
    let path = std::env::var_os("PATH").unwrap_or_default();
    let folders: Vec<PathBuf> = std::env::split_paths(&path).collect();
    PROGRAM_NAMES
        .iter()
        .flat_map(move |name| folders.iter().map(|folder| folder.join(name)).collect::<Vec<_>>())
}

/// Follows links and says what is wrong with a path that cannot be run.
fn check_executable(path: &Path) -> Result<PathBuf, String> {
    let path = path.canonicalize().map_err(|error| match error.kind() {
        std::io::ErrorKind::NotFound => "there is no such file".to_owned(),
        _ => error.to_string(),
    })?;
    let metadata = path.metadata().map_err(|error| error.to_string())?;
    if !metadata.is_file() {
        return Err("it is not a file".to_owned());
    }
    if metadata.permissions().mode() & 0o111 == 0 {
        return Err("it is not executable".to_owned());
    }
    // Ubuntu's stub, and anything else that snapd starts.
    if path.file_name().is_some_and(|name| name == "snap") {
        return Err("it is started by snap, which cannot be driven".to_owned());
    }
    Ok(path)
}

/// Replaces Debian's wrapper scripts by the binaries they start.
fn resolve_wrapper(path: PathBuf) -> PathBuf {
    let binary = match path.to_str() {
        Some("/usr/bin/chromium-headless-shell") => "/usr/lib/chromium/chromium-headless-shell",
        Some("/usr/bin/chromium") => "/usr/lib/chromium/chromium",
        _ => return path,
    };
    check_executable(Path::new(binary)).unwrap_or(path)
}

/// Headless shells are known by their name.
fn flavour_of(path: &Path, headed: bool) -> Flavour {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.contains("headless-shell") || name.contains("headless_shell") {
        Flavour::HeadlessShell
    } else if headed {
        Flavour::Headed
    } else {
        Flavour::Headless
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_configured_path_that_cannot_run_is_an_error_of_its_own() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("chromium");
        let problem = |path: &Path| match find_browser(Some(path), false) {
            Err(Error::BrowserUnusable { problem, .. }) => problem,
            other => panic!("expected a refusal, got {other:?}"),
        };
        assert_eq!(problem(&file), "there is no such file");
        assert_eq!(problem(folder.path()), "it is not a file");
        std::fs::write(&file, "").expect("written");
        assert_eq!(problem(&file), "it is not executable");
    }

    #[test]
    fn a_shell_is_known_by_its_name_and_cannot_be_headed() {
        let folder = tempfile::tempdir().expect("a folder");
        let file = folder.path().join("chrome-headless-shell");
        std::fs::write(&file, "").expect("written");
        std::fs::set_permissions(&file, PermissionsExt::from_mode(0o755)).expect("set");
        let found = find_browser(Some(&file), false).expect("usable");
        assert_eq!(found.flavour, Flavour::HeadlessShell);
        // What is installed depends on the machine; it is not a shell.
        match find_browser(Some(&file), true) {
            Ok(found) => assert_eq!(found.flavour, Flavour::Headed),
            Err(error) => assert!(matches!(error, Error::BrowserNotFound { .. }), "{error}"),
        }
    }
}
