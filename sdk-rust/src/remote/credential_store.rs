//! Where a remote is kept: `$BROWSE_HOME/remotes/<name>.json`, its user's alone.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::fleet_state::FleetState;
use super::pairing_link::is_pin;
use crate::discovery::read_private_json;
use crate::error::{Error, Result};
use crate::json::Json;

/// What a remote file says when authorities may vouch for the other end.
pub const SESSION_KEY_MODE: &str = "session-key";

/// What the file of a fleet says of its `kind`; that of a pairing has none.
const FLEET_KIND: &str = "fleet";

/// What a remote file holds.
#[derive(Debug, PartialEq)]
pub enum StoredRemote {
    /// A daemon that has a pairing with this user.
    Paired(PairedRemote),
    /// A fleet that was signed in to.
    Fleet(FleetState),
}

/// A daemon that has a pairing with this user.
#[derive(Debug, PartialEq)]
pub struct PairedRemote {
    /// `host:port`.
    pub address: String,
    /// What it has to show.
    pub pin: String,
    /// The token to call it with.
    pub token: String,
    /// Whether authorities may vouch for the other end.
    pub allows_public_ca: bool,
}

/// What is kept in a file; `None` when there is no file.
pub fn read_remote(path: &Path) -> Result<Option<StoredRemote>> {
    let invalid = |fault: &str| {
        let shown = path.display();
        let message = format!("the remote file `{shown}` cannot be used: {fault}");
        let hint = format!("Remove {shown}, then redeem a new block, or sign in again");
        Error::new("REMOTE_FILE_INVALID", message, &hint, 9)
            .with_metadata("path", shown.to_string())
    };
    let damaged = || invalid("it is damaged");
    let Some(state) = read_private_json(path, invalid)? else { return Ok(None) };
    if let Some(kind) = state.get("kind") {
        let fleet = FleetState::parse(&state).filter(|_| kind.as_str() == Some(FLEET_KIND));
        return fleet.map(|fleet| Some(StoredRemote::Fleet(fleet))).ok_or_else(damaged);
    }
    let [address, pin, token] =
        ["address", "pin", "token"].map(|key| state[key].as_str().unwrap_or_default().to_owned());
    let vouched = state.get("trust").is_some();
    let trust = !vouched || state["trust"].as_str() == Some(SESSION_KEY_MODE);
    if address.is_empty() || token.is_empty() || !is_pin(&pin) || !trust {
        return Err(damaged());
    }
    let paired = PairedRemote { address, pin, token, allows_public_ca: vouched };
    Ok(Some(StoredRemote::Paired(paired)))
}

/// The state of the fleet `name`, whose file was read before.
pub fn read_fleet(name: &str, path: &Path) -> Result<FleetState> {
    match read_remote(path)? {
        None => Err(unknown_remote(name)),
        Some(StoredRemote::Fleet(state)) => Ok(state),
        Some(StoredRemote::Paired(_)) => {
            let message = format!("the remote `{name}` was replaced by a pairing just now");
            Err(Error::new("REMOTE_UNKNOWN", message, "Open it again", 5))
        }
    }
}

/// The failure of a name without a file.
pub fn unknown_remote(name: &str) -> Error {
    let hint = "Run `browse redeem <link>` with the link of a pairing block, or `browse login <url>` with the address of a fleet";
    Error::new("REMOTE_UNKNOWN", format!("there is no remote `{name}`"), hint, 5)
}

/// The file that keeps the remote `name`.
pub fn remote_path(name: &str) -> Result<PathBuf> {
    let good = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    if !begins || name.len() > 64 || !name.chars().all(good) {
        let hint = "Use letters, digits, dash, dot and underscore, at most 64";
        let message = format!("`{name}` cannot name a remote");
        return Err(Error::new("ARGUMENT_INVALID", message, hint, 3));
    }
    let set = |name| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = set("BROWSE_HOME").or_else(|| Some(set("HOME")?.join(".browse")));
    let home = home.ok_or_else(|| {
        let message = "neither BROWSE_HOME nor HOME names a folder";
        Error::new("SETTING_INVALID", message, "Set HOME or BROWSE_HOME", 3)
    })?;
    Ok(home.join("remotes").join(format!("{name}.json")))
}

/// Keeps `members` in the file at `path`, in place of what was there.
pub fn write_remote(path: &Path, members: &[(&str, &str)]) -> Result<()> {
    let json = Json::object(members.iter().map(|(name, value)| (*name, Json::from(*value))));
    let write = || -> io::Result<()> {
        let folder = path.parent().unwrap_or(Path::new("."));
        DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
        // Through a file of its own, so that nobody reads half of it.
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let waiting = folder.join(format!(".{name}.{}", std::process::id()));
        let _ = fs::remove_file(&waiting);
        let mut draft =
            OpenOptions::new().write(true).create_new(true).mode(0o600).open(&waiting)?;
        draft.write_all(json.to_string().as_bytes())?;
        fs::rename(&waiting, path)
    };
    write().map_err(|error| {
        let shown = path.display().to_string();
        let message = format!("`{shown}` cannot be written: {error}");
        Error::new("FILE_UNWRITABLE", message, "Give another path", 3).with_metadata("path", shown)
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn a_token_is_kept_for_its_user_alone() {
        let home = std::env::temp_dir().join(format!("browse-sdk-{}", std::process::id()));
        let path = home.join("remotes/a.json");
        assert_eq!(read_remote(&path), Ok(None));
        let pin = "0a".repeat(32);
        let members = [("address", "a:1"), ("pin", &pin), ("token", "t")];
        write_remote(&path, &members).expect("a writable folder");
        write_remote(&path, &members).expect("it is replaced");
        let paired = || match read_remote(&path).expect("it is whole").expect("it is there") {
            StoredRemote::Paired(paired) => paired,
            StoredRemote::Fleet(fleet) => panic!("{fleet:?}"),
        };
        let kept = paired();
        assert_eq!(
            (kept.address.as_str(), kept.token.as_str(), kept.allows_public_ca),
            ("a:1", "t", false)
        );
        write_remote(&path, &[&members[..], &[("trust", SESSION_KEY_MODE)]].concat())
            .expect("it is replaced");
        assert!(paired().allows_public_ca);
        let set = |mode| fs::set_permissions(&path, fs::Permissions::from_mode(mode));
        assert_eq!(fs::metadata(&path).expect("a file").permissions().mode() & 0o777, 0o600);
        set(0o644).expect("a mode");
        assert_eq!(read_remote(&path).expect_err("others may read").reason, "REMOTE_FILE_INVALID");
        set(0o600).expect("a mode");
        fs::write(&path, "{}").expect("it is written");
        assert_eq!(read_remote(&path).expect_err("half of one").reason, "REMOTE_FILE_INVALID");
        fs::remove_file(&path).expect("it is removed");
        fs::create_dir(&path).expect("a folder");
        assert_eq!(read_remote(&path).expect_err("no file").reason, "REMOTE_FILE_INVALID");
        fs::remove_dir_all(&home).expect("it is removed");
        for bad in ["", "..", "a/b", ".a", "a b"] {
            assert_eq!(remote_path(bad).expect_err(bad).reason, "ARGUMENT_INVALID");
        }
    }
}
