//! Writes what the rings gather to `.browse/{console,network}.log`, as JSON
//! lines, once a second and never on a call's time.

use std::{
    collections::HashMap,
    fs::{self, File, OpenOptions},
    io::{self, Write},
    os::unix::fs::OpenOptionsExt,
    path::PathBuf,
    sync::{Arc, Weak},
    time::Duration,
};

use browse_proto::{Message, wire};
use serde_json::{Map, Value, json};

use super::{Sessions, TabId};

/// Time between two writes.
const EVERY: Duration = Duration::from_secs(1);

/// Size at which a log begins anew; the old one stays as `*.log.1`.
const MOST_BYTES: u64 = 16 << 20;

/// The logs of a project.
pub struct CaptureLog {
    folder: PathBuf,
    /// Last numbers that were written: console and network of each tab.
    seen: HashMap<TabId, (u64, u64)>,
}

impl CaptureLog {
    /// Writes into `folder` until the sessions are gone.
    pub fn start(folder: PathBuf, sessions: &Arc<Sessions>) {
        let sessions: Weak<Sessions> = Arc::downgrade(sessions);
        let mut log = Self { folder, seen: HashMap::new() };
        tokio::spawn(async move {
            let mut tick = tokio::time::interval(EVERY);
            loop {
                tick.tick().await;
                let Some(sessions) = sessions.upgrade() else { return };
                let written = tokio::task::spawn_blocking(move || {
                    let result = log.flush(&sessions);
                    (log, result)
                });
                match written.await {
                    Ok((back, result)) => {
                        log = back;
                        if let Err(error) = result {
                            tracing::debug!(%error, "the capture logs were not written");
                        }
                    }
                    Err(_) => return,
                }
            }
        });
    }

    fn flush(&mut self, sessions: &Sessions) -> io::Result<()> {
        let (mut console, mut network) = (Vec::new(), Vec::new());
        let tabs = sessions.tabs();
        self.seen.retain(|id, _| tabs.iter().any(|tab| tab.id() == *id));
        for tab in &tabs {
            let seen = self.seen.entry(tab.id()).or_default();
            let (messages, last) = tab.console().since(seen.0);
            seen.0 = last;
            messages
                .iter()
                .for_each(|message| line(&mut console, tab.id(), "ConsoleMessage", message));
            let (requests, last) = tab.network().since(seen.1);
            seen.1 = last;
            requests
                .iter()
                .for_each(|request| line(&mut network, tab.id(), "NetworkEntry", &request.summary));
        }
        self.append("console.log", &console)?;
        self.append("network.log", &network)
    }

    fn append(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        if bytes.is_empty() {
            return Ok(());
        }
        let path = self.folder.join(name);
        if fs::metadata(&path).is_ok_and(|file| file.len() > MOST_BYTES) {
            fs::rename(&path, self.folder.join(format!("{name}.1")))?;
        }
        let mut file: File = OpenOptions::new()
            .create(true)
            .append(true)
            .mode(0o600)
            // What a page wrote must not follow a link out of the folder.
            .custom_flags(nix::fcntl::OFlag::O_NOFOLLOW.bits())
            .open(path)?;
        file.write_all(bytes)
    }
}

fn line(out: &mut Vec<u8>, tab: TabId, name: &str, message: &impl prost::Message) {
    let table = Message::by_name(&format!("browse.v1.{name}"));
    let fields = table.and_then(|table| wire::decode(table, &message.encode_to_vec()).ok());
    let mut row = Map::from_iter([("tab".to_owned(), json!(tab))]);
    row.extend(fields.unwrap_or_default());
    out.extend(Value::Object(row).to_string().into_bytes());
    out.push(b'\n');
}
