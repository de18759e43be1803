//! Browsers somewhere else, which were redeemed or signed in to:
//! `$BROWSE_HOME/remotes/<name>.json`, which holds a token and is the user's alone.

use std::{
    env,
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
    thread,
    time::{Duration, Instant},
};

use browse_proto::Reason;
use rustix::{fs::OFlags, io::Errno, process::geteuid};
use serde_json::{Value, json};

use crate::{
    failure::{Failure, Result},
    fleet_remote::{FLEET_KIND, FleetRemote},
    io_failure,
    pairing_link::{self, PublicKeyPin},
    remote_name::check_name,
};

/// What a file names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Remote {
    /// A daemon that has a pairing with this user.
    Paired(RemoteBrowser),
    /// The gateway of a fleet.
    Fleet(FleetRemote),
}

/// A remote browser.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteBrowser {
    /// `host:port`.
    pub address: String,
    /// What its daemon has to show.
    pub pin: PublicKeyPin,
    /// Whether a certificate will do, too, that an authority vouches for: TLS
    /// may end at a tunnel.
    pub allows_public_ca: bool,
    /// The token to call it with.
    pub token: String,
}

/// What to do when nobody answers.
pub const UNREACHABLE_HINT: &str =
    "Check the network, and ask the owner whether the pairing and its tunnel still are";

/// What to do when the pairing ends, by the owner or with the daemon.
pub const PAIRING_ENDED_HINT: &str =
    "The pairing has ended: ask the owner for a new block, and redeem that";

/// Bytes of a file; a token takes one.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// How the file tells that TLS may end at a tunnel.
const SESSION_KEY_MODE: &str = "session-key";

impl Remote {
    /// The remote `name`.
    ///
    /// # Errors
    /// `REMOTE_UNKNOWN`; `REMOTE_FILE_INVALID`.
    pub fn read(name: &str) -> Result<Self> {
        let path = remote_path(name)?;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
        let file = match OpenOptions::new().read(true).custom_flags(flags).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(unknown_remote(name));
            }
            Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
                return Err(invalid_file(&path, "it is a link"));
            }
            Err(error) => return Err(invalid_file(&path, &io_failure::error_text(&error))),
        };
        let text = read_private_text(file).map_err(|fault| invalid_file(&path, &fault))?;
        Self::parse(&text).ok_or_else(|| invalid_file(&path, "it is damaged"))
    }

    fn parse(text: &str) -> Option<Self> {
        let document: Value = serde_json::from_str(text).ok()?;
        match document.get("kind") {
            None => RemoteBrowser::parse(&document).map(Self::Paired),
            Some(kind) if kind == FLEET_KIND => FleetRemote::parse(&document).map(Self::Fleet),
            Some(_) => None,
        }
    }

    fn document(&self) -> Value {
        match self {
            Self::Paired(remote) => remote.document(),
            Self::Fleet(fleet) => fleet.document(),
        }
    }

    /// Removes the remote `name` from this machine, when no other command writes one within `time`.
    ///
    /// # Errors
    /// `REMOTE_UNKNOWN`, `FILE_UNWRITABLE`, `DEADLINE_EXCEEDED`.
    pub fn remove(name: &str, time: Duration) -> Result<()> {
        let path = remote_path(name)?;
        // A renewal that is under way does not bring it back.
        let _alone = PendingRemoteFile::new(time)?;
        match fs::remove_file(&path) {
            Ok(()) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(unknown_remote(name)),
            Err(error) => Err(unwritable(&path, &error)),
        }
    }
}

impl RemoteBrowser {
    fn parse(value: &Value) -> Option<Self> {
        let string = |key| value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        Some(Self {
            address: string("address")
                .filter(|address| pairing_link::is_host_and_port(address))?
                .to_owned(),
            pin: PublicKeyPin::parse(string("pin")?)?,
            allows_public_ca: match value.get("trust") {
                None => false,
                Some(trust) => trust.as_str()? == SESSION_KEY_MODE || None?,
            },
            token: string("token")?.to_owned(),
        })
    }

