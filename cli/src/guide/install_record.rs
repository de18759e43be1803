//! What `guide install` did to each file, so that `guide remove` can put back the bytes of
//! before. It holds the few bytes that were replaced, and no other content of a file.

use std::{
    collections::BTreeMap,
    env, fs,
    os::unix::fs::{DirBuilderExt as _, PermissionsExt as _},
    path::{Path, PathBuf},
};

use browse_proto::guide::mark;
use serde_json::{Map, Value, json};

use super::target_file::TargetFile;
use crate::{failure::Result, print};

const FILE: &str = "guide-installs.json";

/// What was done to one file.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FileRecord {
    /// Hash of its text after that.
    pub hash: String,
    /// Where the bytes begin that differ.
    pub at: usize,
    /// Bytes that were put there.
    pub inserted: usize,
    /// What was there before.
    pub replaced: String,
    /// Whether the file is there because of us.
    pub is_created: bool,
    /// Containers around our entry that are there because of us.
    pub containers: usize,
    /// Folders that are there because of us, the outermost first.
    pub folders: Vec<PathBuf>,
}

impl FileRecord {
    /// The change from `before` to `after`.
    pub fn of(before: Option<&str>, after: &str, containers: usize) -> Self {
        let is_created = before.is_none();
        let before = before.unwrap_or_default();
        let same = |pair: &(u8, u8)| pair.0 == pair.1;
        let mut at = before.bytes().zip(after.bytes()).take_while(same).count();
        while !before.is_char_boundary(at) || !after.is_char_boundary(at) {
            at -= 1;
        }
        let (old, new) = (&before[at..], &after[at..]);
        let mut tail = old.bytes().rev().zip(new.bytes().rev()).take_while(same).count();
        while !old.is_char_boundary(old.len() - tail) || !new.is_char_boundary(new.len() - tail) {
            tail -= 1;
        }
        Self {
            hash: mark::hash(after),
            at,
            inserted: new.len() - tail,
            replaced: old[..old.len() - tail].to_owned(),
            is_created,
            containers,
            folders: Vec::new(),
        }
    }

    /// The text of before, when `text` is as we left it.
    pub fn undo(&self, text: &str) -> Option<String> {
        if self.hash.is_empty() || mark::hash(text) != self.hash {
            return None;
        }
        let (head, tail) = (text.get(..self.at)?, text.get(self.at + self.inserted..)?);
        Some(format!("{head}{}{tail}", self.replaced))
    }

    /// The same for a file that somebody else edited since: it is not undone by bytes.
    pub fn without_bytes(self) -> Self {
        Self { hash: String::new(), replaced: String::new(), ..self }
    }

    fn to_json(&self) -> Value {
        json!({
            "hash": self.hash, "at": self.at, "inserted": self.inserted,
            "replaced": self.replaced, "created": self.is_created, "containers": self.containers,
            "folders": self.folders.iter().map(|path| path.to_string_lossy()).collect::<Vec<_>>(),
        })
    }

    fn from_json(value: &Value) -> Self {
        let text = |key| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |key| {
            let number = value.get(key).and_then(Value::as_u64).unwrap_or_default();
            usize::try_from(number).unwrap_or_default()
        };
        let folders = value.get("folders").and_then(Value::as_array).into_iter().flatten();
        Self {
            hash: text("hash"),
            at: number("at"),
            inserted: number("inserted"),
            replaced: text("replaced"),
            is_created: value.get("created").and_then(Value::as_bool).unwrap_or_default(),
            containers: number("containers"),
            folders: folders.filter_map(Value::as_str).map(PathBuf::from).collect(),
        }
    }
}

/// The records of this user.
#[derive(Debug, Default)]
pub struct InstallRecords {
    file: Option<PathBuf>,
    records: BTreeMap<PathBuf, FileRecord>,
}

impl InstallRecords {
    /// Reads them. Without them, entries are recognised by what they say.
    pub fn load() -> Self {
        let home = env::var_os("BROWSE_HOME").filter(|home| !home.is_empty()).map(PathBuf::from);
        let home =
            home.or_else(|| env::var_os("HOME").map(|home| Path::new(&home).join(".browse")));
        let Some(home) = home.filter(|home| home.is_absolute()) else { return Self::default() };
        let file = home.join(FILE);
        let text = fs::read_to_string(&file).unwrap_or_default();
        let records = serde_json::from_str::<Map<String, Value>>(&text).unwrap_or_else(|_| {
            if !text.trim().is_empty() {
                print::warning(&format!(
                    "{} cannot be read, so entries are recognised by what they say",
                    file.display()
                ));
            }
            Map::new()
        });
        let record = |(path, value): (String, Value)| (path.into(), FileRecord::from_json(&value));
        Self { file: Some(file), records: records.into_iter().map(record).collect() }
    }

    /// The record of the file at `path`.
    pub fn get(&self, path: &Path) -> Option<&FileRecord> {
        self.records.get(path)
    }

    /// Sets or removes the record of the file at `path`.
    pub fn set(&mut self, path: &Path, record: Option<FileRecord>) {
        match record {
            Some(record) => drop(self.records.insert(path.to_owned(), record)),
            None => drop(self.records.remove(path)),
        }
    }

    /// Writes them; for the user alone, since they hold bytes of other files.
    pub fn save(&self) -> Result<()> {
        let Some(file) = &self.file else { return Ok(()) };
        let target = TargetFile::read(file, None)?;
        if self.records.is_empty() {
            if target.before.is_some() {
                target.write(None)?;
            }
            // It stays when it has anything else.
            let _ = file.parent().map(fs::remove_dir);
            return Ok(());
        }
        if let Some(folder) = file.parent().filter(|folder| !folder.exists()) {
            // Its failure is that of the file.
            let _ = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        }
        let records = self.records.iter();
        let records: Map<_, _> = records
            .map(|(path, record)| (path.to_string_lossy().into_owned(), record.to_json()))
            .collect();
        target.write(Some(&format!("{:#}\n", Value::Object(records))))?;
        let _ = fs::set_permissions(file, fs::Permissions::from_mode(0o600));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::FileRecord;

    #[test]
    fn a_change_is_undone_by_its_bytes() {
        for (before, after) in
            [("", "a"), ("äö", "äüö"), ("a{}b", "a{x}b"), ("aaa", "aaaa"), ("é", "è"), ("a", "")]
        {
            let record = FileRecord::of(Some(before), after, 1);
            assert_eq!(record.undo(after).as_deref(), Some(before), "{record:?}");
            assert_eq!(record.undo(&format!("{after} ")), None);
            assert_eq!(FileRecord::from_json(&record.to_json()), record);
        }
    }
}
