//! Browsers elsewhere that were redeemed: `$BROWSE_HOME/remotes/<name>.json`,
//! which holds a token and is the user's alone.

use std::{
    env,
    fs::{self, File, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use browse_proto::Reason;
use rustix::{fs::OFlags, process::geteuid};
use serde_json::{Value, json};

use crate::{
    address::Address,
    failure::{Failure, Result},
    link::Pin,
    reach::{Daemon, Proof},
    save,
};

/// A browser elsewhere.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remote {
    /// `host:port`.
    pub address: String,
    /// What its daemon has to show.
    pub pin: Pin,
    /// Whether a certificate will do, too, that an authority vouches for: TLS
    /// may end at a tunnel.
    pub vouched: bool,
    /// The token to call it with.
    pub token: String,
}

/// What to do when nobody answers.
pub const HINT: &str =
    "Check the network, and ask the owner whether the pairing and its tunnel still are";

/// How the file tells that TLS may end at a tunnel.
const VOUCHED: &str = "session-key";

/// Refuses what cannot name a remote, which is a file.
pub fn checked(name: &str) -> Result<String> {
    let good = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    let begins = name.starts_with(|letter: char| letter.is_ascii_alphanumeric());
    if begins && name.len() <= 64 && name.chars().all(good) {
        return Ok(name.to_owned());
    }
    let message = format!("`{name}` cannot name a remote");
    Err(Failure::new(Reason::ArgumentInvalid, message)
        .hint("Use letters, digits, dash, dot and underscore, at most 64"))
}

impl Remote {
    /// The remote `name`.
    ///
    /// # Errors
    /// `REMOTE_UNKNOWN`; `REMOTE_FILE_INVALID`.
    pub fn read(name: &str) -> Result<Self> {
        let path = path(name)?;
        let flags = (OFlags::NOFOLLOW | OFlags::NONBLOCK).bits() as i32;
        let file = match OpenOptions::new().read(true).custom_flags(flags).open(&path) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Err(unknown(name)),
            Err(error) => return Err(invalid(&path, &save::cause(&error))),
        };
        let text = own_text(file).map_err(|fault| invalid(&path, &fault))?;
        Self::parse(&text).ok_or_else(|| invalid(&path, "it is damaged"))
    }

    fn parse(text: &str) -> Option<Self> {
        let value: Value = serde_json::from_str(text).ok()?;
        let string = |key| value.get(key).and_then(Value::as_str).filter(|text| !text.is_empty());
        Some(Self {
            address: string("address")?.to_owned(),
            pin: Pin::parse(string("pin")?)?,
            vouched: match value.get("trust") {
                None => false,
                Some(trust) => trust.as_str()? == VOUCHED || None?,
            },
            token: string("token")?.to_owned(),
        })
    }

    /// Keeps it under `name`, in place of what was there.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE`.
    pub fn keep(&self, name: &str) -> Result<()> {
        let path = path(name)?;
        let Self { address, pin, vouched, token } = self;
        let mut file = json!({"address": address, "pin": pin.text(), "token": token});
        if *vouched {
            file["trust"] = json!(VOUCHED);
        }
        let text = file.to_string();
        let write = || -> io::Result<()> {
            let folder = path.parent().unwrap_or(Path::new("."));
            fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            // Through a file of its own, so that nobody reads half of it.
            let waiting = folder.join(format!(".{name}.{}", std::process::id()));
            let _ = fs::remove_file(&waiting);
            let mut file =
                OpenOptions::new().write(true).create_new(true).mode(0o600).open(&waiting)?;
            file.write_all(text.as_bytes())?;
            fs::rename(&waiting, &path)
        };
        write().map_err(|error| {
            let shown = path.display().to_string();
            let message = format!("`{shown}` cannot be written: {}", save::cause(&error));
            Failure::with(Reason::FileUnwritable, message, [("path", shown)])
        })
    }

    /// Connects to its daemon, which has to prove itself when it is called.
    pub fn connect(&self) -> Result<Daemon> {
        let address = Address::parse(&self.address)?;
        let unreachable = |error| address.unreachable(&error).hint(HINT);
        let socket = address.connect().map_err(unreachable)?;
        let token = Some(self.token.clone()).filter(|token| !token.is_empty());
        let pin = Some(Proof { pin: self.pin, vouched: self.vouched });
        Ok(Daemon { socket, address, token, pin, ours: None })
    }
}

fn own_text(mut file: File) -> Result<String, String> {
    let about = file.metadata().map_err(|error| save::cause(&error))?;
    if !about.is_file() {
        return Err("it is no plain file".to_owned());
    }
    if about.uid() != geteuid().as_raw() {
        return Err("it belongs to another user".to_owned());
    }
    if about.mode() & 0o077 != 0 {
        return Err(format!("others may open it (mode {:o})", about.mode() & 0o777));
    }
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(|error| save::cause(&error))?;
    Ok(text)
}

fn path(name: &str) -> Result<PathBuf> {
    let set = |name| env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = set("BROWSE_HOME").or_else(|| Some(set("HOME")?.join(".browse")));
    let home = home.filter(|home| home.is_absolute()).ok_or_else(|| {
        let message = "neither BROWSE_HOME nor HOME names a folder";
        Failure::new(Reason::SettingInvalid, message).hint("Set HOME")
    })?;
    Ok(home.join("remotes").join(format!("{}.json", checked(name)?)))
}

fn unknown(name: &str) -> Failure {
    Failure::new(Reason::RemoteUnknown, format!("there is no remote `{name}`"))
}

fn invalid(path: &Path, fault: &str) -> Failure {
    let shown = path.display().to_string();
    let message = format!("the remote file `{shown}` cannot be used: {fault}");
    Failure::with(Reason::RemoteFileInvalid, message, [("path", shown)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_files_and_nothing_else() {
        for good in ["a", "laptop-2", "Lap_top.x"] {
            assert!(checked(good).is_ok(), "{good}");
        }
        for bad in ["", ".", "..", "a/b", "../a", "-a", ".a", "a b", "ü", &"x".repeat(65)] {
            assert!(checked(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn half_a_file_is_no_remote() {
        let pin = "00".repeat(32);
        let whole = format!(r#"{{"address":"a:1","pin":"{pin}","token":"t","new":1}}"#);
        assert!(Remote::parse(&whole).is_some_and(|remote| !remote.vouched));
        let trusting = |trust: &str| whole.replace("\"new\":1", &format!("\"trust\":{trust}"));
        let vouched = Remote::parse(&trusting("\"session-key\""));
        assert!(vouched.is_some_and(|remote| remote.vouched));
        assert!(Remote::parse(&trusting("\"else\"")).is_none());
        assert!(Remote::parse(&trusting("true")).is_none());
        for bad in ["", "{}", "[]", &whole.replace(&pin, "00"), &whole.replace("\"t\"", "\"\"")] {
            assert!(Remote::parse(bad).is_none(), "{bad}");
        }
    }
}