    fn document(&self) -> Value {
        let Self { address, pin, allows_public_ca, token } = self;
        let mut value = json!({"address": address, "pin": pin.text(), "token": token});
        if *allows_public_ca {
            value["trust"] = json!(SESSION_KEY_MODE);
        }
        value
    }
}

/// A file that waits for a remote: what could not be kept is known before a key
/// is spent, and nobody reads half of it.
pub struct PendingRemoteFile {
    folder: PathBuf,
    temp_path: PathBuf,
    file: File,
    _lock: File,
}

impl PendingRemoteFile {
    /// Makes the file, when no other command writes one within `time`: of two tokens of
    /// one key the later one is good, and has to be the one that is kept.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`, `DEADLINE_EXCEEDED`.
    pub fn new(time: Duration) -> Result<Self> {
        let folder = remotes_folder()?;
        let waiting = folder.join(format!(".draft.{}", std::process::id()));
        let make = || -> io::Result<(File, File)> {
            fs::DirBuilder::new().recursive(true).mode(0o700).create(&folder)?;
            let lock = File::open(&folder)?;
            acquire_lock(&lock, Instant::now() + time)?;
            let _ = fs::remove_file(&waiting);
            let mut options = OpenOptions::new();
            let file = options.write(true).create_new(true).mode(0o600).open(&waiting)?;
            Ok((lock, file))
        };
        match make() {
            Ok((lock, file)) => Ok(Self { folder, temp_path: waiting, file, _lock: lock }),
            Err(error) if error.kind() == io::ErrorKind::TimedOut => {
                let message = "another command that writes a remote has not ended";
                let failure = Failure::new(Reason::DeadlineExceeded, message);
                Err(failure.with_hint("Wait for it, then run this again; no key was spent"))
            }
            Err(error) => Err(unwritable(&folder, &error)),
        }
    }

    /// Keeps `remote` under `name`, in place of what was there.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn save(mut self, name: &str, remote: &Remote) -> Result<()> {
        let path = self.folder.join(format!("{}.json", check_name(name)?));
        let written = self.file.write_all(remote.document().to_string().as_bytes());
        let kept = written.and_then(|()| fs::rename(&self.temp_path, &path));
        kept.map_err(|error| unwritable(&path, &error))
    }
}

impl Drop for PendingRemoteFile {
    fn drop(&mut self) {
        // It is there only when nothing was kept.
        let _ = fs::remove_file(&self.temp_path);
    }
}

/// Between two looks whether another has ended.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(20);

