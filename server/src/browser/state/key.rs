//! The key of states: random, in the keychain of the operating system where
//! that works, else in a file that only the user can read. A key that was made
//! once is used ever after.

use std::{fmt, fs, io::Write as _, os::unix::fs::PermissionsExt as _, path::Path, time::Duration};

use browse_proto::Reason;
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep};
use zeroize::Zeroizing;

use super::{Store, store::unwritable};
use crate::{
    error::{Error, Result},
    keychain::{Fault, Item, Keychain, Platform, Secret},
};

/// Where a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a file of the home of browse.
    File,
    /// In the keychain of the operating system.
    Keychain,
}

/// A key, and where it is kept.
pub struct Key {
    pub(super) bytes: Zeroizing<[u8; 32]>,
    /// Where it is kept.
    pub place: Place,
}

/// Where keys are found and made.
pub struct Keyring<'a> {
    /// The states that they are for.
    pub store: &'a Store,
    /// The keychain, unless it is switched off.
    pub keychain: Option<&'a Keychain>,
}

impl Place {
    pub(super) fn byte(self) -> u8 {
        match self {
            Self::File => 0,
            Self::Keychain => 1,
        }
    }

    pub(super) fn of(byte: u8) -> Option<Self> {
        [Self::File, Self::Keychain].into_iter().find(|place| place.byte() == byte)
    }

    pub(super) fn words(self) -> &'static str {
        match self {
            Self::File => "in the key file",
            Self::Keychain => "in the keychain",
        }
    }
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "file",
            Self::Keychain => "keychain",
        })
    }
}

impl Key {
    fn new(place: Place) -> Self {
        Self { bytes: Zeroizing::new(rand::random()), place }
    }

    /// Names the key without giving it away.
    pub(super) fn id(&self) -> [u8; 8] {
        let mut id = [0; 8];
        id.copy_from_slice(&Sha256::digest(*self.bytes)[..8]);
        id
    }

    fn hex(&self) -> Secret {
        let digits = self.bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        Zeroizing::new(digits.map(|digit| b"0123456789abcdef"[usize::from(digit)]).collect())
    }

    fn parse(text: &[u8], place: Place) -> Option<Self> {
        let mut bytes = Zeroizing::new([0; 32]);
        let text = text.trim_ascii();
        if text.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(text.chunks(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16);
            *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
        }
        Some(Self { bytes, place })
    }
}

