//! What happens to each file: planned from what it holds, before any of them is written.

use std::path::{Path, PathBuf};

use browse_proto::{
    Reason,
    guide::mark::{self, FileOwnership},
};
use serde_json::Value;

use super::{
    agents::{Part, PartKind},
    install_record::{FileRecord, InstallRecords},
    json, section,
    section::SectionEdit,
    target_file::TargetFile,
    toml_entry::{self, ServerEntry},
};
use crate::failure::{Failure, Result};

/// What is to happen to a file.
pub struct FileChange {
    /// The file as it is.
    pub file: TargetFile,
    /// What is to happen.
    pub action: FileAction,
    /// Containers that are made in it.
    pub containers: usize,
}

/// What is to happen to a file.
#[derive(Debug, PartialEq, Eq)]
pub enum FileAction {
    /// Nothing: it is as it should be.
    Keep,
    /// Nothing, for a reason.
    Leave(String),
    /// It gets this text.
    Write(String),
    /// It is removed.
    Delete,
}

/// Whether an entry is ours.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum EntryOwner {
    /// As we write it.
    Ours,
    /// It starts our program, with options of the user.
    Adapted,
    /// It starts something else.
    Foreign,
}

/// Plans to install `part`.
///
/// # Errors
/// The file cannot be read or written, or belongs to somebody else.
pub fn install(part: &Part, boundary: Option<&Path>, force: bool) -> Result<FileChange> {
    let file = read(part, boundary)?;
    let text = file.before.as_deref().unwrap_or_default();
    let mut containers = 0;
    let action = match &part.kind {
        PartKind::Whole(new) => whole_file(&file, new, force)?,
        PartKind::Section(body) => match section::put(text, body, force) {
            Ok(SectionEdit::Text(text)) => FileAction::Write(text),
            Ok(SectionEdit::Unchanged) => FileAction::Keep,
            Ok(SectionEdit::Edited) => return Err(edited(&file.path)),
            Err(problem) => return Err(malformed(&file.path, &problem)),
        },
        PartKind::TomlServer(program) => {
            let found = toml_entry::existing(text).map_err(|it| malformed(&file.path, &it))?;
            match found.as_ref().map(|entry| toml_owner(entry, program)) {
                Some((EntryOwner::Foreign, _)) if !force => return Err(foreign_entry(&file.path)),
                Some((EntryOwner::Ours, true)) => FileAction::Keep,
                Some((EntryOwner::Adapted, _)) if !force => FileAction::Leave(ADAPTED.to_owned()),
                _ => {
                    let new = toml_entry::put(text, program, &["mcp"]);
                    FileAction::Write(new.map_err(|it| malformed(&file.path, &it))?)
                }
            }
        }
        PartKind::Item(place, value) => {
            let found =
                json::existing_item(text, place).map_err(|it| malformed(&file.path, &it))?;
            match found.as_ref().map(|found| json_owner(found, value)) {
                Some(EntryOwner::Foreign) if !force => return Err(foreign_entry(&file.path)),
                Some(EntryOwner::Ours) if found.as_ref() == Some(value) => FileAction::Keep,
                Some(EntryOwner::Adapted) if !force => FileAction::Leave(ADAPTED.to_owned()),
                _ => {
                    let new = json::insert_item(text, place, value);
                    let (text, made) = new.map_err(|it| malformed(&file.path, &it))?;
                    containers = made;
                    FileAction::Write(text)
                }
            }
        }
    };
    if matches!(action, FileAction::Write(_)) {
        file.check_writable()?;
    }
    Ok(FileChange { file, action, containers })
}

const ADAPTED: &str = "it starts `browse mcp` with options of yours";

