//! Writes what a command saves, by the rules of the command line: a file appears
//! whole or not at all, a name that a page chose is made harmless and replaces
//! nothing, and settings, hooks and credentials are out of reach.

use std::collections::HashMap;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::client::Stream;
use super::commands::{FileHead, FilePart, FileTail};
use super::error::{Error, Result};
use super::json::Json;
use super::names::{is_guarded, safe};
use super::sha256::{Sha256, sha256};

const MANIFEST: &str = "manifest.json";

/// Bytes that a manifest may have; a larger one is not ours.
const MOST_MANIFEST: u64 = 32 << 20;

/// A file that was saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Saved {
    /// Where it lies.
    pub path: PathBuf,
    /// Where it comes from.
    pub url: String,
    /// Its MIME type.
    pub mime: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// SHA-256 of its bytes, in hexadecimal.
    pub sha256: String,
    /// What to know of it.
    pub note: String,
}

/// What could not be saved.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Failed {
    /// Where it comes from.
    pub url: String,
    /// The name of a reason.
    pub reason: String,
    /// The same in words.
    pub message: String,
}

/// What came of saving several files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct SavedFolder {
    /// Folder that holds them.
    pub folder: PathBuf,
    /// Its list of what came from where; a second run leaves out what it proves
    /// to be there.
    pub manifest: PathBuf,
    /// What was saved.
    pub saved: Vec<Saved>,
    /// How many were there already.
    pub present: u64,
    /// What could not be saved.
    pub failed: Vec<Failed>,
}

impl From<Saved> for Json {
    fn from(saved: Saved) -> Self {
        let path = ("path", Json::from(saved.path.display().to_string()));
        Self::object(
            std::iter::once(path).chain(about(&saved)).chain([("note", saved.note.into())]),
        )
    }
}

impl From<SavedFolder> for Json {
    fn from(folder: SavedFolder) -> Self {
        Self::object([
            ("folder", folder.folder.display().to_string().into()),
            ("manifest", folder.manifest.display().to_string().into()),
            ("saved", Self::list(folder.saved.iter().map(row))),
            ("present", folder.present.into()),
            ("failed", Self::list(folder.failed.iter().map(failure))),
        ])
    }
}

