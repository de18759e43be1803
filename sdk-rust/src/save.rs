//! Writes what a command saves, by the rules of the command line: a file appears
//! whole or not at all, a name that a page chose is made harmless and replaces
//! nothing, and settings, hooks and credentials are out of reach.

use std::collections::HashMap;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::client::Stream;
use super::discovery::project_of;
use super::error::{Error, Result};
use super::json::Json;
use super::messages::{FileHead, FilePart, FileTail};
use super::names::sanitize;
use super::output::{self, OutputError, OutputOptions};
use super::output_rule::OutputPlaces;
use super::sha256::{Sha256, sha256};

const MANIFEST_NAME: &str = "manifest.json";

/// Bytes that a manifest may have; a larger one is not ours.
const MAX_MANIFEST_BYTES: u64 = 32 << 20;

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
            std::iter::once(path).chain(saved_fields(&saved)).chain([("note", saved.note.into())]),
        )
    }
}

impl From<SavedFolder> for Json {
    fn from(folder: SavedFolder) -> Self {
        Self::object([
            ("folder", folder.folder.display().to_string().into()),
            ("manifest", folder.manifest.display().to_string().into()),
            ("saved", Self::list(folder.saved.iter().map(manifest_row))),
            ("present", folder.present.into()),
            ("failed", Self::list(folder.failed.iter().map(failure_json))),
        ])
    }
}