/// Plans to remove `part`; none when the file has nothing of it.
///
/// # Errors
/// The file cannot be read or written.
pub fn remove(
    part: &Part,
    boundary: Option<&Path>,
    records: &InstallRecords,
    force: bool,
) -> Result<Option<FileChange>> {
    let file = read(part, boundary)?;
    let Some(text) = &file.before else { return Ok(None) };
    let record = records.get(&file.path);
    let undone = record.and_then(|record| record.undo(text));
    let is_created = record.is_some_and(|record| record.is_created);
    let bad = |problem: String| malformed(&file.path, &problem);
    let action = match (&part.kind, undone) {
        (PartKind::Whole(_), _) => match whole_owner(&file) {
            Some(FileOwnership::Ours) => FileAction::Delete,
            Some(FileOwnership::Edited) if force => FileAction::Delete,
            Some(FileOwnership::Edited) => FileAction::Leave(EDITED.to_owned()),
            _ => return Ok(None),
        },
        (_, Some(_)) if is_created => FileAction::Delete,
        (_, Some(before)) => FileAction::Write(before),
        (PartKind::Section(_), None) => match section::take(text, force).map_err(bad)? {
            SectionEdit::Text(rest) => left_over(rest, "", is_created),
            SectionEdit::Edited => FileAction::Leave(EDITED.to_owned()),
            SectionEdit::Unchanged => return Ok(None),
        },
        (PartKind::TomlServer(program), None) => {
            let Some(entry) = toml_entry::existing(text).map_err(bad)? else { return Ok(None) };
            match toml_owner(&entry, program).0 {
                EntryOwner::Ours => left_over(toml_entry::take(text).map_err(bad)?, "", is_created),
                _ if force => left_over(toml_entry::take(text).map_err(bad)?, "", is_created),
                _ => FileAction::Leave(EDITED.to_owned()),
            }
        }
        (PartKind::Item(place, value), None) => {
            let Some(found) = json::existing_item(text, place).map_err(bad)? else {
                return Ok(None);
            };
            let made = record.map_or(0, |record| record.containers);
            // Without a record: a file of ours alone looks as we write it.
            let alone = json::insert_item("", place, &found).is_ok_and(|(fresh, _)| fresh == *text);
            match json_owner(&found, value) {
                EntryOwner::Ours if alone => FileAction::Delete,
                EntryOwner::Ours => {
                    let rest = json::remove_item(text, place, made).map_err(bad)?;
                    left_over(rest, "{}", is_created)
                }
                _ if force => {
                    let rest = json::remove_item(text, place, made).map_err(bad)?;
                    left_over(rest, "{}", is_created)
                }
                _ => FileAction::Leave(EDITED.to_owned()),
            }
        }
    };
    if matches!(action, FileAction::Write(_) | FileAction::Delete) {
        file.check_writable()?;
    }
    Ok(Some(FileChange { file, action, containers: 0 }))
}

/// Plans to leave `part` where it is; none when it is not there.
///
/// # Errors
/// The file cannot be read.
pub fn leave(part: &Part, boundary: Option<&Path>, why: &str) -> Result<Option<FileChange>> {
    let file = read(part, boundary)?;
    let is_there = file.before.is_some();
    let action = FileAction::Leave(why.to_owned());
    Ok(is_there.then_some(FileChange { file, action, containers: 0 }))
}

/// Whether the file of `part`, which is a server, has one of ours.
pub fn is_installed(part: &Part) -> bool {
    let records = InstallRecords::default();
    matches!(remove(part, None, &records, true), Ok(Some(change)) if change.is_change())
}

const EDITED: &str = "it was edited since browse wrote it; `--force` removes it";

/// A file that we made, and that holds nothing more, is removed.
fn left_over(rest: String, empty: &str, is_created: bool) -> FileAction {
    if is_created && rest.trim() == empty { FileAction::Delete } else { FileAction::Write(rest) }
}

impl FileChange {
    /// Whether there is something to write.
    pub fn is_change(&self) -> bool {
        matches!(self.action, FileAction::Write(_) | FileAction::Delete)
    }

    /// The record after this change was installed, with the folders that were made.
    pub fn record(&self, old: Option<&FileRecord>, folders: Vec<PathBuf>) -> Option<FileRecord> {
        let FileAction::Write(after) = &self.action else { return old.cloned() };
        let before = self.file.before.as_deref();
        let Some(old) = old.filter(|_| before.is_some()) else {
            let record = FileRecord::of(before, after, self.containers);
            return Some(FileRecord { folders, ..record });
        };
        // What there was before the first of these changes is what comes back.
        let first = before.and_then(|before| old.undo(before));
        Some(match first {
            Some(first) => FileRecord {
                is_created: old.is_created,
                containers: old.containers,
                folders: old.folders.clone(),
                agents: old.agents.clone(),
                ..FileRecord::of(Some(&first), after, 0)
            },
            None => old.clone().without_bytes(),
        })
    }
}

