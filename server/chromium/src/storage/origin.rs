//! What an origin keeps for scripts: its local and session storage, read and
//! written from a world of our own, so that no page can pretend. Its databases are in
//! [`databases`](super::databases).

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::error::{Error, Result};
use crate::ids::FrameId;
use crate::page::page::Page;
use crate::world::argument::ScriptArgument;
use crate::world::world::{InjectedScript, World};

/// The world that scripts run in.
static STORAGE_WORLD: InjectedScript =
    InjectedScript { world_name: "browse storage", script: super::databases::SCRIPT };

/// The storage of the origin of one document.
pub struct OriginStorage(pub(super) Arc<World>);

/// Text of a page. Scripts may keep code units that are not a Unicode.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum StorageText {
    /// Unicode.
    Plain(String),
    /// Code units of UTF-16.
    Utf16(Vec<u16>),
}

/// A key and its value.
pub type StorageItem = (StorageText, StorageText);

/// An entry, for people.
#[derive(Deserialize)]
pub struct StorageEntryPreview {
    /// `local` or `session`.
    pub area: String,
    /// Key.
    pub key: String,
    /// Beginning of the value.
    pub value: String,
    /// Characters of the value.
    pub length: u32,
}

/// What came of a write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StorageWriteOutcome {
    /// All is kept.
    Complete,
    /// The origin's room is full: some is not kept.
    QuotaExceeded,
}

/// Characters of a value that [`OriginStorage::glance`] answers.
pub const MAX_PREVIEW_CHARS: usize = 4_000;

const PREVIEW_SCRIPT: &str = "(most) => {
  const look = (area, kept) => Array.from({ length: kept.length }, (_, index) => {
    const key = kept.key(index);
    const value = kept.getItem(key) ?? '';
    return {
      area,
      key: key.slice(0, 400).toWellFormed(),
      value: value.slice(0, most).toWellFormed(),
      length: value.length,
    };
  });
  try {
    return JSON.stringify([...look('local', localStorage), ...look('session', sessionStorage)]);
  } catch {
    return '';
  }
}";

const READ_SCRIPT: &str = "() => {
  const pack = (text) => text.isWellFormed()
    ? text : Array.from({ length: text.length }, (_, index) => text.charCodeAt(index));
  const items = [];
  try {
    for (let index = 0; index < localStorage.length; index += 1) {
      const key = localStorage.key(index);
      items.push([pack(key), pack(localStorage.getItem(key) ?? '')]);
    }
  } catch {
    return '';
  }
  return JSON.stringify(items);
}";

const WRITE_SCRIPT: &str = "(packed, clear) => {
  const unpack = (text) => typeof text === 'string'
    ? text : text.map((unit) => String.fromCharCode(unit)).join('');
  try {
    if (clear) localStorage.clear();
    for (const [key, value] of JSON.parse(packed)) localStorage.setItem(unpack(key), unpack(value));
  } catch (error) {
    return error.name;
  }
  return 'done';
}";

/// Packs the entries as [`REPLACE_SCRIPT`] takes them.
const PACK_SCRIPT: &str = "() => {
  const items = [];
  try {
    for (let index = 0; index < localStorage.length; index += 1) {
      const key = localStorage.key(index);
      items.push([key, localStorage.getItem(key) ?? '']);
    }
  } catch {
    return '';
  }
  return JSON.stringify(items);
}";

/// Takes entries as `page/carry.rs` packs them: only JavaScript knows halves of
/// surrogates in JSON.
const REPLACE_SCRIPT: &str = "(packed) => {
  try {
    localStorage.clear();
    for (const [key, value] of JSON.parse(packed)) localStorage.setItem(key, value);
  } catch {}
}";

impl Page {
    /// The storage of the document in `frame`.
    pub async fn storage(&self, frame: &FrameId) -> Result<OriginStorage> {
        Ok(OriginStorage(self.world(frame, &STORAGE_WORLD).await?))
    }
}

impl OriginStorage {
    /// Every entry of both areas, values cut; `None` where the document has no
    /// storage.
    pub async fn preview(&self) -> Result<Option<Vec<StorageEntryPreview>>> {
        self.parse_items(
            self.0.call(PREVIEW_SCRIPT, &[ScriptArgument::from(MAX_PREVIEW_CHARS)]).await?,
        )
    }

    /// The local storage, whole; `None` where the document has none.
    pub async fn read(&self) -> Result<Option<Vec<StorageItem>>> {
        self.parse_items(self.0.call(READ_SCRIPT, &[]).await?)
    }

    /// The local storage, packed as in a [`DocumentSnapshot`](crate::DocumentSnapshot);
    /// `None` where the document has none.
    pub async fn read_packed(&self) -> Result<Option<String>> {
        let packed: String = self.0.call(PACK_SCRIPT, &[]).await?;
        Ok(Some(packed).filter(|packed| !packed.is_empty()))
    }

    /// Writes entries of the local storage, in place of all others with
    /// `clear`; `None` where the document has no storage.
    pub async fn write(
        &self,
        items: &[StorageItem],
        clear: bool,
    ) -> Result<Option<StorageWriteOutcome>> {
        let packed = json!(items).to_string();
        let arguments = [ScriptArgument::from(packed), ScriptArgument::from(clear)];
        let outcome: String = self.0.call(WRITE_SCRIPT, &arguments).await?;
        Ok(match outcome.as_str() {
            "done" => Some(StorageWriteOutcome::Complete),
            "QuotaExceededError" => Some(StorageWriteOutcome::QuotaExceeded),
            _ => None,
        })
    }

    /// Puts the entries that [`DocumentSnapshot`](crate::DocumentSnapshot) hold in place
    /// of all others. What the origin has no room for is left out.
    pub async fn replace(&self, packed: &str) -> Result<()> {
        let _: serde_json::Value =
            self.0.call(REPLACE_SCRIPT, &[ScriptArgument::from(packed)]).await?;
        Ok(())
    }

    fn parse_items<T: serde::de::DeserializeOwned>(
        &self,
        packed: String,
    ) -> Result<Option<Vec<T>>> {
        if packed.is_empty() {
            return Ok(None);
        }
        // The text of a parser's error may quote a value.
        let odd = |_| Error::Script { message: "the storage cannot be read".to_owned() };
        serde_json::from_str(&packed).map(Some).map_err(odd)
    }
}

impl StorageText {
    /// Unicode text.
    pub fn plain(text: &str) -> Self {
        Self::Plain(text.to_owned())
    }
}
