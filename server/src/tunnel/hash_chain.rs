//! A file of lines of which each names the hash of the one before: what was
//! written cannot be changed, removed or put in without a trace.
//!
//! A line is a JSON object that ends in `,"hash":"…"}`: the SHA-256 of all that
//! stands before that. The file beside it tells how far the chain went, so that
//! an end that was cut off is missed. Several daemons share both, by a lock on
//! their folder.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, Read as _, Write as _},
    os::unix::fs::{DirBuilderExt as _, MetadataExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize, de::DeserializeOwned};
use sha2::{Digest as _, Sha256};

use browse_base::hex;

/// Bytes of a chain that are read.
const MAX_CHAIN_BYTES: u64 = 64 << 20;
/// Bytes of a line that was torn as it was written; what is longer is not a receipt.
const MAX_TORN_BYTES: u64 = 64 << 10;
/// What the hash of a line stands between.
const HASH_PREFIX: &str = ",\"hash\":\"";
const HASH_SUFFIX: &str = "\"}";
/// Digits of a hash.
const HASH_DIGITS: usize = 64;

/// A chain in a folder of its own.
#[derive(Clone, Debug)]
pub struct HashChainLog {
    folder: PathBuf,
}

/// What holds a place in a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChainRecord<T> {
    /// Its number, from 1 on.
    pub number: u64,
    /// Hash of the one before; zeros for the first.
    pub before: String,
    /// What it says.
    #[serde(flatten)]
    pub content: T,
}

/// A chain that holds.
#[derive(Debug)]
pub struct VerifiedChain<T> {
    /// All links, the first one first.
    pub records: Vec<ChainRecord<T>>,
    /// Hash of the last; zeros when there is none.
    pub last_hash: String,
    /// Bytes of them; what follows was torn while it was written.
    length: u64,
    /// Whether the head does not know of the last yet.
    is_head_stale: bool,
}