fn acquire_lock(lock: &File, end: Instant) -> io::Result<()> {
    loop {
        match lock.try_lock() {
            Ok(()) => return Ok(()),
            Err(TryLockError::WouldBlock) if Instant::now() < end => {
                thread::sleep(LOCK_POLL_INTERVAL)
            }
            Err(TryLockError::WouldBlock) => return Err(io::ErrorKind::TimedOut.into()),
            Err(TryLockError::Error(error)) => return Err(error),
        }
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Failure {
    let shown = path.display().to_string();
    let message = format!("`{shown}` cannot be written: {}", io_failure::error_text(error));
    Failure::with_values(Reason::FileUnwritable, message, [("path", shown)])
        .with_hint("Make it writable, or set BROWSE_HOME to a folder that is, and run it again")
}

fn read_private_text(file: File) -> Result<String, String> {
    let about = file.metadata().map_err(|error| io_failure::error_text(&error))?;
    if !about.is_file() {
        return Err("it is not a plain file".to_owned());
    }
    if about.uid() != geteuid().as_raw() {
        return Err("it belongs to another user".to_owned());
    }
    if about.mode() & 0o077 != 0 {
        return Err(format!("others may open it (mode {:o})", about.mode() & 0o777));
    }
    if about.size() > MAX_FILE_BYTES {
        return Err(format!("it is larger than {} KiB", MAX_FILE_BYTES >> 10));
    }
    let mut text = String::new();
    file.take(MAX_FILE_BYTES)
        .read_to_string(&mut text)
        .map_err(|error| io_failure::error_text(&error))?;
    Ok(text)
}

fn remotes_folder() -> Result<PathBuf> {
    Ok(browse_home()?.join("remotes"))
}

/// The folder of browse of this user.
///
/// # Errors
/// Neither `BROWSE_HOME` nor `HOME` is an absolute path.
pub fn browse_home() -> Result<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = set("BROWSE_HOME").or_else(|| Some(set("HOME")?.join(".browse")));
    home.filter(|home| home.is_absolute()).ok_or_else(|| {
        let message = "neither BROWSE_HOME nor HOME names a folder";
        Failure::new(Reason::SettingInvalid, message).with_hint("Set HOME or BROWSE_HOME")
    })
}

/// The file of the remote `name`.
///
/// # Errors
/// It is not a name; neither `BROWSE_HOME` nor `HOME` is an absolute path.
fn remote_path(name: &str) -> Result<PathBuf> {
    Ok(remotes_folder()?.join(format!("{}.json", check_name(name)?)))
}

/// The names of the remotes of this user, in order.
pub fn names() -> Vec<String> {
    let entries = remotes_folder().ok().and_then(|folder| fs::read_dir(folder).ok());
    let mut names: Vec<String> = entries
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().to_str()?.strip_suffix(".json").map(Into::into))
        .filter(|name: &String| check_name(name).is_ok())
        .collect();
    names.sort();
    names
}

/// Names that are shown to who asks for another.
const MAX_SHOWN_NAMES: usize = 10;

fn unknown_remote(name: &str) -> Failure {
    let mut names = names();
    names.truncate(MAX_SHOWN_NAMES);
    let there = match names.is_empty() {
        true => String::new(),
        false => format!("; there is `{}`", names.join("`, `")),
    };
    Failure::new(Reason::RemoteUnknown, format!("there is no remote `{name}`{there}"))
}

fn invalid_file(path: &Path, fault: &str) -> Failure {
    let shown = path.display().to_string();
    let message = format!("the remote file `{shown}` cannot be used: {fault}");
    Failure::with_values(Reason::RemoteFileInvalid, message, [("path", shown)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_a_file_is_no_remote() {
        let paired = |text: &str| match Remote::parse(text) {
            Some(Remote::Paired(remote)) => Some(remote),
            Some(Remote::Fleet(_)) | None => None,
        };
        let pin = "00".repeat(32);
        let whole = format!(r#"{{"address":"a:1","pin":"{pin}","token":"t","new":1}}"#);
        assert!(paired(&whole).is_some_and(|remote| !remote.allows_public_ca));
        let trusting = |trust: &str| whole.replace("\"new\":1", &format!("\"trust\":{trust}"));
        let vouched = paired(&trusting("\"session-key\""));
        assert!(vouched.is_some_and(|remote| remote.allows_public_ca));
        assert!(paired(&trusting("\"else\"")).is_none());
        assert!(paired(&trusting("true")).is_none());
        // A socket of this machine shows no key.
        let local = whole.replace("\"a:1\"", "\"unix:/tmp/s\"");
        let nowhere = whole.replace("\"a:1\"", "\"a\"");
        let unpinned = whole.replace(&pin, "00");
        for bad in ["", "{}", "[]", &unpinned, &local, &nowhere, &whole.replace("\"t\"", "\"\"")] {
            assert!(paired(bad).is_none(), "{bad}");
        }
        assert!(Remote::parse(&whole.replace("\"new\":1", "\"kind\":\"other\"")).is_none());
        let fleet = r#"{"kind":"fleet","url":"https://browse.example.com","token":"t"}"#;
        assert!(matches!(Remote::parse(fleet), Some(Remote::Fleet(_))));
        assert!(Remote::parse(&fleet.replace("https", "http")).is_none());
    }
}
