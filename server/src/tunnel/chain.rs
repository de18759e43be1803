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

use crate::policy::hex;

/// Bytes of a chain that are read.
const MOST_BYTES: u64 = 64 << 20;
/// Bytes of a line that was torn as it was written; what is longer is no receipt.
const MOST_TORN: u64 = 64 << 10;
/// What the hash of a line stands between.
const BEFORE: &str = ",\"hash\":\"";
const AFTER: &str = "\"}";
/// Digits of a hash.
const DIGITS: usize = 64;

/// A chain in a folder of its own.
#[derive(Clone, Debug)]
pub struct Chain {
    folder: PathBuf,
}

/// What holds a place in a chain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Link<T> {
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
pub struct Whole<T> {
    /// All links, the first one first.
    pub links: Vec<Link<T>>,
    /// Hash of the last; zeros when there is none.
    pub last: String,
    /// Bytes of them; what follows was torn while it was written.
    length: u64,
    /// Whether the head does not know of the last yet.
    ahead: bool,
}

/// Why a chain cannot be gone by.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// It was tampered with.
    #[error("{file}:{line}: {why}")]
    Broken {
        /// Name of the file.
        file: &'static str,
        /// Line in it, from 1 on.
        line: usize,
        /// What is wrong there.
        why: &'static str,
    },
    /// It is none to go by: a link, say, or others may write it.
    #[error("`{file}` {why}")]
    Odd {
        /// Name of it.
        file: &'static str,
        /// What is wrong with it.
        why: &'static str,
    },
    /// It cannot be read or written.
    #[error("{0}")]
    Unusable(#[from] io::Error),
}

/// How far a chain went.
#[derive(Debug, Serialize, Deserialize)]
struct Head {
    number: u64,
    hash: String,
}

/// Modes that the folder must not have, and that its files must not have.
const OTHERS_WRITE: u32 = 0o022;
const OTHERS_OPEN: u32 = 0o077;

/// The folder, in a fault.
const FOLDER: &str = "receipts";
const FILE: &str = "chain.jsonl";
const HEAD: &str = "head.json";

impl Chain {
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
        self.folder.join(FILE)
    }

    /// All of it, checked.
    ///
    /// # Errors
    /// Both.
    pub fn read<T: DeserializeOwned>(&self) -> Result<Whole<T>, Fault> {
        let Some(lock) = self.open()? else { return Ok(none()) };
        lock.lock_shared()?;
        self.check()
    }

    /// The folder, which is the user's own, and no link to somewhere else; none
    /// when there is none.
    fn open(&self) -> Result<Option<File>, Fault> {
        let odd = |why| Err(Fault::Odd { file: FOLDER, why });
        let about = match fs::symlink_metadata(&self.folder) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            about => about?,
        };
        if about.is_symlink() {
            return odd("is a link");
        }
        // A pipe would be waited for.
        if !about.is_dir() {
            return odd("is no folder");
        }
        let flags = nix::libc::O_DIRECTORY | nix::libc::O_NOFOLLOW;
        let folder = OpenOptions::new().read(true).custom_flags(flags).open(&self.folder)?;
        own(&folder, FOLDER, OTHERS_WRITE)?;
        Ok(Some(folder))
    }

    /// Checks all of it, and appends `content`; answers its hash when it is on
    /// the disk.
    ///
    /// # Errors
    /// Both; then nothing was appended.
    pub fn append<T: Serialize + DeserializeOwned>(&self, content: T) -> Result<String, Fault> {
        let lock = match self.open()? {
            Some(lock) => lock,
            None => {
                DirBuilder::new().recursive(true).mode(0o700).create(&self.folder)?;
                self.open()?.ok_or_else(|| io::Error::from(io::ErrorKind::NotFound))?
            }
        };
        lock.lock()?;
        let whole = self.check::<T>()?;
        let number = whole.links.len() as u64 + 1;
        if whole.links.is_empty() {
            // So that a chain without it is known to be cut.
            self.reach(&Head { number: 0, hash: whole.last.clone() })?;
        } else if whole.ahead {
            // It may be one behind, and no more.
            self.reach(&Head { number: number - 1, hash: whole.last.clone() })?;
        }
        let link = Link { number, before: whole.last, content };
        let (line, hash) = write(&link)?;
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
        self.reach(&Head { number, hash: hash.clone() }).inspect_err(|_| {
            // What is not known to be there does not count.
            let _ = file.set_len(whole.length);
        })?;
        lock.sync_all()?;
        Ok(hash)
    }

    fn reach(&self, head: &Head) -> io::Result<()> {
        // A temporary file is 0600 from the start.
        let mut waiting = tempfile::NamedTempFile::new_in(&self.folder)?;
        waiting.write_all(serde_json::to_string(head)?.as_bytes())?;
        waiting.as_file().sync_all()?;
        waiting.persist(self.folder.join(HEAD))?;
        Ok(())
    }

    fn check<T: DeserializeOwned>(&self) -> Result<Whole<T>, Fault> {
        let head =
            match text(&self.folder, HEAD)? {
                Some(text) => Some(serde_json::from_str::<Head>(&text).map_err(|_| {
                    Fault::Broken { file: HEAD, line: 1, why: "it cannot be read" }
                })?),
                None => None,
            };
        let text = text(&self.folder, FILE)?.unwrap_or_default();
        let mut whole = none();
        let broken = |line, why| Fault::Broken { file: FILE, line, why };
        if head.is_none() && !text.is_empty() {
            return Err(Fault::Broken { file: HEAD, line: 1, why: "it is missing" });
        }
        let mut met = head.as_ref().is_none_or(|head| head.number == 0);
        for (at, line) in text.split_inclusive('\n').enumerate() {
            let Some(line) = line.strip_suffix('\n') else { break };
            let (link, hash) = read::<T>(line).map_err(|why| broken(at + 1, why))?;
            if link.number != at as u64 + 1 {
                return Err(broken(at + 1, "its number is not the next"));
            }
            if link.before != whole.last {
                return Err(broken(at + 1, "it does not name the hash of the line before"));
            }
            if let Some(head) = head.as_ref().filter(|head| head.number == link.number) {
                if head.hash != hash {
                    return Err(broken(at + 1, "it is another than was written last"));
                }
                met = true;
            }
            whole.length += line.len() as u64 + 1;
            whole.last = hash;
            whole.links.push(link);
        }
        if text.len() as u64 > whole.length + MOST_TORN {
            return Err(broken(whole.links.len() + 1, "it has no end, and is no receipt"));
        }
        // The head may be one behind: a daemon was killed before it wrote it.
        let behind = head.as_ref().map_or(0, |head| head.number);
        let lines = whole.links.len();
        if !met {
            return Err(broken(lines + 1, "receipts that were written are missing"));
        }
        if lines as u64 > behind + 1 {
            return Err(broken(lines, "there are more receipts than were written"));
        }
        whole.ahead = lines as u64 > behind;
        Ok(whole)
    }
}

