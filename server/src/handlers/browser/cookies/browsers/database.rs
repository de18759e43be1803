//! The database of cookies of a browser, read from a copy: the browser holds
//! the original locked, and nothing of it is to change.

use std::{
    fs,
    path::{Path, PathBuf},
};

use browse_proto::Reason;
use rusqlite::{Connection, OpenFlags, types::ValueRef};

use browse_base::{Error, Result};
use browse_chromium::{Cookie, PartitionKey, SameSite};

/// Bytes that a database may have.
const MAX_DATABASE_BYTES: u64 = 512 << 20;

/// Seconds from 1601, where the browser's clock begins, to 1970.
const WINDOWS_EPOCH_OFFSET_SECONDS: f64 = 11_644_473_600.0;

/// What a database holds.
pub struct CookieDatabase {
    /// Version of its schema.
    pub version: i64,
    /// Its cookies.
    pub rows: Vec<CookieRow>,
}

/// A cookie, whose value may be sealed.
pub struct CookieRow {
    /// The cookie; its value is empty when it is sealed.
    pub cookie: Cookie,
    /// The sealed value.
    pub encrypted_value: Vec<u8>,
}

impl CookieDatabase {
    /// Reads the database at `path`, which another program may have open.
    ///
    /// # Errors
    /// `COOKIES_UNREADABLE`. Blocks.
    pub fn read(path: &Path) -> Result<Self> {
        let (folder, copy) = copy_database(path).map_err(|error| unreadable(&error))?;
        let database = read_database(&copy).map_err(|error| unreadable(&error));
        // Before the answer, so that nothing is left behind.
        folder.close().map_err(|error| unreadable(&error))?;
        database
    }
}

/// Copies the database, with what its owner has not yet written into it, into
/// a folder of ours. The temp directories of this kind have mode 0700.
fn copy_database(path: &Path) -> std::io::Result<(tempfile::TempDir, PathBuf)> {
    let too_large = || std::io::Error::other("it is larger than 512 MiB");
    let folder = tempfile::Builder::new().prefix("browse-cookies-").tempdir()?;
    let target = folder.path().join("Cookies");
    for ending in ["-journal", "-wal", ""] {
        let from = PathBuf::from(format!("{}{ending}", path.display()));
        if !ending.is_empty() && !from.is_file() {
            continue;
        }
        if fs::metadata(&from)?.len() > MAX_DATABASE_BYTES {
            return Err(too_large());
        }
        fs::copy(&from, folder.path().join(format!("Cookies{ending}")))?;
    }
    Ok((folder, target))
}

fn read_database(path: &Path) -> rusqlite::Result<CookieDatabase> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.pragma_update(None, "trusted_schema", false)?;
    let version = "SELECT CAST(value AS INTEGER) FROM meta WHERE key = 'version'";
    let version: i64 = connection.query_row(version, [], |row| row.get(0))?;
    let columns = columns(&connection)?;
    let has = |name: &str| columns.iter().any(|known| known == name);
    let or = |name: &'static str, other: &'static str| if has(name) { name } else { other };
    let query = format!(
        "SELECT host_key, name, value, encrypted_value, path, expires_utc, {}, {}, {}, {}, {} \
         FROM cookies",
        or("is_secure", or("secure", "0")),
        or("is_httponly", or("httponly", "0")),
        or("samesite", "-1"),
        or("top_frame_site_key", "''"),
        or("has_cross_site_ancestor", "0"),
    );
    let mut statement = connection.prepare(&query)?;
    let mut found = statement.query([])?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        rows.extend(read_row(row)?);
    }
    Ok(CookieDatabase { version, rows })
}

fn columns(connection: &Connection) -> rusqlite::Result<Vec<String>> {
    let mut statement = connection.prepare("SELECT name FROM pragma_table_info('cookies')")?;
    statement.query_map([], |row| row.get(0))?.collect()
}

/// A row; none when its texts are not a Unicode.
fn read_row(row: &rusqlite::Row<'_>) -> rusqlite::Result<Option<CookieRow>> {
    let text = |index: usize| match row.get_ref(index) {
        Ok(ValueRef::Text(bytes)) => std::str::from_utf8(bytes).ok().map(str::to_owned),
        Ok(ValueRef::Null) => Some(String::new()),
        _ => None,
    };
    let (Some(domain), Some(name), Some(value), Some(path), Some(top)) =
        (text(0), text(1), text(2), text(4), text(9))
    else {
        return Ok(None);
    };
    let flag = |index: usize| {
        row.get::<_, Option<i64>>(index).map(|flag| flag.is_some_and(|flag| flag != 0))
    };
    let sealed = match row.get_ref(3)? {
        ValueRef::Blob(bytes) | ValueRef::Text(bytes) => bytes.to_vec(),
        _ => Vec::new(),
    };
    let partition = PartitionKey { top_level_site: top, has_cross_site_ancestor: flag(10)? };
    let secure = flag(6)?;
    let cookie = Cookie {
        domain,
        name,
        value,
        path,
        expires: to_unix_expiry(row.get(5)?),
        secure,
        http_only: flag(7)?,
        same_site: match row.get::<_, i64>(8)? {
            0 if secure => Some(SameSite::None),
            1 => Some(SameSite::Lax),
            2 => Some(SameSite::Strict),
            _ => None,
        },
        partition_key: Some(partition).filter(|key| !key.top_level_site.is_empty()),
    };
    Ok(Some(CookieRow { cookie, encrypted_value: sealed }))
}

/// Microseconds since 1601 as seconds since the epoch; 0 stands for a cookie
/// of the session.
fn to_unix_expiry(microseconds: i64) -> Option<f64> {
    (microseconds != 0)
        .then(|| (microseconds as f64 / 1_000_000.0 - WINDOWS_EPOCH_OFFSET_SECONDS).max(1.0))
}

fn unreadable(error: &dyn std::fmt::Display) -> Error {
    let message = format!("the cookies of the browser cannot be read: {error}");
    Error::new(Reason::CookiesUnreadable, message)
}

#[cfg(test)]
mod tests;
