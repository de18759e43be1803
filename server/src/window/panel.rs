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

use super::Window;
use crate::{
    chromium::{self, Browser, SidePanel},
    daemon::Daemon,
    records::Activity,
};

/// The extension.
const FILES: [(&str, &str); 5] = [
    ("manifest.json", include_str!("panel/manifest.json")),
    ("worker.js", include_str!("panel/worker.js")),
    ("panel.html", include_str!("panel/panel.html")),
    ("panel.css", include_str!("panel/panel.css")),
    ("panel.js", include_str!("panel/panel.js")),
];

/// Time that the panel gets to open. A window without one is a window, too.
const PATIENCE: Duration = Duration::from_secs(5);

/// Time that one exchange gets: the panel may be suspended.
const MOMENT: Duration = Duration::from_millis(500);

/// Rows that a panel shows when it opens.
const HISTORY: usize = 50;

/// A panel and what it has to be told.
pub(super) struct Panel {
    shown: SidePanel,
    session: String,
    feed: Receiver<ActivityEntry>,
    /// The last rows, for a panel that is opened again.
    history: VecDeque<ActivityEntry>,
    /// Rows that it has not got yet.
    new: Vec<ActivityEntry>,
}

/// What the panel answers.
#[derive(Debug, Default, Deserialize)]
struct Told {
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
        activity: &Activity,
    ) -> chromium::Result<Self> {
        let folder = write(&browser.info().uploads).map_err(|error| chromium::Error::System {
            what: "the side panel",
            message: error.to_string(),
        })?;
        let shown = browser.open_side_panel(&folder, PATIENCE).await?;
        let (all, feed) = activity.read();
        let mut history: VecDeque<_> =
            all.into_iter().filter(|entry| entry.session == session).collect();
        history.drain(..history.len().saturating_sub(HISTORY));
        Ok(Self { shown, session: session.to_owned(), feed, history, new: Vec::new() })
    }

    /// Tells the panel what is new, and takes the notes that were written.
    pub(super) async fn exchange(&mut self, asked: &str) -> chromium::Result<Vec<String>> {
        self.hear();
        let told = self.tell(asked, &self.new.clone()).await?;
        let Some(told) = told else { return Ok(Vec::new()) };
        let mut notes = told.notes;
        self.new.clear();
        if told.fresh {
            let history: Vec<_> = self.history.iter().cloned().collect();
            let again = self.tell(asked, &history).await?;
            notes.extend(again.unwrap_or_default().notes);
        }
        Ok(notes)
    }

    async fn tell(
        &mut self,
        asked: &str,
        rows: &[ActivityEntry],
    ) -> chromium::Result<Option<Told>> {
        let row = |entry: &ActivityEntry| {
            json!({
                "time": entry.time,
                "client": entry.client,
                "command": entry.command,
                "target": entry.target,
                "outcome": entry.outcome,
            })
        };
        let told = json!({ "asked": asked, "rows": rows.iter().map(row).collect::<Vec<_>>() });
        let expression = format!("browsePanel.exchange({told})");
        let answer = tokio::time::timeout(MOMENT, self.shown.evaluate(&expression)).await;
        answer.unwrap_or(Ok(None))
    }

    /// Takes in what happened since the last exchange.
    fn hear(&mut self) {
        loop {
            match self.feed.try_recv() {
                Ok(entry) if entry.session == self.session => {
                    self.new.push(entry.clone());
                    self.history.push_back(entry);
                    if self.history.len() > HISTORY {
                        self.history.pop_front();
                    }
                }
                Ok(_) | Err(TryRecvError::Lagged(_)) => {}
                Err(TryRecvError::Empty | TryRecvError::Closed) => break,
            }
        }
        // Nobody reads more than that of a second, or of a closed panel.
        let surplus = self.new.len().saturating_sub(HISTORY);
        self.new.drain(..surplus);
    }
}

/// Keeps the panel of `window` up to date until the window is closed.
pub(super) async fn attend(daemon: &Daemon, window: &Window, panel: &mut Panel) {
    let asked = window.terms().handoff.as_ref().map(|handoff| handoff.reason.clone());
    let notes = match panel.exchange(&asked.unwrap_or_default()).await {
        Ok(notes) => notes,
        Err(error) => return tracing::debug!(%error, "the side panel does not answer"),
    };
    let session = window.session().name();
    for note in &notes {
        daemon.windows().inbox().add(session, note);
    }
    if !notes.is_empty() {
        daemon.touch();
        let count = if notes.len() == 1 { "a note" } else { "notes" };
        daemon.tell(format!("the person wrote {count}; `browse inbox` prints what it says"));
    }
}

/// Writes the extension beside the files of the browser, with which it goes.
fn write(beside: &Path) -> std::io::Result<PathBuf> {
    let folder = beside.join("panel");
    fs::create_dir_all(&folder)?;
    for (name, text) in FILES {
        fs::write(folder.join(name), text)?;
    }
    Ok(folder)
}