fn read(part: &Part, boundary: Option<&Path>) -> Result<TargetFile> {
    if matches!(part.kind, PartKind::Whole(_)) && is_linked(&part.path) {
        return Err(foreign_file(&part.path));
    }
    TargetFile::read(&part.path, boundary)
}

/// Whether a file of ours is a link, or lies in one: then it is somebody else's.
fn is_linked(path: &Path) -> bool {
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    is_link(path) || path.parent().is_some_and(is_link)
}

fn whole_owner(file: &TargetFile) -> Option<FileOwnership> {
    file.before.as_deref().map(mark::ownership_of)
}

fn whole_file(file: &TargetFile, new: &str, force: bool) -> Result<FileAction> {
    match whole_owner(file) {
        Some(FileOwnership::Foreign) => Err(foreign_file(&file.path)),
        Some(FileOwnership::Edited) if !force => Err(edited(&file.path)),
        _ if file.before.as_deref() == Some(new) => Ok(FileAction::Keep),
        _ => Ok(FileAction::Write(new.to_owned())),
    }
}

/// Whose an entry is, and whether its program is `program`.
fn toml_owner(entry: &ServerEntry, program: &str) -> (EntryOwner, bool) {
    let arguments: Vec<_> = entry.arguments.iter().map(String::as_str).collect();
    let owner = entry_owner(&entry.command, &arguments, entry.has_more);
    (owner, entry.command == program)
}

fn json_owner(found: &Value, ours: &Value) -> EntryOwner {
    if found == ours {
        return EntryOwner::Ours;
    }
    if ours.get("hooks").is_some() {
        // It was found by its command.
        let is_alone = found.get("hooks").and_then(Value::as_array).is_some_and(|it| it.len() == 1);
        return if is_alone { EntryOwner::Ours } else { EntryOwner::Adapted };
    }
    let command = found.get("command").and_then(Value::as_str).unwrap_or_default();
    let arguments = found.get("args").and_then(Value::as_array).into_iter().flatten();
    let arguments: Vec<_> = arguments.map(|word| word.as_str().unwrap_or_default()).collect();
    let without_command = |value: &Value| {
        let mut members = value.as_object().cloned().unwrap_or_default();
        members.remove("command");
        members
    };
    entry_owner(command, &arguments, without_command(found) != without_command(ours))
}

fn entry_owner(command: &str, arguments: &[&str], has_more: bool) -> EntryOwner {
    let is_browse = Path::new(command).file_name().is_some_and(|name| name == "browse");
    match arguments {
        ["mcp"] if is_browse && !has_more => EntryOwner::Ours,
        ["mcp", ..] if is_browse => EntryOwner::Adapted,
        _ => EntryOwner::Foreign,
    }
}

fn malformed(path: &Path, problem: &str) -> Failure {
    let message = format!("`{}` cannot be edited: {problem}", path.display());
    Failure::new(Reason::FileUnwritable, message)
        .with_hint("Correct the file, then run it again; nothing was changed")
}

fn foreign_file(path: &Path) -> Failure {
    let message = format!("`{}` was not written by browse, and is left alone", path.display());
    Failure::new(Reason::FileUnwritable, message)
        .with_hint("Move it away, then run `browse guide install` again")
}

fn foreign_entry(path: &Path) -> Failure {
    let shown = path.display();
    let message = format!("`{shown}` has another entry named `browse`, and is left alone");
    Failure::new(Reason::FileUnwritable, message)
        .with_hint("Give that entry another name, or add `--force` to replace it")
}

fn edited(path: &Path) -> Failure {
    let shown = path.display();
    let message = format!("`{shown}` was edited since browse wrote it, and is left alone");
    Failure::new(Reason::FileUnwritable, message)
        .with_hint("Keep your words somewhere else, then add `--force` to write over it")
}
