//! The file of a fleet that was signed in to: `$BROWSE_HOME/remotes/<name>.json`, which
//! `browse login` writes and renews.

use std::{
    fs::OpenOptions,
    io::{self, Read as _},
    os::unix::fs::MetadataExt as _,
    path::{Path, PathBuf},
    time::{SystemTime, UNIX_EPOCH},
};

use browse_base::{Error, Result, open_private, quote};
use browse_pin::HttpsUrl;
use browse_proto::Reason;
use nix::unistd::geteuid;
use serde::Deserialize;

/// Bytes of a file; a token takes one KiB.
const MAX_FILE_BYTES: u64 = 64 << 10;

/// Longest name of a remote.
const MAX_NAME_BYTES: usize = 64;

/// The `kind` of such a file; that of a pairing has none.
const FLEET_KIND: &str = "fleet";

/// Time before its end in which a token is renewed, in seconds.
const RENEWAL_TIME_S: u64 = 30;

/// The file of one remote.
pub struct RemoteFile {
    home: PathBuf,
    name: String,
    path: PathBuf,
}

/// A fleet, and the token to call it with. It is not printed.
pub struct FleetCredentials {
    /// The address of the gateway, without a path.
    pub url: HttpsUrl,
    /// A file with certificate authorities that count beside those of this machine.
    pub ca: Option<PathBuf>,
    /// The token.
    pub token: String,
    expires_at: Option<u64>,
    can_renew: bool,
}

/// What the file contains.
#[derive(Deserialize)]
struct RemoteDocument {
    #[serde(default)]
    kind: Option<String>,
    #[serde(default)]
    url: String,
    #[serde(default)]
    ca: Option<PathBuf>,
    token: String,
    #[serde(default)]
    expires_at: Option<u64>,
    #[serde(default)]
    refresh_token: Option<String>,
}

impl RemoteFile {
    /// The file of the remote `name` in this home of browse.
    ///
    /// # Errors
    /// `REMOTE_UNKNOWN`: it cannot be the name of a file.
    pub fn new(home: PathBuf, name: String) -> Result<Self> {
        if !is_name(&name) {
            return Err(unknown(&name));
        }
        let path = home.join("remotes").join(format!("{name}.json"));
        Ok(Self { home, name, path })
    }

    /// The home of browse.
    pub fn home(&self) -> &Path {
        &self.home
    }

    /// The name of the remote.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Reads it. It has to be the user's alone.
    ///
    /// # Errors
    /// `REMOTE_UNKNOWN`: it is missing. `REMOTE_FILE_INVALID`. `FLEET_DENIED`: it is the pairing of
    /// a daemon.
    pub fn read(&self) -> Result<FleetCredentials> {
        let text = match read_private(&self.path) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                return Err(unknown(&self.name));
            }
            Err(error) => return Err(self.invalid(&error.to_string())),
        };
        // The error of serde quotes the file, which holds a token.
        let document: RemoteDocument =
            serde_json::from_str(&text).map_err(|_| self.invalid("it is damaged"))?;
        if document.kind.as_deref() != Some(FLEET_KIND) {
            let message = format!("the remote `{}` is a daemon, not a fleet", self.name);
            return Err(Error::new(Reason::FleetDenied, message));
        }
        let url = HttpsUrl::parse(&document.url).ok().filter(HttpsUrl::is_origin);
        let token = document.token;
        let is_word = !token.is_empty() && token.bytes().all(|byte| byte.is_ascii_graphic());
        let url = url.filter(|_| is_word).ok_or_else(|| self.invalid("it is damaged"))?;
        Ok(FleetCredentials {
            url,
            ca: document.ca,
            token,
            expires_at: document.expires_at,
            can_renew: document.refresh_token.is_some_and(|token| !token.is_empty()),
        })
    }

    fn invalid(&self, fault: &str) -> Error {
        let shown = self.path.display();
        let message = format!("the remote file `{shown}` cannot be used: {fault}");
        Error::new(Reason::RemoteFileInvalid, message).with("path", shown)
    }
}

impl FleetCredentials {
    /// Whether the token ends soon and can be renewed.
    pub fn is_due(&self) -> bool {
        self.can_renew && self.expires_at.is_some_and(|at| at <= unix_time() + RENEWAL_TIME_S)
    }

    /// Whether the token has ended.
    pub fn has_ended(&self) -> bool {
        self.expires_at.is_some_and(|at| at <= unix_time())
    }