impl Keyring<'_> {
    /// The key to seal with; made when there is none.
    ///
    /// # Errors
    /// `KEYCHAIN_UNAVAILABLE` when it holds the key of earlier states and does
    /// not give it; `FILE_UNWRITABLE`.
    pub async fn for_saving(&self, deadline: Instant) -> Result<Key> {
        // Daemons of other projects have the same home.
        let _making = self.turn(deadline).await?;
        if let Some(key) = self.read_file()? {
            return Ok(key);
        }
        match self.in_keychain(deadline).await {
            Ok(key) => Ok(key),
            // A second key would split the states into two.
            Err(fault) if self.store.any_in(Place::Keychain).await? => Err(unavailable(&fault)),
            Err(fault) => {
                tracing::info!(%fault, "the key of states goes into a file");
                self.make_file()
            }
        }
    }

    /// The key in `place`.
    ///
    /// # Errors
    /// `KEYCHAIN_UNAVAILABLE`; `STATE_FOREIGN` when the file is gone.
    pub async fn for_loading(&self, place: Place, deadline: Instant) -> Result<Key> {
        match place {
            Place::File => self.read_file()?.ok_or_else(|| {
                let path = self.store.key_file();
                let message = format!("the key file `{}` is gone", path.display());
                Error::new(Reason::StateForeign, message)
            }),
            Place::Keychain => {
                let keychain = self.keychain.ok_or_else(switched_off);
                let found = match keychain {
                    Ok(keychain) => keychain.find(&self.item(), deadline).await,
                    Err(fault) => Err(fault),
                };
                let secret = found.map_err(|fault| unavailable(&fault))?;
                Key::parse(&secret, Place::Keychain).ok_or_else(|| unavailable(&strange()))
            }
        }
    }

    async fn in_keychain(&self, deadline: Instant) -> Result<Key, Fault> {
        let keychain = self.keychain.ok_or_else(switched_off)?;
        // A file is good enough for whoever does not unlock it in time.
        let deadline = deadline.min(Instant::now() + Duration::from_secs(10));
        match keychain.find(&self.item(), deadline).await {
            Ok(secret) => Key::parse(&secret, Place::Keychain).ok_or_else(strange),
            Err(Fault::Absent) => {
                let key = Key::new(Place::Keychain);
                keychain
                    .keep(
                        &self.item(),
                        "Key of saved browser states (browse)",
                        &key.hex(),
                        deadline,
                    )
                    .await?;
                Ok(key)
            }
            Err(fault) => Err(fault),
        }
    }

    /// The item of the keychain: each home of browse has its own.
    fn item(&self) -> Item {
        let home = self.store.folder().display().to_string();
        match Platform::current() {
            Platform::Linux => {
                let pairs = [("application", "browse"), ("purpose", "state"), ("folder", &home)];
                Item::Attributes(pairs.map(|(n, v)| (n.to_owned(), v.to_owned())).to_vec())
            }
            Platform::Mac => {
                let id: String =
                    Sha256::digest(home).iter().take(8).map(|b| format!("{b:02x}")).collect();
                Item::Password { service: "browse-state".to_owned(), account: id }
            }
        }
    }

    fn read_file(&self) -> Result<Option<Key>> {
        let path = self.store.key_file();
        let text = match fs::read(&path) {
            Ok(text) => Zeroizing::new(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unwritable(&path, &error)),
        };
        keep_private(&path).map_err(|error| unwritable(&path, &error))?;
        let key = Key::parse(&text, Place::File).ok_or_else(|| {
            let message = format!("the key file `{}` holds no key", path.display());
            Error::new(Reason::StateForeign, message)
        })?;
        Ok(Some(key))
    }

    fn make_file(&self) -> Result<Key> {
        let (path, key) = (self.store.key_file(), Key::new(Place::File));
        let write = || {
            // Temp files of this kind have mode 0600.
            let mut file = tempfile::NamedTempFile::new_in(self.store.folder())?;
            file.write_all(&key.hex())?;
            file.as_file().sync_all()?;
            file.persist_noclobber(&path).map_err(|error| error.error)?;
            fs::File::open(self.store.folder())?.sync_all()
        };
        write().map_err(|error| unwritable(&path, &error))?;
        Ok(key)
    }

    /// Waits for whoever makes a key just now.
    async fn turn(&self, deadline: Instant) -> Result<fs::File> {
        let path = self.store.folder();
        let folder = fs::File::open(path).map_err(|error| unwritable(path, &error))?;
        while folder.try_lock().is_err() {
            if Instant::now() >= deadline {
                let message = "another daemon holds the key of states";
                return Err(Error::new(Reason::DeadlineExceeded, message));
            }
            sleep(Duration::from_millis(10)).await;
        }
        Ok(folder)
    }
}

/// Takes from others what they should never have had.
fn keep_private(path: &Path) -> std::io::Result<()> {
    match fs::metadata(path)?.permissions().mode() & 0o077 {
        0 => Ok(()),
        _ => fs::set_permissions(path, fs::Permissions::from_mode(0o600)),
    }
}

fn switched_off() -> Fault {
    Fault::Unavailable("the setting `keychain` is off".to_owned())
}

fn strange() -> Fault {
    Fault::Unavailable("it holds no key of this kind".to_owned())
}

fn unavailable(fault: &Fault) -> Error {
    Error::new(Reason::KeychainUnavailable, fault.to_string())
}

#[cfg(test)]
mod tests;
