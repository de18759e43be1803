//! Where the daemon is: what the caller says, else what the environment names,
//! else, for a debug run, the state file of the project around the working
//! directory.

use std::fs::{self, File};
use std::io::Read;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use super::error::{Error, Result};
use super::json::Json;
use super::project::ProjectSearch;

/// Address and token of the daemon.
pub fn find_daemon(address: Option<String>, token: Option<String>) -> Result<(String, String)> {
    let address = address.or_else(|| variable("BROWSE_ADDR"));
    let of_skill = || address.as_ref().and_then(|_| variable("BROWSE_SKILL_TOKEN"));
    let token = token.or_else(|| variable("BROWSE_TOKEN")).or_else(of_skill);
    if let Some(address) = address {
        return Ok((normalize_address(&address), token.unwrap_or_default()));
    }
    let (address, root) = read_state_file(&state_path())?;
    Ok((address, token.unwrap_or(root)))
}

/// The remote that the environment names; none in the run of a skill, which has an
/// address and a token.
pub fn remote_name() -> Option<String> {
    let is_skill = variable("BROWSE_ADDR").is_some() && variable("BROWSE_SKILL_TOKEN").is_some();
    if is_skill { None } else { variable("BROWSE_REMOTE") }
}

/// A variable of the environment that is not empty.
pub fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok().filter(|value| !value.is_empty())
}

fn normalize_address(address: &str) -> String {
    address.strip_prefix("http://").unwrap_or(address).trim_end_matches('/').to_owned()
}

fn state_path() -> PathBuf {
    let here = std::env::current_dir().unwrap_or_default();
    if let Some(file) = variable("BROWSE_STATE_FILE") {
        return here.join(file);
    }
    let top = match variable("BROWSE_PROJECT") {
        Some(project) => PathBuf::from(project),
        None => project_of(&here),
    };
    top.join(".browse/daemon.json")
}

/// The project of a working directory, by the rule of the command line.
pub(crate) fn project_of(start: &Path) -> PathBuf {
    let (home, browse_home) = (variable("HOME"), variable("BROWSE_HOME"));
    // Without a /proc the mode of the state file says as much: only its owner can read it.
    let uid = fs::metadata("/proc/self").map(|us| us.uid()).ok();
    let asker = ProjectSearch {
        uid,
        home: home.as_deref().map(Path::new),
        browse_home: browse_home.as_deref().map(Path::new),
    };
    super::project::find(start, asker)
}

/// Address and token of a state file.
pub fn read_state_file(path: &Path) -> Result<(String, String)> {
    let invalid = |fault: &str| {
        let shown = path.display();
        let message = format!("the state file `{shown}` cannot be used: {fault}");
        Error::new("STATE_FILE_INVALID", message, &format!("Remove {shown}"), 9)
            .with_metadata("path", shown.to_string())
    };
    let home = variable("BROWSE_HOME").map(PathBuf::from);
    let home = home.or_else(|| variable("HOME").map(|home| Path::new(&home).join(".browse")));
    let top = path.parent().filter(|folder| folder.ends_with(".browse")).and_then(Path::parent);
    if top.is_some_and(|top| super::project::has_linked_settings(top, home.as_deref())) {
        return Err(invalid("its folder is a link"));
    }
    let Some(state) = read_private_json(path, invalid)? else {
        let message = "no daemon runs for this folder, and BROWSE_ADDR is not set";
        let hint = "Run `browse goto about:blank` in this folder, which starts one; a skill runs with `browse skill run NAME`";
        return Err(Error::new("DAEMON_NOT_RUNNING", message, hint, 14));
    };
    let address = normalize_address(state["address"].as_str().unwrap_or_default());
    let local = address.parse().is_ok_and(|at: std::net::SocketAddr| at.ip().is_loopback());
    if !local {
        return Err(invalid("its address is not on this machine"));
    }
    let token = state["token"].as_str().filter(|token| !token.is_empty());
    Ok((address, token.ok_or_else(|| invalid("it holds no token"))?.to_owned()))
}

/// What a file of JSON holds; `None` when there is no file. A process that can write
/// it can have our calls, so it counts only when it is ours alone: a checkout of
/// a repository that carries one never has its mode.
pub fn read_private_json(path: &Path, invalid: impl Fn(&str) -> Error) -> Result<Option<Json>> {
    let Ok(named) = fs::symlink_metadata(path) else { return Ok(None) };
    if !named.is_file() {
        return Err(invalid("it is a link, or no plain file"));
    }
    let mut file = File::open(path).map_err(|_| invalid("it cannot be read"))?;
    let about = file.metadata().map_err(|_| invalid("it cannot be read"))?;
    if (about.dev(), about.ino()) != (named.dev(), named.ino()) {
        return Err(invalid("it was replaced meanwhile"));
    }
    // Where there is no /proc, its mode says as much: nobody else could open it.
    if fs::metadata("/proc/self").is_ok_and(|us| us.uid() != about.uid()) {
        return Err(invalid("it belongs to another user"));
    }
    if about.mode() & 0o077 != 0 {
        return Err(invalid("others may open it"));
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|_| invalid("it cannot be read"))?;
    Json::parse(&text).map(Some).ok_or_else(|| invalid("it is no JSON"))
}
