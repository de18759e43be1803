//! The IndexedDB databases of an origin: the script in `indexed_db/` packs them, and writes what
//! was packed in another browser.

use serde::{Deserialize, Serialize};
use serde_json::json;

use super::origin::OriginStorage;
use crate::error::{Error, Result};
use crate::world::argument::ScriptArgument;

/// Defines `browseDatabases`.
pub(super) const SCRIPT: &str = concat!(
    "globalThis.browseDatabases ??= (() => {\n",
    include_str!("indexed_db/shared.js"),
    include_str!("indexed_db/pack.js"),
    include_str!("indexed_db/unpack.js"),
    include_str!("indexed_db/read.js"),
    include_str!("indexed_db/write.js"),
    "return { read, write, clear };\n})();\n",
);

/// Bytes of packed databases that a session takes along: to a file, another daemon or a window.
pub const MAX_DATABASE_BYTES: usize = 16 << 20;

/// The databases of an origin, and what of the origin no script can take along.
#[derive(Clone, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct DatabaseSnapshot {
    /// The databases, as [`OriginStorage::write_databases`] takes them; none without any. It is
    /// JSON that only JavaScript reads: texts of pages may hold halves of surrogates.
    pub packed: Option<String>,
    /// How many databases are in it.
    pub databases: u32,
    /// What is not in it, for people: records that have no form outside of their browser, what is
    /// too large, caches, service workers. Names in it are of the page.
    pub omitted: Vec<String>,
    /// Names of databases that are not in it whole: they are too large, or some of their records have
    /// no form outside of their browser; `*` for all.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
}

/// What came of writing databases.
#[derive(Debug, Default, Deserialize)]
pub struct DatabaseWriteResult {
    /// How many databases were written.
    pub databases: u32,
    /// What was not written, for people. Names in it are of the page.
    pub problems: Vec<String>,
}

impl DatabaseSnapshot {
    /// Whether there is nothing to save and nothing to say.
    pub fn is_empty(&self) -> bool {
        self.packed.is_none() && self.omitted.is_empty()
    }

    /// Bytes that it takes, about.
    pub fn bytes(&self) -> usize {
        let omitted = self.omitted.iter().map(String::len).sum::<usize>();
        self.packed.as_ref().map_or(0, String::len) + omitted
    }
}

impl OriginStorage {
    /// All databases of the origin, packed in at most about `limit` bytes; those that do not fit
    /// are left out and named.
    pub async fn read_databases(&self, limit: usize) -> Result<DatabaseSnapshot> {
        let script = "(limit) => browseDatabases.read(limit)";
        parse(&self.0.call::<String>(script, &[ScriptArgument::from(limit)]).await?)
    }

    /// Writes databases that were packed: in place of all that the origin has with `replace`,
    /// else into those of the same version and beside others.
    pub async fn write_databases(
        &self,
        packed: &str,
        replace: bool,
    ) -> Result<DatabaseWriteResult> {
        let script = "(packed, replace) => browseDatabases.write(packed, replace, [])";
        let arguments = [ScriptArgument::from(packed), ScriptArgument::from(replace)];
        parse(&self.0.call::<String>(script, &arguments).await?)
    }

    /// Brings the databases of the origin to those of `snapshot`. What that could not hold
    /// ([`DatabaseSnapshot::left`]) stays as it is.
    pub async fn restore_databases(
        &self,
        snapshot: &DatabaseSnapshot,
    ) -> Result<DatabaseWriteResult> {
        let keep = ScriptArgument::from(json!(snapshot.left));
        let text: String = match &snapshot.packed {
            Some(packed) => {
                let script = "(packed, keep) => browseDatabases.write(packed, true, keep)";
                self.0.call(script, &[ScriptArgument::from(packed.as_str()), keep]).await?
            }
            None => self.0.call("(keep) => browseDatabases.clear(keep)", &[keep]).await?,
        };
        parse(&text)
    }

    /// Removes all databases of the origin.
    pub async fn clear_databases(&self) -> Result<DatabaseWriteResult> {
        parse(&self.0.call::<String>("() => browseDatabases.clear([])", &[]).await?)
    }
}

/// The text of a parser's error may quote a value.
fn parse<T: serde::de::DeserializeOwned>(text: &str) -> Result<T> {
    let odd = |_| Error::Script { message: "the databases cannot be read".to_owned() };
    serde_json::from_str(text).map_err(odd)
}