fn about(saved: &Saved) -> [(&'static str, Json); 4] {
    let (url, mime) = ((&saved.url).into(), (&saved.mime).into());
    [
        ("url", url),
        ("mime", mime),
        ("bytes", saved.bytes.into()),
        ("sha256", (&saved.sha256).into()),
    ]
}

/// The row of a manifest.
fn row(saved: &Saved) -> Json {
    let name = saved.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let [url, rest @ ..] = about(saved);
    Json::object([url, ("file", name.into())].into_iter().chain(rest))
}

fn failure(failed: &Failed) -> Json {
    let Failed { url, reason, message } = failed;
    Json::object([("url", url.into()), ("reason", reason.into()), ("message", message.into())])
}

/// Saves the one file of `parts` as `place`, in the folder `place`, or in the
/// temp directory.
pub(crate) fn file(parts: Stream<FilePart>, place: Option<&Path>) -> Result<Saved> {
    let named = place.filter(|path| !path.to_string_lossy().ends_with('/') && !path.is_dir());
    let mut draft = None;
    for part in parts {
        let part = part?;
        if let Some(head) = part.head {
            let folder = place.map_or_else(std::env::temp_dir, Path::to_owned);
            let path = named.map_or_else(|| folder.join(safe(&head.name)), Path::to_owned);
            draft = Some(Draft::begin(path, head)?);
        }
        if let Some(draft) = &mut draft {
            draft.add(&part.data)?;
        }
        if let Some(tail) = part.tail {
            if !tail.reason.is_empty() {
                return Err(Error::new(&tail.reason, tail.message, "", 9));
            }
            if let Some(draft) = draft.take() {
                return draft.finish(tail, named.is_none());
            }
        }
    }
    Err(Error::new("BUG", "the command ended without an answer", "", 13))
}

/// Saves the files that `call` streams into a folder, together with a manifest.
pub(crate) fn folder(
    place: Option<&Path>,
    call: impl FnOnce(Vec<String>) -> Result<Stream<FilePart>>,
) -> Result<SavedFolder> {
    let temporary = || std::env::temp_dir().join(format!("browse-{}", unique()));
    let folder = place.map_or_else(temporary, Path::to_owned);
    fs::create_dir_all(&folder).map_err(|error| unwritable(&folder, &error))?;
    let known = manifest(&folder);
    let urls = known.iter().filter_map(|row| row["url"].as_str().map(str::to_owned)).collect();
    let parts = call(urls)?;
    let manifest = folder.join(MANIFEST);
    let mut out = SavedFolder { folder, manifest, ..SavedFolder::default() };
    let taken = take_all(parts, &mut out);
    let written = write_manifest(&out, known);
    taken.and(written).map(|()| out)
}

fn take_all(parts: Stream<FilePart>, out: &mut SavedFolder) -> Result<()> {
    let mut open: HashMap<u32, Draft> = HashMap::new();
    for part in parts {
        let part = part?;
        if let Some(head) = part.head {
            let name = safe(&head.name);
            let reserved = name.eq_ignore_ascii_case(MANIFEST);
            let name = if reserved { format!("_{name}") } else { name };
            open.insert(part.file, Draft::begin(out.folder.join(name), head)?);
        }
        if let Some(draft) = open.get_mut(&part.file) {
            draft.add(&part.data)?;
        }
        let Some(tail) = part.tail else { continue };
        let draft = open.remove(&part.file);
        if tail.known {
            out.present += 1;
        } else if !tail.reason.is_empty() {
            let FileTail { url, reason, message, .. } = tail;
            out.failed.push(Failed { url, reason, message });
        } else if let Some(draft) = draft {
            out.saved.push(draft.finish(tail, true)?);
        }
    }
    Ok(())
}

/// The rows that speak of a plain file in the folder that is as they say. It may
/// come from anywhere.
fn manifest(folder: &Path) -> Vec<Json> {
    let path = folder.join(MANIFEST);
    let small = fs::metadata(&path).is_ok_and(|file| file.len() <= MOST_MANIFEST);
    let text = if small { fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
    let document = Json::parse(&text).unwrap_or_default();
    document["files"].items().iter().filter(|row| is_true(folder, row)).cloned().collect()
}

fn is_true(folder: &Path, row: &Json) -> bool {
    let (Some(file), Some(_)) = (row["file"].as_str(), row["url"].as_str()) else { return false };
    let path = folder.join(file);
    let whole = |about: fs::Metadata| {
        about.is_file() && i64::try_from(about.len()).ok() == row["bytes"].as_i64()
    };
    safe(file) == file
        && file != MANIFEST
        && fs::symlink_metadata(&path).is_ok_and(whole)
        && fs::read(&path)
            .is_ok_and(|bytes| Some(sha256(&bytes).as_str()) == row["sha256"].as_str())
}

fn write_manifest(out: &SavedFolder, known: Vec<Json>) -> Result<()> {
    let is_new = |row: &Json| out.saved.iter().any(|s| Some(s.url.as_str()) == row["url"].as_str());
    let kept = known.into_iter().filter(|row| !is_new(row));
    let document = Json::object([
        ("version", 1.into()),
        ("files", Json::list(kept.chain(out.saved.iter().map(row)))),
        ("failed", Json::list(out.failed.iter().map(failure))),
    ]);
    let mut draft = Draft::begin(out.manifest.clone(), FileHead::default())?;
    draft.add(format!("{document}\n").as_bytes())?;
    draft.name(false).map(|_| ())
}

/// A file under way: it lies under another name beside its own until it is
/// whole. What is half written goes with it.
struct Draft {
    head: FileHead,
    path: PathBuf,
    draft: PathBuf,
    file: File,
    hash: Sha256,
    bytes: u64,
}

impl Draft {
    fn begin(path: PathBuf, head: FileHead) -> Result<Self> {
        let failed = |error: io::Error| unwritable(&path, &error);
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let parent = path.parent().filter(|folder| !folder.as_os_str().is_empty());
        let folder = fs::canonicalize(parent.unwrap_or(Path::new("."))).map_err(failed)?;
        let home = std::env::var_os("BROWSE_HOME").and_then(|home| fs::canonicalize(home).ok());
        if is_guarded(&folder.join(&name), home.as_deref()) {
            let message = "settings, hooks or credentials lie there";
            return Err(failed(io::Error::new(io::ErrorKind::PermissionDenied, message)));
        }
        let short: String = name.chars().take(30).collect();
        let draft = folder.join(format!(".{short}.{}", unique()));
        let file = OpenOptions::new().write(true).create_new(true).open(&draft).map_err(failed)?;
        Ok(Self { head, path, draft, file, hash: Sha256::default(), bytes: 0 })
    }

    fn add(&mut self, bytes: &[u8]) -> Result<()> {
        self.hash.add(bytes);
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|error| unwritable(&self.path, &error))
    }

    /// Gives it its name, when it is what was sent.
    fn finish(mut self, tail: FileTail, keep: bool) -> Result<Saved> {
        let sha256 = std::mem::take(&mut self.hash).finish();
        if tail.bytes != self.bytes || tail.sha256 != sha256 {
            let message = format!("`{}` did not arrive as it was sent", self.path.display());
            return Err(Error::new("BUG", message, "", 13));
        }
        let path = self.name(keep)?;
        let FileHead { url, mime, .. } = std::mem::take(&mut self.head);
        Ok(Saved { path, url, mime, bytes: self.bytes, sha256, note: tail.note })
    }

    /// With `keep`, a file that has the name already keeps it, and this one gets
    /// a number.
    fn name(&self, keep: bool) -> Result<PathBuf> {
        let failed = |error: io::Error| unwritable(&self.path, &error);
        if !keep {
            fs::rename(&self.draft, &self.path).map_err(failed)?;
            return Ok(self.path.clone());
        }
        for number in 1u32.. {
            let wanted = numbered(&self.path, number);
            // A rename would replace; a link does not.
            match fs::hard_link(&self.draft, &wanted) {
                Ok(()) => return Ok(wanted),
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                Err(error) => return Err(failed(error)),
            }
        }
        Err(failed(io::ErrorKind::AlreadyExists.into()))
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // After a rename there is nothing to remove, and none to tell.
        let _ = fs::remove_file(&self.draft);
    }
}

fn numbered(path: &Path, number: u32) -> PathBuf {
    if number == 1 {
        return path.to_owned();
    }
    let stem = path.file_stem().unwrap_or_default().to_string_lossy();
    match path.extension() {
        Some(end) => path.with_file_name(format!("{stem}-{number}.{}", end.to_string_lossy())),
        None => path.with_file_name(format!("{stem}-{number}")),
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    let message = format!("`{}` cannot be written: {error}", path.display());
    Error::new("FILE_UNWRITABLE", message, "Give another path", 3)
}

fn unique() -> String {
    static CALLS: AtomicU32 = AtomicU32::new(0);
    let now =
        std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap_or_default();
    format!("{}-{}-{}", now.as_nanos(), std::process::id(), CALLS.fetch_add(1, Ordering::Relaxed))
}
