//! The key of states: random, in the keychain of the operating system where
//! that works, else in a file that only the user can read. A key that was made
//! once is used ever after.

use std::{fmt, fs, io::Write as _, os::unix::fs::PermissionsExt as _, path::Path, time::Duration};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use browse_proto::Reason;
use hmac::{Hmac, Mac};
use sha2::{Digest as _, Sha256};
use tokio::time::{Instant, sleep};
use zeroize::Zeroizing;

use super::{StateName, StateStore, seal, unwritable};
use crate::keychain::{Keychain, KeychainError, KeychainItem, Platform, SecretBytes};
use browse_base::{Error, HINT_KEY, Result};

/// Where a key is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyLocation {
    /// In a file of the home of browse.
    File,
    /// In the keychain of the operating system.
    Keychain,
    /// In a file that the operator of a fleet mounts.
    Mounted,
}

/// A key, and where it is kept.
pub struct StateKey {
    pub(super) bytes: Zeroizing<[u8; 32]>,
    /// Where it is kept.
    pub location: KeyLocation,
}

/// Where keys are found and made.
pub struct Keyring<'a> {
    /// The states that they are for.
    pub store: &'a StateStore,
    /// The keychain, unless it is switched off.
    pub keychain: Option<&'a Keychain>,
}

impl KeyLocation {
    pub(super) fn to_byte(self) -> u8 {
        match self {
            Self::File => 0,
            Self::Keychain => 1,
            Self::Mounted => 2,
        }
    }

    pub(super) fn from_byte(byte: u8) -> Option<Self> {
        let all = [Self::File, Self::Keychain, Self::Mounted];
        all.into_iter().find(|place| place.to_byte() == byte)
    }

    pub(super) fn description(self) -> &'static str {
        match self {
            Self::File => "in the key file",
            Self::Keychain => "in the keychain",
            Self::Mounted => "in the mounted key file",
        }
    }
}

impl fmt::Display for KeyLocation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::File => "file",
            Self::Keychain => "keychain",
            Self::Mounted => "mounted",
        })
    }
}

impl StateKey {
    fn new(place: KeyLocation) -> Self {
        Self { bytes: Zeroizing::new(rand::random()), location: place }
    }

    /// The key in the file that the operator of a fleet mounts: 32 bytes, as 64 hexadecimal digits
    /// or as base64.
    ///
    /// # Errors
    /// `SETTING_INVALID`; the message does not quote the file.
    pub fn mounted(path: &Path) -> Result<Self> {
        let invalid = |why: &str| {
            let message = format!("the key file `{}` cannot be used: {why}", path.display());
            Error::new(Reason::SettingInvalid, message)
                .with("setting", "BROWSE_POD_STATE_KEY_FILE")
                .with("place", path.display())
                .with(HINT_KEY, "Make one with `openssl rand -hex 32`, and mount it as a Secret")
        };
        let text = fs::read(path).map_err(|error| invalid(&error.to_string()))?;
        let text = Zeroizing::new(text);
        if let Some(key) = Self::parse(&text, KeyLocation::Mounted) {
            return Ok(key);
        }
        let decoded = STANDARD.decode(text.trim_ascii()).map(Zeroizing::new);
        let decoded = decoded.ok().filter(|decoded| decoded.len() == 32);
        let decoded =
            decoded.ok_or_else(|| invalid("it does not hold 32 bytes in hex or base64"))?;
        let mut bytes = Zeroizing::new([0; 32]);
        bytes.copy_from_slice(&decoded);
        Ok(Self { bytes, location: KeyLocation::Mounted })
    }

    /// A key for one purpose, by HMAC-SHA-256 of `purpose`. It reveals nothing about other keys.
    pub fn derive(&self, purpose: &[u8]) -> Self {
        let mac = <Hmac<Sha256> as Mac>::new_from_slice(&*self.bytes);
        let mut mac = mac.expect("HMAC takes keys of any length");
        mac.update(purpose);
        let bytes = Zeroizing::new(mac.finalize().into_bytes().into());
        Self { bytes, location: self.location }
    }

    /// Names the key without giving it away.
    pub(super) fn id(&self) -> [u8; 8] {
        let mut id = [0; 8];
        id.copy_from_slice(&Sha256::digest(*self.bytes)[..8]);
        id
    }

    fn hex(&self) -> SecretBytes {
        let digits = self.bytes.iter().flat_map(|byte| [byte >> 4, byte & 15]);
        Zeroizing::new(digits.map(|digit| b"0123456789abcdef"[usize::from(digit)]).collect())
    }

    fn parse(text: &[u8], place: KeyLocation) -> Option<Self> {
        let mut bytes = Zeroizing::new([0; 32]);
        let text = text.trim_ascii();
        if text.len() != 64 {
            return None;
        }
        for (byte, pair) in bytes.iter_mut().zip(text.chunks(2)) {
            let digit = |at: usize| char::from(pair[at]).to_digit(16);
            *byte = u8::try_from(digit(0)? * 16 + digit(1)?).ok()?;
        }
        Some(Self { bytes, location: place })
    }
}

