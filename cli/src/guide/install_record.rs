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
    /// Names of the agents that it was installed for, of a section that several read.
    pub agents: Vec<String>,
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
            agents: Vec::new(),
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
            "agents": self.agents,
        })
    }

    fn from_json(value: &Value) -> Self {
        let text = |key| value.get(key).and_then(Value::as_str).unwrap_or_default().to_owned();
        let number = |key| {
            let number = value.get(key).and_then(Value::as_u64).unwrap_or_default();
            usize::try_from(number).unwrap_or_default()
        };
        let texts = |key| {
            let items = value.get(key).and_then(Value::as_array).into_iter().flatten();
            items.filter_map(Value::as_str)
        };
        Self {
            hash: text("hash"),
            at: number("at"),
            inserted: number("inserted"),
            replaced: text("replaced"),
            is_created: value.get("created").and_then(Value::as_bool).unwrap_or_default(),
            containers: number("containers"),
            folders: texts("folders").map(PathBuf::from).collect(),
            agents: texts("agents").map(str::to_owned).collect(),
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

    /// Another agent than `agent` that the file at `path` was installed for.
    pub fn other_agent(&self, path: &Path, agent: &str) -> Option<String> {
        self.get(path)?.agents.iter().find(|known| *known != agent).cloned()
    }

    /// Records that the file at `path` is installed for `agent`; answers whether that is new.
    pub fn add_agent(&mut self, path: &Path, agent: &str) -> bool {
        let record = self.records.entry(path.to_owned()).or_default();
        let is_new = !record.agents.iter().any(|known| known == agent);
        if is_new {
            record.agents.push(agent.to_owned());
        }
        is_new
    }

    /// Records that the file at `path` is not installed for `agent` any more; answers whether
    /// it was.
    pub fn remove_agent(&mut self, path: &Path, agent: &str) -> bool {
        let Some(record) = self.records.get_mut(path) else { return false };
        let count = record.agents.len();
        record.agents.retain(|known| known != agent);
        let was_installed = record.agents.len() != count;
        let is_empty = *record == FileRecord::default();
        if is_empty {
            self.records.remove(path);
        }
        was_installed
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
    use std::path::Path;

    use super::{FileRecord, InstallRecords};

    #[test]
    fn a_file_of_two_agents_is_known_as_such() {
        let (mut records, path) = (InstallRecords::default(), Path::new("/p/AGENTS.md"));
        assert!(records.add_agent(path, "codex") && records.add_agent(path, "agents-md"));
        assert!(!records.add_agent(path, "codex"));
        assert_eq!(records.other_agent(path, "codex").as_deref(), Some("agents-md"));
        let record = records.get(path).expect("a record");
        assert_eq!(FileRecord::from_json(&record.to_json()), *record);
        assert!(records.remove_agent(path, "codex") && !records.remove_agent(path, "codex"));
        assert_eq!(records.other_agent(path, "agents-md"), None);
        assert!(records.remove_agent(path, "agents-md"));
        assert_eq!(records.get(path), None);
    }

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