fn none<T>() -> Whole<T> {
    Whole { links: Vec::new(), last: "0".repeat(DIGITS), length: 0, ahead: false }
}

/// What a file of `folder` holds; none when there is none.
fn text(folder: &Path, name: &'static str) -> Result<Option<String>, Fault> {
    let odd = |why| Fault::Odd { file: name, why };
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
        return Err(odd("is no plain file"));
    }
    own(&file, name, OTHERS_OPEN)?;
    if about.size() > MOST_BYTES {
        return Err(odd("is larger than 64 MiB"));
    }
    let mut bytes = Vec::new();
    file.take(MOST_BYTES).read_to_end(&mut bytes)?;
    // What is no text fits no hash.
    Ok(Some(String::from_utf8_lossy(&bytes).into_owned()))
}

/// Refuses what is another user's, or open to others.
fn own(file: &File, name: &'static str, others: u32) -> Result<(), Fault> {
    let about = file.metadata()?;
    let odd = |why| Err(Fault::Odd { file: name, why });
    if about.uid() != nix::unistd::geteuid().as_raw() {
        return odd("belongs to another user");
    }
    match about.mode() & others {
        0 => Ok(()),
        mode if mode & OTHERS_WRITE != 0 => odd("may be written by others"),
        _ => odd("may be read by others"),
    }
}

/// A line with its end, and its hash.
fn write<T: Serialize>(link: &Link<T>) -> io::Result<(String, String)> {
    let text = serde_json::to_string(link)?;
    let body = text.strip_suffix('}').ok_or_else(|| io::Error::other("it is no object"))?;
    let hash = hash(body);
    Ok((format!("{body}{BEFORE}{hash}{AFTER}\n"), hash))
}

fn read<T: DeserializeOwned>(line: &str) -> Result<(Link<T>, String), &'static str> {
    let (body, end) = line.rsplit_once(BEFORE).ok_or("it has no hash")?;
    let named = end.strip_suffix(AFTER).filter(|named| named.len() == DIGITS);
    let named = named.ok_or("it has no whole hash")?;
    if hash(body) != named {
        return Err("its hash does not fit");
    }
    let link = serde_json::from_str(&format!("{body}}}")).map_err(|_| "it is no receipt")?;
    Ok((link, named.to_owned()))
}

fn hash(text: &str) -> String {
    hex(&Sha256::digest(text.as_bytes()))
}

#[cfg(test)]
#[path = "chain_tests.rs"]
mod tests;
