//! What a session holds: cookies, storage, open pages.

use browse_proto::Reason;
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use zeroize::Zeroizing;

use super::{StateCounts, StateName};
use browse_base::{Error, Result};
use browse_chromium::{Cookie, DatabaseSnapshot, StorageItem};

/// Bytes that a state may have.
pub const MAX_STATE_BYTES: usize = 64 << 20;

/// What a session held when it was saved.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct StateContents {
    /// Cookies of all hosts.
    pub cookies: Vec<Cookie>,
    /// Origins with local storage or databases.
    pub origins: Vec<SavedOrigin>,
    /// Open pages of the web.
    pub tabs: Vec<SavedTab>,
}

/// What an origin keeps.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedOrigin {
    /// `https://example.com`
    pub origin: String,
    /// The entries of its local storage.
    pub items: Vec<StorageItem>,
    /// Its databases.
    #[serde(skip_serializing_if = "DatabaseSnapshot::is_empty")]
    pub databases: DatabaseSnapshot,
}

/// An open page.
#[derive(Default, Serialize, Deserialize)]
#[serde(default)]
pub struct SavedTab {
    /// Its address.
    pub url: String,
    /// Whether commands went to it.
    pub active: bool,
}

impl StateContents {
    /// Whether it holds nothing that a new session has not.
    pub fn is_empty(&self) -> bool {
        self.cookies.is_empty() && self.origins.is_empty()
    }

    /// What of its origins is not in it, for people.
    pub fn omitted(&self) -> Vec<String> {
        let of = |one: &SavedOrigin| {
            let omitted = &one.databases.omitted;
            (!omitted.is_empty()).then(|| format!("{}: {}", one.origin, omitted.join(", ")))
        };
        self.origins.iter().filter_map(of).collect()
    }

    /// How much it holds.
    pub fn counts(&self) -> StateCounts {
        StateCounts {
            cookies: self.cookies.len() as u32,
            origins: self.origins.len() as u32,
            databases: self.origins.iter().map(|one| one.databases.databases).sum(),
            tabs: self.tabs.len() as u32,
        }
    }
}

/// What is to be sealed, as bytes.
///
/// # Errors
/// `TOO_LARGE`.
pub fn pack_state(contents: &impl Serialize) -> Result<Zeroizing<Vec<u8>>> {
    // The text of the error could quote what it met.
    let odd = |_| Error::new(Reason::Bug, "the state cannot be written as JSON");
    let packed = Zeroizing::new(serde_json::to_vec(contents).map_err(odd)?);
    if packed.len() > MAX_STATE_BYTES {
        let message = format!("the state has {} bytes", packed.len());
        return Err(Error::new(Reason::TooLarge, message).with("limit", "64 MiB"));
    }
    Ok(packed)
}

/// What was sealed, from bytes.
///
/// # Errors
/// `STATE_CORRUPT`.
pub fn unpack_state<T: DeserializeOwned>(bytes: &[u8], name: &StateName) -> Result<T> {
    serde_json::from_slice(bytes).map_err(|_| {
        let message = format!("the state `{name}` holds something else than a state");
        Error::new(Reason::StateCorrupt, message).with("name", name)
    })
}
