//! The side panel of a window: what the agent does in it, and notes to it.
//!
//! The panel is an extension of ours without rights of its own. Once a second
//! the daemon gives it the new rows and takes the notes, over the pipe.

use std::{
    collections::VecDeque,
    fs,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use browse_proto::v1::ActivityEntry;
use serde::Deserialize;
use serde_json::json;
use tokio::sync::broadcast::{Receiver, error::TryRecvError};

use super::{SessionWindow, Windows};
use browse_chromium::{Browser, SidePanel};
use browse_records::ActivityLog;

/// The extension.
const EXTENSION_FILES: [(&str, &str); 5] = [
    ("manifest.json", include_str!("panel/manifest.json")),
    ("worker.js", include_str!("panel/worker.js")),
    ("panel.html", include_str!("panel/panel.html")),
    ("panel.css", include_str!("panel/panel.css")),
    ("panel.js", include_str!("panel/panel.js")),
];

/// Time that the panel gets to open. A window without one is a window, too.
const OPEN_TIMEOUT: Duration = Duration::from_secs(5);

/// Time that one exchange gets: the panel may be suspended.
const EXCHANGE_TIMEOUT: Duration = Duration::from_millis(500);

/// Rows that a panel shows when it opens.
const MAX_HISTORY_ROWS: usize = 50;

/// A panel and its pending messages.
pub(super) struct Panel {
    side_panel: SidePanel,
    session: String,
    activity_feed: Receiver<ActivityEntry>,
    /// The last rows, for a panel that is opened again.
    history: VecDeque<ActivityEntry>,
    /// Rows that it has not got yet.
    pending_rows: Vec<ActivityEntry>,
}

/// What the panel answers.
#[derive(Debug, Default, Deserialize)]
struct PanelMessage {
    notes: Vec<String>,
    /// Whether it was just opened, and knows nothing of before.
    fresh: bool,
}

impl Panel {
    /// Opens the panel in the browser of a session.
    ///
    /// # Errors
    /// The files cannot be written, or the browser opens no panel.
    pub(super) async fn open(
        browser: &Arc<Browser>,
        session: &str,
        activity: &ActivityLog,
    ) -> browse_chromium::Result<Self> {
        let folder = write_extension(&browser.info().uploads).map_err(|error| {
            browse_chromium::Error::System { what: "the side panel", message: error.to_string() }
        })?;
        let shown = browser.open_side_panel(&folder, OPEN_TIMEOUT).await?;
        let (all, feed) = activity.subscribe();
        let mut history: VecDeque<_> =
            all.into_iter().filter(|entry| entry.session == session).collect();
        history.drain(..history.len().saturating_sub(MAX_HISTORY_ROWS));
        Ok(Self {
            side_panel: shown,
            session: session.to_owned(),
            activity_feed: feed,
            history,
            pending_rows: Vec::new(),
        })
    }

    /// Tells the panel what is new, and takes the notes that were written.
    pub(super) async fn exchange(&mut self, asked: &str) -> browse_chromium::Result<Vec<String>> {
        self.receive_activity();
        let reported = self.send_rows(asked, &self.pending_rows.clone()).await?;
        let Some(reported) = reported else { return Ok(Vec::new()) };
        let mut notes = reported.notes;
        self.pending_rows.clear();
        if reported.fresh {
            let history: Vec<_> = self.history.iter().cloned().collect();
            let again = self.send_rows(asked, &history).await?;
            notes.extend(again.unwrap_or_default().notes);
        }
        Ok(notes)
    }

    async fn send_rows(
        &mut self,
        asked: &str,
        rows: &[ActivityEntry],
    ) -> browse_chromium::Result<Option<PanelMessage>> {
        let row = |entry: &ActivityEntry| {
            json!({
                "time": entry.time,
                "client": entry.client,
                "command": entry.command,
                "target": entry.target,
                "outcome": entry.outcome,
            })
        };
        let reported = json!({ "asked": asked, "rows": rows.iter().map(row).collect::<Vec<_>>() });
        let expression = format!("browsePanel.exchange({reported})");
        let answer =
            tokio::time::timeout(EXCHANGE_TIMEOUT, self.side_panel.evaluate(&expression)).await;
        answer.unwrap_or(Ok(None))
    }

    /// Takes in what happened since the last exchange.
    fn receive_activity(&mut self) {
        loop {
            match self.activity_feed.try_recv() {
                Ok(entry) if entry.session == self.session => {
                    self.pending_rows.push(entry.clone());
                    self.history.push_back(entry);
                    if self.history.len() > MAX_HISTORY_ROWS {
                        self.history.pop_front();
                    }
                }
                Ok(_) | Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        // Nobody reads more than that of a second, or of a closed panel.
        let surplus = self.pending_rows.len().saturating_sub(MAX_HISTORY_ROWS);
        self.pending_rows.drain(..surplus);
    }
}

/// Keeps the panel of `window` up to date until the window is closed.
pub(super) async fn sync_panel(windows: &Windows, window: &SessionWindow, panel: &mut Panel) {
    let asked = window.purpose().handoff.as_ref().map(|handoff| handoff.reason.clone());
    let notes = match panel.exchange(&asked.unwrap_or_default()).await {
        Ok(notes) => notes,
        Err(error) => return tracing::debug!(%error, "the side panel does not answer"),
    };
    let session = window.session().name();
    for note in &notes {
        windows.inbox().add(session, note);
    }
    if !notes.is_empty() {
        windows.idle_timer.reset();
        let count = if notes.len() == 1 { "a note" } else { "notes" };
        windows
            .notices
            .add(format!("the person wrote {count}; `browse inbox` prints what it says"));
    }
}

/// Writes the extension beside the files of the browser, with which it goes.
fn write_extension(beside: &Path) -> std::io::Result<PathBuf> {
    let folder = beside.join("panel");
    fs::create_dir_all(&folder)?;
    for (name, text) in EXTENSION_FILES {
        fs::write(folder.join(name), text)?;
    }
    Ok(folder)
}
