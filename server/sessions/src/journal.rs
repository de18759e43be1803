//! What is to be written to `.browse/{console,network,dialog}.log`: JSON lines,
//! once a second, and never on a call's time.

use std::{
    borrow::Cow,
    fs,
    io::{self, Write},
    path::Path,
    sync::{Mutex, PoisonError},
};

use browse_proto::{MessageType, v1, wire};
use serde_json::{Map, Value, json};

use super::{DialogLine, MemorySize as _, TabId};
use browse_base::open_private_log;
use browse_net::without_query;
use browse_secrets::redact;

/// Notes that wait; what comes beyond is counted and dropped.
const MAX_PENDING_ENTRIES: usize = 50_000;

/// Bytes that wait.
const MAX_PENDING_BYTES: usize = 4 << 20;

/// Size at which a file begins anew; the old one stays as `*.log.1`.
const MAX_FILE_BYTES: u64 = 16 << 20;

/// Something that a tab did.
pub enum JournalEntry {
    /// It wrote to the console.
    Console(v1::ConsoleMessage),
    /// A request of it ended.
    Network(v1::NetworkEntry),
    /// It opened a dialog, which was answered.
    Dialog(DialogLine),
}

/// Notes on their way to the files.
#[derive(Default)]
pub struct Journal(Mutex<PendingEntries>);

#[derive(Default)]
struct PendingEntries {
    entries: Vec<(TabId, JournalEntry)>,
    bytes: usize,
    dropped: u64,
}

impl Journal {
    /// Notes what the tab `id` did.
    pub fn push(&self, id: TabId, note: JournalEntry) {
        let mut waiting = self.lock();
        if waiting.entries.len() >= MAX_PENDING_ENTRIES || waiting.bytes >= MAX_PENDING_BYTES {
            waiting.dropped += 1;
            return;
        }
        waiting.bytes += note.memory_bytes();
        waiting.entries.push((id, note));
    }

    /// Whether there is nothing to write.
    pub fn is_empty(&self) -> bool {
        self.lock().entries.is_empty()
    }

    /// Writes what waits into `folder`.
    ///
    /// # Errors
    /// A file cannot be written; what waited for it is lost.
    pub fn write(&self, folder: &Path) -> io::Result<()> {
        let PendingEntries { entries: notes, dropped, .. } = std::mem::take(&mut *self.lock());
        let (mut console, mut network, mut dialog) = (Vec::new(), Vec::new(), Vec::new());
        for (tab, note) in &notes {
            match note {
                JournalEntry::Console(message) => {
                    write_line(&mut console, *tab, message_fields("ConsoleMessage", message))
                }
                JournalEntry::Network(entry) => {
                    write_line(&mut network, *tab, message_fields("NetworkEntry", entry))
                }
                JournalEntry::Dialog(opened) => write_line(&mut dialog, *tab, opened.fields()),
            }
        }
        if dropped > 0 {
            writeln!(console, "{}", json!({ "dropped": dropped }))?;
        }
        append(folder, "console.log", &console)?;
        append(folder, "network.log", &network)?;
        append(folder, "dialog.log", &dialog)
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, PendingEntries> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl JournalEntry {
    fn memory_bytes(&self) -> usize {
        match self {
            Self::Console(message) => message.memory_bytes(),
            Self::Network(entry) => entry.memory_bytes(),
            Self::Dialog(opened) => opened.memory_bytes(),
        }
    }
}

fn message_fields(name: &str, message: &impl prost::Message) -> Map<String, Value> {
    let table = MessageType::by_name(&format!("browse.v1.{name}"));
    let fields = table.and_then(|table| wire::decode(table, &message.encode_to_vec()).ok());
    fields.unwrap_or_default()
}

fn write_line(out: &mut Vec<u8>, tab: TabId, fields: Map<String, Value>) {
    let mut row = Map::from_iter([("tab".to_owned(), json!(tab))]);
    row.extend(fields);
    for value in row.values_mut() {
        if let Value::String(text) = value
            && let Cow::Owned(bare) = redact(text)
        {
            *text = bare;
        }
    }
    // Queries and passwords of addresses stay out of files.
    for name in ["url", "location"] {
        if let Some(Value::String(address)) = row.get(name) {
            let bare = without_query(address);
            row.insert(name.to_owned(), json!(bare));
        }
    }
    out.extend(Value::Object(row).to_string().into_bytes());
    out.push(b'\n');
}

fn append(folder: &Path, name: &str, bytes: &[u8]) -> io::Result<()> {
    if bytes.is_empty() {
        return Ok(());
    }
    let path = folder.join(name);
    if fs::metadata(&path).is_ok_and(|file| file.len() > MAX_FILE_BYTES) {
        fs::rename(&path, folder.join(format!("{name}.1")))?;
    }
    // What a page wrote must not follow a link out of the folder.
    open_private_log(&path)?.write_all(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(text: &str) -> JournalEntry {
        JournalEntry::Console(v1::ConsoleMessage { text: text.to_owned(), ..Default::default() })
    }

    #[test]
    fn notes_become_lines_once() {
        let folder = tempfile::tempdir().expect("a temp directory");
        let journal = Journal::default();
        journal.push(7, message("one\ntwo"));
        for _ in 0..2 {
            journal.write(folder.path()).expect("it can be written");
        }
        let text = fs::read_to_string(folder.path().join("console.log")).expect("it is there");
        let row: Value = serde_json::from_str(text.trim_end()).expect("one line of JSON");
        assert_eq!((row["tab"].as_u64(), row["text"].as_str()), (Some(7), Some("one\ntwo")));
        assert!(!folder.path().join("network.log").exists());
    }

    #[test]
    fn secrets_stay_out() {
        let folder = tempfile::tempdir().expect("a temp directory");
        let journal = Journal::default();
        journal.push(1, message("to /cb?code=a1&state=b and otp=123456, zipcode=94103"));
        journal.write(folder.path()).expect("it can be written");
        let text = fs::read_to_string(folder.path().join("console.log")).expect("it is there");
        assert!(!text.contains("a1") && !text.contains("123456"), "{text}");
        assert!(text.contains("zipcode=94103"), "{text}");
    }

    #[test]
    fn a_flood_is_counted() {
        let folder = tempfile::tempdir().expect("a temp directory");
        let journal = Journal::default();
        let text = "x".repeat(MAX_PENDING_BYTES / 4);
        (0..9).for_each(|_| journal.push(1, message(&text)));
        journal.write(folder.path()).expect("it can be written");
        let text = fs::read_to_string(folder.path().join("console.log")).expect("it is there");
        assert_eq!(text.lines().last(), Some("{\"dropped\":5}"));
    }

    #[test]
    fn a_link_is_not_followed() {
        let folder = tempfile::tempdir().expect("a temp directory");
        let victim = folder.path().join("victim");
        std::os::unix::fs::symlink(&victim, folder.path().join("console.log")).expect("a link");
        let journal = Journal::default();
        journal.push(1, message("x"));
        assert!(journal.write(folder.path()).is_err());
        assert!(!victim.exists());
    }
}