    /// The command that signs in again, under the same name.
    pub fn login_command(&self, name: &str) -> String {
        let mut command = format!("browse login {} --name {name}", self.url.origin());
        if let Some(ca) = &self.ca {
            command.push_str(&format!(" --ca {}", ca.display()));
        }
        command
    }
}

/// Whether it can name a remote, which is a file.
fn is_name(name: &str) -> bool {
    let fits = |letter: char| letter.is_ascii_alphanumeric() || "-._".contains(letter);
    name.len() <= MAX_NAME_BYTES
        && name.starts_with(|letter: char| letter.is_ascii_alphanumeric())
        && name.chars().all(fits)
}

fn unknown(name: &str) -> Error {
    Error::new(Reason::RemoteUnknown, format!("unknown remote `{}`", quote(name)))
}

/// The text of a file that is the user's alone.
fn read_private(path: &Path) -> io::Result<String> {
    let file = open_private(OpenOptions::new().read(true), path)?;
    let about = file.metadata()?;
    if about.uid() != geteuid().as_raw() {
        return Err(io::Error::other("it belongs to another user"));
    }
    if about.mode() & 0o077 != 0 {
        return Err(io::Error::other(format!(
            "others may open it (mode {:o})",
            about.mode() & 0o777
        )));
    }
    let mut text = String::new();
    file.take(MAX_FILE_BYTES).read_to_string(&mut text)?;
    Ok(text)
}

/// Seconds since 1970.
fn unix_time() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}

#[cfg(test)]
mod tests {
    use std::{fs, os::unix::fs::PermissionsExt as _};

    use serde_json::{Value, json};

    use super::*;

    fn write(home: &Path, document: &Value, mode: u32) {
        let folder = home.join("remotes");
        fs::create_dir_all(&folder).expect("a folder");
        let path = folder.join("prod.json");
        fs::write(&path, document.to_string()).expect("written");
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).expect("a mode");
    }

    fn read(home: &Path, name: &str) -> Result<FleetCredentials> {
        RemoteFile::new(home.to_owned(), name.to_owned())?.read()
    }

    #[test]
    fn a_fleet_is_read_whole_or_refused_without_its_token() {
        let home = tempfile::tempdir().expect("a folder");
        let whole = json!({
            "kind": "fleet", "url": "https://browse.example.com:8443", "token": "top-secret",
            "expires_at": 1, "refresh_token": "r",
        });
        write(home.path(), &whole, 0o600);
        let fleet = read(home.path(), "prod").expect("it is whole");
        assert_eq!(
            (fleet.url.address().as_str(), &*fleet.token),
            ("browse.example.com:8443", "top-secret")
        );
        assert!(fleet.is_due() && fleet.has_ended());
        assert!(fleet.login_command("prod").ends_with("browse.example.com:8443 --name prod"));
        write(
            home.path(),
            &json!({ "expires_at": null, "token": "t", "kind": "fleet", "url": "http://127.0.0.1:1" }),
            0o600,
        );
        let fleet = read(home.path(), "prod").expect("it is whole");
        assert!(!fleet.is_due() && !fleet.has_ended());
        for (key, value, reason) in [
            ("kind", json!(null), Reason::FleetDenied),
            ("url", json!("http://browse.example.com"), Reason::RemoteFileInvalid),
            ("url", json!("https://browse.example.com/path"), Reason::RemoteFileInvalid),
            ("token", json!("top-secret\n"), Reason::RemoteFileInvalid),
            ("token", json!(["top-secret"]), Reason::RemoteFileInvalid),
        ] {
            let mut document = whole.clone();
            document[key] = value;
            write(home.path(), &document, 0o600);
            let error = read(home.path(), "prod").map(drop).expect_err(key);
            assert_eq!(error.reason(), reason, "{key}");
            assert!(!format!("{error:?}").contains("top-secret"), "{error}");
        }
        write(home.path(), &whole, 0o644);
        let open = read(home.path(), "prod").map(drop).expect_err("others read it");
        assert_eq!(open.reason(), Reason::RemoteFileInvalid);
        for name in ["other", "", "..", "../prod", "a/b", "-a"] {
            let error = read(home.path(), name).map(drop).expect_err(name);
            assert_eq!(error.reason(), Reason::RemoteUnknown, "{name}");
        }
    }
}