impl Keyring<'_> {
    /// The key to seal with; made when there is none.
    ///
    /// # Errors
    /// `KEYCHAIN_UNAVAILABLE` when it holds the key of earlier states and does
    /// not give it; `FILE_UNWRITABLE`.
    pub async fn for_saving(&self, deadline: Instant) -> Result<StateKey> {
        // Daemons of other projects have the same home.
        let _making = self.acquire_lock(deadline).await?;
        if let Some(key) = self.read_file()? {
            return Ok(key);
        }
        match self.keychain_key(deadline).await {
            Ok(key) => Ok(key),
            // A second key would split the states into two.
            Err(fault) if self.store.has_state_with_key_in(KeyLocation::Keychain).await? => {
                Err(keychain_unavailable(&fault))
            }
            Err(fault) => {
                tracing::info!(%fault, "the key of states goes into a file");
                self.create_key_file()
            }
        }
    }

    /// The key in `place`.
    ///
    /// # Errors
    /// `KEYCHAIN_UNAVAILABLE`; `STATE_FOREIGN` when the file is gone.
    pub async fn for_loading(&self, place: KeyLocation, deadline: Instant) -> Result<StateKey> {
        match place {
            KeyLocation::File => self.read_file()?.ok_or_else(|| {
                let path = self.store.key_file();
                let message = format!("the key file `{}` is gone", path.display());
                Error::new(Reason::StateForeign, message)
            }),
            KeyLocation::Mounted => {
                let message = "the state is sealed with the key of a fleet";
                Err(Error::new(Reason::StateForeign, message))
            }
            KeyLocation::Keychain => {
                let keychain = self.keychain.ok_or_else(keychain_disabled);
                let found = match keychain {
                    Ok(keychain) => keychain.find(&self.keychain_item(), deadline).await,
                    Err(fault) => Err(fault),
                };
                let secret = found.map_err(|fault| keychain_unavailable(&fault))?;
                StateKey::parse(&secret, KeyLocation::Keychain)
                    .ok_or_else(|| keychain_unavailable(&invalid_keychain_entry()))
            }
        }
    }

    /// Opens what is sealed, and answers the key to it.
    ///
    /// # Errors
    /// As [`Keyring::for_loading`]; `STATE_CORRUPT`, `STATE_NEWER`, `STATE_FOREIGN`.
    pub async fn unseal(
        &self,
        sealed: &[u8],
        name: &StateName,
        deadline: Instant,
    ) -> Result<(StateKey, Zeroizing<Vec<u8>>)> {
        let header = seal::read_header(sealed, name)?;
        let key = self.for_loading(header.location, deadline).await?;
        let contents = seal::unseal(&key, sealed, name)?;
        Ok((key, contents))
    }

    async fn keychain_key(&self, deadline: Instant) -> Result<StateKey, KeychainError> {
        let keychain = self.keychain.ok_or_else(keychain_disabled)?;
        // A file is good enough for whoever does not unlock it in time.
        let deadline = deadline.min(Instant::now() + Duration::from_secs(10));
        match keychain.find(&self.keychain_item(), deadline).await {
            Ok(secret) => {
                StateKey::parse(&secret, KeyLocation::Keychain).ok_or_else(invalid_keychain_entry)
            }
            Err(KeychainError::NotFound) => {
                let key = StateKey::new(KeyLocation::Keychain);
                keychain
                    .store(
                        &self.keychain_item(),
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
    fn keychain_item(&self) -> KeychainItem {
        let home = self.store.folder().display().to_string();
        match Platform::current() {
            Platform::Linux => {
                let pairs = [("application", "browse"), ("purpose", "state"), ("folder", &home)];
                KeychainItem::Attributes(pairs.map(|(n, v)| (n.to_owned(), v.to_owned())).to_vec())
            }
            Platform::Mac => {
                let id: String =
                    Sha256::digest(home).iter().take(8).map(|b| format!("{b:02x}")).collect();
                KeychainItem::Password { service: "browse-state".to_owned(), account: id }
            }
        }
    }

    fn read_file(&self) -> Result<Option<StateKey>> {
        let path = self.store.key_file();
        let text = match fs::read(&path) {
            Ok(text) => Zeroizing::new(text),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(unwritable(&path, &error)),
        };
        restrict_permissions(&path).map_err(|error| unwritable(&path, &error))?;
        let key = StateKey::parse(&text, KeyLocation::File).ok_or_else(|| {
            let message = format!("the key file `{}` holds no key", path.display());
            Error::new(Reason::StateForeign, message)
        })?;
        Ok(Some(key))
    }

    fn create_key_file(&self) -> Result<StateKey> {
        let (path, key) = (self.store.key_file(), StateKey::new(KeyLocation::File));
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
    async fn acquire_lock(&self, deadline: Instant) -> Result<fs::File> {
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
fn restrict_permissions(path: &Path) -> std::io::Result<()> {
    match fs::metadata(path)?.permissions().mode() & 0o077 {
        0 => Ok(()),
        _ => fs::set_permissions(path, fs::Permissions::from_mode(0o600)),
    }
}

fn keychain_disabled() -> KeychainError {
    KeychainError::Unavailable("the setting `keychain` is off".to_owned())
}

fn invalid_keychain_entry() -> KeychainError {
    KeychainError::Unavailable("it holds no key of this kind".to_owned())
}

fn keychain_unavailable(fault: &KeychainError) -> Error {
    Error::new(Reason::KeychainUnavailable, fault.to_string())
}

#[cfg(test)]
mod tests;