/// Why a chain cannot be gone by.
#[derive(Debug, thiserror::Error)]
pub enum ChainError {
    /// It was tampered with.
    #[error("{file}:{line}: {why}")]
    Tampered {
        /// Name of the file.
        file: &'static str,
        /// Line in it, from 1 on.
        line: usize,
        /// What is wrong there.
        why: &'static str,
    },
    /// It is none to go by: a link, say, or others may write it.
    #[error("`{file}` {why}")]
    Untrusted {
        /// Name of it.
        file: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// It cannot be read or written.
    #[error("{0}")]
    Io(#[from] io::Error),
}

/// How far a chain went.
#[derive(Debug, Serialize, Deserialize)]
struct ChainHead {
    number: u64,
    hash: String,
}

/// Modes that the folder must not have, and that its files must not have.
const FOLDER_MODE_MASK: u32 = 0o022;
const FILE_MODE_MASK: u32 = 0o077;

/// The folder, in a fault.
const FOLDER_NAME: &str = "receipts";
const CHAIN_FILE: &str = "chain.jsonl";
const HEAD_FILE: &str = "head.json";

impl HashChainLog {
    /// The chain in `folder`, which is made when something is written.
    pub fn new(folder: PathBuf) -> Self {
        Self { folder }
    }

    /// Its folder.
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// The file of its lines.
    pub fn file(&self) -> PathBuf {
        self.folder.join(CHAIN_FILE)
    }

    /// All of it, checked.
    ///
    /// # Errors
    /// Both.
    pub fn read_verified<T: DeserializeOwned>(&self) -> Result<VerifiedChain<T>, ChainError> {
        let Some(lock) = self.open_folder()? else { return Ok(empty_chain()) };
        lock.lock_shared()?;
        self.verify()
    }

    /// The folder, which is the user's own, and no link to somewhere else; none
    /// when there is none.
    fn open_folder(&self) -> Result<Option<File>, ChainError> {
        let odd = |why| Err(ChainError::Untrusted { file: FOLDER_NAME, why });
        let about = match fs::symlink_metadata(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            about => about?,
        };
        if about.is_symlink() {
            return odd("is a link");
        }
        // A pipe would be waited for.
        if !about.is_dir() {
            return odd("is not a folder");
        }
        let flags = nix::libc::O_DIRECTORY | nix::libc::O_NOFOLLOW;
        let folder = OpenOptions::new().read(true).custom_flags(flags).open(&self.folder)?;
        ensure_private(&folder, FOLDER_NAME, FOLDER_MODE_MASK)?;
        Ok(Some(folder))
    }

    /// Checks all of it, and appends `content`; answers its hash when it is on
    /// the disk.
    ///
    /// # Errors
    /// Both; then nothing was appended.
    pub fn append<T: Serialize + DeserializeOwned>(
        &self,
        content: T,
    ) -> Result<String, ChainError> {
        let lock = match self.open_folder()? {
            Some(lock) => lock,
            None => {
                DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
                self.open_folder()?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?
            }
        };
        lock.lock()?;
        let whole = self.verify::<T>()?;
        let number = whole.records.len() as u64 + 1;
        if whole.records.is_empty() {
            // So that a chain without it is known to be cut.
            self.write_head(&ChainHead { number: 0, hash: whole.last_hash.clone() })?;
        } else if whole.is_head_stale {
            // It may be one behind, and no more.
            self.write_head(&ChainHead { number: number - 1, hash: whole.last_hash.clone() })?;
        }
        let link = ChainRecord { number, before: whole.last_hash, content };
        let (line, hash) = encode_record(&link)?;
        let mut options = OpenOptions::new();
        options.create(true).append(true).mode(0o600).custom_flags(nix::libc::O_NOFOLLOW);
        let mut file = options.open(self.file())?;
        // A daemon was killed while it wrote.
        file.set_len(whole.length)?;
        let written = file.write_all(line.as_bytes()).and_then(|()| file.sync_all());
        if let Err(error) = written {
            let _ = file.set_len(whole.length);
            return Err(error.into());
        }
        self.write_head(&ChainHead { number, hash: hash.clone() }).inspect_err(|_| {
            // What is not known to be there does not count.
            let _ = file.set_len(whole.length);
        })?;
        lock.sync_all()?;
        Ok(hash)
    }

    fn write_head(&self, head: &ChainHead) -> io::Result<()> {
        // A temporary file is 0600 from the start.
        let mut waiting = tempfile::NamedTempFile::new_in(&self.folder)?;
        waiting.write_all(serde_json::to_string(head)?.as_bytes())?;
        waiting.as_file().sync_all()?;
        waiting.persist(self.folder.join(HEAD_FILE))?;
        Ok(())
    }

    fn verify<T: DeserializeOwned>(&self) -> Result<VerifiedChain<T>, ChainError> {
        let head = match read_text(&self.folder, HEAD_FILE)? {
            Some(text) => Some(serde_json::from_str::<ChainHead>(&text).map_err(|_| {
                ChainError::Tampered { file: HEAD_FILE, line: 1, why: "it cannot be read" }
            })?),
            None => None,
        };
        let text = read_text(&self.folder, CHAIN_FILE)?.unwrap_or_default();
        let mut whole = empty_chain();
        let broken = |line, why| ChainError::Tampered { file: CHAIN_FILE, line, why };
        if head.is_none() && !text.is_empty() {
            return Err(ChainError::Tampered { file: HEAD_FILE, line: 1, why: "it is missing" });
        }
        let mut met = head.as_ref().is_none_or(|head| head.number == 0);
        for (at, line) in text.split_inclusive('\n').enumerate() {
            let Some(line) = line.strip_suffix('\n') else { break };
            let (link, hash) = parse_record::<T>(line).map_err(|why| broken(at + 1, why))?;
            if link.number != at as u64 + 1 {
                return Err(broken(at + 1, "its number is not the next"));
            }
            if link.before != whole.last_hash {
                return Err(broken(at + 1, "it does not name the hash of the line before"));
            }
            if let Some(head) = head.as_ref().filter(|head| head.number == link.number) {
                if head.hash != hash {
                    return Err(broken(at + 1, "it is another than was written last"));
                }
                met = true;
            }
            whole.length += line.len() as u64 + 1;
            whole.last_hash = hash;
            whole.records.push(link);
        }
        if text.len() as u64 > whole.length + MAX_TORN_BYTES {
            return Err(broken(whole.records.len() + 1, "it has no end, and is not a receipt"));
        }
        // The head may be one behind: a daemon was killed before it wrote it.
        let behind = head.as_ref().map_or(0, |head| head.number);
        let lines = whole.records.len();
        if !met {
            return Err(broken(lines + 1, "receipts that were written are missing"));
        }
        if lines as u64 > behind + 1 {
            return Err(broken(lines, "there are more receipts than were written"));
        }
        whole.is_head_stale = lines as u64 > behind;
        Ok(whole)
    }
}

fn empty_chain<T>() -> VerifiedChain<T> {
    VerifiedChain {
        records: Vec::new(),
        last_hash: "0".repeat(HASH_DIGITS),
        length: 0,
        is_head_stale: false,
    }
}

/// What a file of `folder` holds; none when there is none.
fn read_text(folder: &Path, name: &'static str) -> Result<Option<String>, ChainError> {
    let odd = |why| ChainError::Untrusted { file: name, why };
    let flags = nix::libc::O_NOFOLLOW | nix::libc::O_NONBLOCK;
    let file = match OpenOptions::new().read(true).custom_flags(flags).open(folder.join(name)) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        Err(error) if error.raw_os_error() == Some(nix::libc::ELOOP) => {
            return Err(odd("is a link"));
        }
        file => file?,
    };
    let about = file.metadata()?;
    if !about.is_file() {
        return Err(odd("is not a plain file"));
    }
    ensure_private(&file, name, FILE_MODE_MASK)?;
    if about.size() > MAX_CHAIN_BYTES {
        return Err(odd("is larger than 64 MiB"));
    }
    let mut bytes = Vec::new();
    file.take(MAX_CHAIN_BYTES).read_to_end(&mut bytes)?;
    // What is not text fits no hash.
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Refuses what is another user's, or open to others.
fn ensure_private(file: &File, name: &'static str, others: u32) -> Result<(), ChainError> {
    let about = file.metadata()?;
    let odd = |why| Err(ChainError::Untrusted { file: name, why });
    if about.uid() != nix::unistd::geteuid().as_raw() {
        return odd("belongs to another user");
    }
    match about.mode() & others {
        0 => Ok(()),
        mode if mode & FOLDER_MODE_MASK != 0 => odd("may be written by others"),
        _ => odd("may be read by others"),
    }
}

/// A line with its end, and its hash.
fn encode_record<T: Serialize>(link: &ChainRecord<T>) -> io::Result<(String, String)> {
    let text = serde_json::to_string(link)?;
    let body = text.strip_suffix('}').ok_or_else(|| io::Error::other("it is not an object"))?;
    let hash = sha256_hex(body);
    Ok((format!("{body}{HASH_PREFIX}{hash}{HASH_SUFFIX}\n"), hash))
}

fn parse_record<T: DeserializeOwned>(line: &str) -> Result<(ChainRecord<T>, String), &'static str> {
    let (body, end) = line.rsplit_once(HASH_PREFIX).ok_or("it has no hash")?;
    let named = end.strip_suffix(HASH_SUFFIX).filter(|named| named.len() == HASH_DIGITS);
    let named = named.ok_or("it has no whole hash")?;
    if sha256_hex(body) != named {
        return Err("its hash does not fit");
    }
    let link = serde_json::from_str(&format!("{body}}}")).map_err(|_| "it is not a receipt")?;
    Ok((link, named.to_owned()))
}

fn sha256_hex(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
#[path = "hash_chain_tests.rs"]
mod tests;
