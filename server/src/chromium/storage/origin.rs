//! What an origin keeps for scripts: its local and session storage, read and
//! written from a world of our own, so that no page can pretend.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::chromium::error::{Error, Result};
use crate::chromium::ids::FrameId;
use crate::chromium::page::page::Page;
use crate::chromium::world::argument::Argument;
use crate::chromium::world::world::{Engine, World};

/// The world that scripts run in.
static WORLD: Engine = Engine { world: "browse storage", script: "" };

/// The storage of the origin of one document.
pub struct OriginStorage(Arc<World>);

/// Text of a page. Scripts may keep code units that are no Unicode.
#[derive(Clone, PartialEq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Text {
    /// Unicode.
    Plain(String),
    /// Code units of UTF-16.
    Units(Vec<u16>),
}

/// A key and its value.
pub type Item = (Text, Text);

/// An entry, for people.
#[derive(Deserialize)]
pub struct Glance {
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
pub enum Written {
    /// All is kept.
    All,
    /// The origin's room is full: some is not kept.
    Full,
}

/// Characters of a value that [`OriginStorage::glance`] answers.
pub const GLANCE: usize = 4_000;

const GLANCE_AT: &str = "(most) => {
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

const READ: &str = "() => {
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

const WRITE: &str = "(packed, clear) => {
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

/// Takes entries as `page/carry.rs` packs them: only JavaScript knows halves of
/// surrogates in JSON.
const REPLACE: &str = "(packed) => {
  try {
    localStorage.clear();
    for (const [key, value] of JSON.parse(packed)) localStorage.setItem(key, value);
  } catch {}
}";

impl Page {
    /// The storage of the document in `frame`.
    pub async fn storage(&self, frame: &FrameId) -> Result<OriginStorage> {
        Ok(OriginStorage(self.world(frame, &WORLD).await?))
    }
}

impl OriginStorage {
    /// Every entry of both areas, values cut; `None` where the document has no
    /// storage.
    pub async fn glance(&self) -> Result<Option<Vec<Glance>>> {
        self.items(self.0.call(GLANCE_AT, &[Argument::from(GLANCE)]).await?)
    }

    /// The local storage, whole; `None` where the document has none.
    pub async fn read(&self) -> Result<Option<Vec<Item>>> {
        self.items(self.0.call(READ, &[]).await?)
    }

    /// Writes entries of the local storage, in place of all others with
    /// `clear`; `None` where the document has no storage.
    pub async fn write(&self, items: &[Item], clear: bool) -> Result<Option<Written>> {
        let packed = json!(items).to_string();
        let arguments = [Argument::from(packed), Argument::from(clear)];
        let outcome: String = self.0.call(WRITE, &arguments).await?;
        Ok(match outcome.as_str() {
            "done" => Some(Written::All),
            "QuotaExceededError" => Some(Written::Full),
            _ => None,
        })
    }

    /// Puts the entries that [`Belongings`](crate::chromium::Belongings) hold in place
    /// of all others. What the origin has no room for is left out.
    pub async fn replace(&self, packed: &str) -> Result<()> {
        let _: serde_json::Value = self.0.call(REPLACE, &[Argument::from(packed)]).await?;
        Ok(())
    }

    fn items<T: serde::de::DeserializeOwned>(&self, packed: String) -> Result<Option<Vec<T>>> {
        if packed.is_empty() {
            return Ok(None);
        }
        // The text of a parser's error may quote a value.
        let odd = |_| Error::Script { message: "the storage cannot be read".to_owned() };
        serde_json::from_str(&packed).map(Some).map_err(odd)
    }
}

impl Text {
    /// Unicode text.
    pub fn plain(text: &str) -> Self {
        Self::Plain(text.to_owned())
    }
}
