//! The file of attempts: appended under a lock, since the daemons of several
//! projects share it, and rotated.

use std::{
    fs::{self, DirBuilder, File},
    io::{self, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use browse_proto::Reason;
use serde::{Deserialize, Serialize};

use browse_base::{Error, Result, open_private_log};

/// Bytes of a file before the next one is begun.
const MAX_FILE_BYTES: u64 = 10 << 20;

/// Files that are kept, the one that is written included.
const MAX_FILES: usize = 5;

/// One attempt.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct SecurityLogRow {
    /// RFC 3339, in UTC.
    pub time: String,
    /// Where.
    pub surface: String,
    /// Why it was refused.
    pub reason: String,
    /// Salted SHA-256 of the source, in hex.
    pub source: String,
    /// Host that it is about.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub domain: String,
    /// Rows that a flood kept out before this one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub dropped: u64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde passes a reference.
fn is_zero(number: &u64) -> bool {
    *number == 0
}

/// The file, locked until this is dropped.
pub struct SecurityLogFile {
    folder: PathBuf,
    _lock: File,
}

impl SecurityLogFile {
    /// Makes the folder where it is missing, and waits for other daemons.
    ///
    /// # Errors
    /// `SECURITY_FILE_UNREADABLE`.
    pub fn open(folder: &Path) -> Result<Self> {
        let lock = || {
            DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
            let lock = File::open(folder)?;
            if lock.metadata()?.mode() & 0o077 != 0 {
                lock.set_permissions(fs::Permissions::from_mode(0o700))?;
            }
            lock.lock()?;
            Ok(lock)
        };
        let lock = lock().map_err(|error: io::Error| unreadable(folder, 0, &error))?;
        Ok(Self { folder: folder.to_owned(), _lock: lock })
    }

    /// Appends a row.
    ///
    /// # Errors
    /// `SECURITY_FILE_UNREADABLE`.
    pub fn append(&self, row: &SecurityLogRow) -> Result<()> {
        let path = file_path(&self.folder, 0);
        self.write(&path, row).map_err(|error| unreadable(&path, 0, &error))
    }

    fn write(&self, path: &Path, row: &SecurityLogRow) -> io::Result<()> {
        let mut line = serde_json::to_vec(row)?;
        line.push(b'\n');
        let (mut file, size) = open(path)?;
        if size > 0 && size + line.len() as u64 > MAX_FILE_BYTES {
            self.rotate()?;
            file = open(path)?.0;
        } else if size > 0 && ends_without_newline(path, size)? {
            // A daemon was killed while it wrote.
            file.write_all(b"\n")?;
        }
        file.write_all(&line)
    }

    fn rotate(&self) -> io::Result<()> {
        for older in (1..MAX_FILES).rev() {
            match fs::rename(file_path(&self.folder, older - 1), file_path(&self.folder, older)) {
                Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(error),
                _ => {}
            }
        }
        Ok(())
    }
}

/// The last `most` rows of all files, oldest first, and where lines cannot be
/// read. A last line without its end is one that was torn, or is being written.
///
/// # Errors
/// `SECURITY_FILE_UNREADABLE`.
pub fn read_last(folder: &Path, most: usize) -> Result<(Vec<SecurityLogRow>, Vec<String>)> {
    let (mut rows, mut damaged) = (Vec::new(), Vec::new());
    for generation in 0..MAX_FILES {
        if rows.len() >= most {
            break;
        }
        let path = file_path(folder, generation);
        let bytes = match fs::read(&path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            read => read.map_err(|error| unreadable(&path, 0, &error))?,
        };
        let lines: Vec<_> = bytes.split_inclusive(|byte| *byte == b'\n').collect();
        for (at, line) in lines.iter().enumerate().rev() {
            match serde_json::from_slice(line) {
                Ok(row) => rows.push(row),
                Err(_) if !line.ends_with(b"\n") || line.trim_ascii().is_empty() => {}
                Err(_) => damaged.push(format!("{}:{}", path.display(), at + 1)),
            }
            if rows.len() >= most {
                break;
            }
        }
    }
    rows.reverse();
    Ok((rows, damaged))
}

fn open(path: &Path) -> io::Result<(File, u64)> {
    let file = open_private_log(path)?;
    let meta = file.metadata()?;
    if meta.mode() & 0o077 != 0 {
        file.set_permissions(fs::Permissions::from_mode(0o600))?;
    }
    Ok((file, meta.len()))
}

fn ends_without_newline(path: &Path, size: u64) -> io::Result<bool> {
    use std::os::unix::fs::FileExt as _;
    let mut last = [0];
    File::open(path)?.read_exact_at(&mut last, size - 1)?;
    Ok(last != *b"\n")
}

fn file_path(folder: &Path, generation: usize) -> PathBuf {
    match generation {
        0 => folder.join("attempts.jsonl"),
        older => folder.join(format!("attempts.{older}.jsonl")),
    }
}

/// The error for a file of security that cannot be used; `line` 0 is none.
pub fn unreadable(path: &Path, line: usize, problem: &dyn std::fmt::Display) -> Error {
    let place = match line {
        0 => path.display().to_string(),
        line => format!("{}:{line}", path.display()),
    };
    let message = format!("`{place}` cannot be used: {problem}");
    Error::new(Reason::SecurityFileUnreadable, message).with("file", place)
}