fn saved_fields(saved: &Saved) -> [(&'static str, Json); 4] {
    let (url, mime) = ((&saved.url).into(), (&saved.mime).into());
    [
        ("url", url),
        ("mime", mime),
        ("bytes", saved.bytes.into()),
        ("sha256", (&saved.sha256).into()),
    ]
}

/// The row of a manifest.
fn manifest_row(saved: &Saved) -> Json {
    let name = saved.path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let [url, rest @ ..] = saved_fields(saved);
    Json::object([url, ("file", name.into())].into_iter().chain(rest))
}

fn failure_json(failed: &Failed) -> Json {
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
            let (path, by) = match (named, place) {
                (Some(path), _) => (path.to_owned(), NameSource::Caller),
                (None, Some(folder)) => {
                    (folder.join(sanitize_page_name(&head.name)), NameSource::Page)
                }
                (None, None) => {
                    (temporary_folder()?.join(sanitize_page_name(&head.name)), NameSource::Default)
                }
            };
            draft = Some(PartialFile::begin(path, by, head)?);
        }
        if let Some(draft) = &mut draft {
            draft.add(&part.data)?;
        }
        if let Some(tail) = part.tail {
            if !tail.reason.is_empty() {
                return Err(Error::new(&tail.reason, tail.message, "", 9));
            }
            if let Some(draft) = draft.take() {
                return draft.finish(tail);
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
    let folder = place.map_or_else(temporary_folder, |path| Ok(path.to_owned()))?;
    output::make_folder(&folder, &output_options(&output_places()))
        .map_err(|fault| output_error(&folder, fault))?;
    let known = read_manifest(&folder)?;
    let urls = known.iter().filter_map(|row| row["url"].as_str().map(str::to_owned)).collect();
    let parts = call(urls)?;
    let manifest = folder.join(MANIFEST_NAME);
    let mut out = SavedFolder { folder, manifest, ..SavedFolder::default() };
    let taken = save_parts(parts, &mut out);
    let written = write_manifest(&out, known);
    taken.and(written).map(|()| out)
}

fn save_parts(parts: Stream<FilePart>, out: &mut SavedFolder) -> Result<()> {
    let mut open: HashMap<u32, PartialFile> = HashMap::new();
    for part in parts {
        let part = part?;
        if let Some(head) = part.head {
            let name = sanitize_page_name(&head.name);
            let reserved = name.eq_ignore_ascii_case(MANIFEST_NAME);
            let name = if reserved { format!("_{name}") } else { name };
            open.insert(
                part.file,
                PartialFile::begin(out.folder.join(name), NameSource::Page, head)?,
            );
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
            out.saved.push(draft.finish(tail)?);
        }
    }
    Ok(())
}

/// The rows that speak of a plain file in the folder that is as they say. It may
/// come from anywhere. A file that is not a manifest of ours would be lost: it is
/// refused.
fn read_manifest(folder: &Path) -> Result<Vec<Json>> {
    let path = folder.join(MANIFEST_NAME);
    let Ok(about) = fs::metadata(&path) else { return Ok(Vec::new()) };
    let small = about.is_file() && about.len() <= MAX_MANIFEST_BYTES;
    let text = if small { fs::read_to_string(&path).unwrap_or_default() } else { String::new() };
    let document = Json::parse(&text).unwrap_or_default();
    let Json::List(rows) = &document["files"] else {
        let message = format!("`{}` is there, and is not a list of saved files", path.display());
        let hint = "Give another folder, or move that file away";
        return Err(Error::new("FILE_UNWRITABLE", message, hint, 3)
            .with_metadata("path", path.display().to_string()));
    };
    Ok(rows.iter().filter(|row| is_row_valid(folder, row)).cloned().collect())
}

fn is_row_valid(folder: &Path, row: &Json) -> bool {
    let (Some(file), Some(_)) = (row["file"].as_str(), row["url"].as_str()) else { return false };
    let path = folder.join(file);
    let whole = |about: fs::Metadata| {
        about.is_file() && i64::try_from(about.len()).ok() == row["bytes"].as_i64()
    };
    sanitize(file) == file
        && file != MANIFEST_NAME
        && fs::symlink_metadata(&path).is_ok_and(whole)
        && fs::read(&path)
            .is_ok_and(|bytes| Some(sha256(&bytes).as_str()) == row["sha256"].as_str())
}

fn write_manifest(out: &SavedFolder, known: Vec<Json>) -> Result<()> {
    let is_new = |row: &Json| out.saved.iter().any(|s| Some(s.url.as_str()) == row["url"].as_str());
    let kept = known.into_iter().filter(|row| !is_new(row));
    let document = Json::object([
        ("version", 1.into()),
        ("files", Json::list(kept.chain(out.saved.iter().map(manifest_row)))),
        ("failed", Json::list(out.failed.iter().map(failure_json))),
    ]);
    let mut draft =
        PartialFile::begin(out.manifest.clone(), NameSource::Caller, FileHead::default())?;
    draft.add(format!("{document}\n").as_bytes())?;
    draft.file.finish().map(drop).map_err(|fault| output_error(&out.manifest, fault))
}

/// A file under way: it lies under another name beside its own until it is
/// whole. What is half written goes with it.
struct PartialFile {
    head: FileHead,
    path: PathBuf,
    file: output::AtomicFile,
    hash: Sha256,
    bytes: u64,
}

/// Who chose the path of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
enum NameSource {
    Caller,
    Page,
    Default,
}

impl PartialFile {
    fn begin(path: PathBuf, named: NameSource, head: FileHead) -> Result<Self> {
        let places = output_places();
        let options = OutputOptions {
            is_numbered: named == NameSource::Page,
            mode: if named == NameSource::Default { 0o600 } else { 0o666 },
            ..output_options(&places)
        };
        let draft = output::AtomicFile::begin(&path, &options)
            .map_err(|fault| output_error(&path, fault))?;
        Ok(Self { head, path, file: draft, hash: Sha256::default(), bytes: 0 })
    }

    fn add(&mut self, bytes: &[u8]) -> Result<()> {
        self.hash.add(bytes);
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|error| unwritable(&self.path, &error))
    }

    /// Gives it its name, when it is what was sent.
    fn finish(self, tail: FileTail) -> Result<Saved> {
        let Self { head, path, file: draft, hash, bytes } = self;
        let sha256 = hash.finish();
        if tail.bytes != bytes || tail.sha256 != sha256 {
            let message = format!("`{}` did not arrive as it was sent", path.display());
            return Err(Error::new("BUG", message, "", 13));
        }
        let path = draft.finish().map_err(|fault| output_error(&path, fault))?;
        let FileHead { url, mime, .. } = head;
        Ok(Saved { path, url, mime, bytes, sha256, note: tail.note })
    }
}

fn output_places() -> OutputPlaces {
    let here = std::env::current_dir().unwrap_or_default();
    OutputPlaces::for_project(Some(&project_of(&here)))
}

fn output_options(places: &OutputPlaces) -> OutputOptions<'_> {
    let deadline = Instant::now() + Duration::from_secs(30);
    OutputOptions {
        output_places: places,
        is_forced: false,
        is_numbered: false,
        mode: 0o666,
        deadline,
    }
}

/// The name of a file that a page chose, made harmless: programs do not obey it.
fn sanitize_page_name(wanted: &str) -> String {
    output::harmless_page_name(&sanitize(wanted))
}

fn output_error(path: &Path, fault: OutputError) -> Error {
    let (why, hint) = match fault {
        OutputError::Refused(why) => (why, "Give another path; a program may move the file itself"),
        OutputError::Unsupported(why) => (why, "Give the path of a file"),
        OutputError::Io(error) => return unwritable(path, &error),
    };
    Error::new("FILE_UNWRITABLE", format!("`{}` is not written: {why}", path.display()), hint, 3)
}

fn temporary_folder() -> Result<PathBuf> {
    output::create_private_folder("files")
        .map_err(|error| unwritable(&std::env::temp_dir(), &error))
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    let message = format!("`{}` cannot be written: {error}", path.display());
    Error::new("FILE_UNWRITABLE", message, "Give another path", 3)
}
