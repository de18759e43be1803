//! The client that the environment names.

use super::client::Browse;
use super::discovery::{find_daemon, remote_name, variable};
use super::error::{Error, Result};

/// Makes a client of the daemon that the environment names: `BROWSE_ADDR` with
/// `BROWSE_TOKEN` or `BROWSE_SKILL_TOKEN`, else the state file of the project. It acts
/// in the session of `BROWSE_SESSION`.
///
/// # Errors
/// `DAEMON_NOT_RUNNING`, `STATE_FILE_INVALID`; `SETTING_INVALID`: `BROWSE_REMOTE` names
/// a remote, which needs the feature `remote`.
pub fn connect() -> Result<Browse> {
    if remote_name().is_some() {
        let message = "`BROWSE_REMOTE` names a remote, and this build of the SDK has no remotes";
        let hint = "Unset BROWSE_REMOTE, or build `browse-sdk` with its feature `remote`";
        return Err(Error::new("SETTING_INVALID", message, hint, 3));
    }
    let (address, token) = find_daemon(None, None)?;
    Ok(in_named_session(Browse::new(&address, &token)))
}

/// The same client, acting in the session of `BROWSE_SESSION`.
pub(crate) fn in_named_session(browse: Browse) -> Browse {
    match variable("BROWSE_SESSION") {
        Some(name) => browse.session(&name),
        None => browse,
    }
}
