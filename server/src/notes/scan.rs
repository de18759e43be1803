//! What the scan of a note says. A note has time: its scan is waited for, where
//! that of a page is not.

use std::time::Duration;

use browse_guard::{Surface, Verdict, phrases};
use tokio::time::timeout;

use crate::content::{self, Scanner};

/// Longest that the scan of a note is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

/// Scans notes.
#[derive(Clone, Debug)]
pub struct Scan {
    scanner: Scanner,
}

/// What a scan found.
#[derive(Clone, Debug, Default)]
pub struct Finding {
    /// From 0 to 1.
    pub score: f64,
    /// What a phrase of the text asks for.
    pub pattern: Option<&'static str>,
    /// Whether a note in use goes to quarantine for it.
    pub flagged: bool,
    /// Whether a text is not saved for it.
    pub refused: bool,
    /// Whether the classifiers gave no answer in time: nothing is earned by
    /// such a scan.
    pub unsure: bool,
}

impl Finding {
    /// Whether a text of the library is not shown for it.
    pub fn withholds(&self) -> bool {
        self.flagged || self.unsure
    }
}

impl Scan {
    /// A scan by these classifiers.
    pub fn new(scanner: Scanner) -> Self {
        Self { scanner }
    }

    /// Scans a text on its way to the store.
    pub async fn at_save(&self, text: &str) -> Finding {
        self.look(text, Surface::NoteSave).await
    }

    /// Scans a text on its way to a reader.
    pub async fn at_use(&self, text: &str) -> Finding {
        self.look(text, Surface::NoteUse).await
    }

    async fn look(&self, text: &str, surface: Surface) -> Finding {
        // An honest note has no use for a phrase that steers agents.
        if let Some(hit) = phrases(text).first() {
            let pattern = Some(hit.asks.words());
            return Finding { score: 1.0, pattern, flagged: true, refused: true, unsure: false };
        }
        let found = match timeout(PATIENCE, self.scanner.finish(text, surface)).await {
            Ok(found) => found,
            Err(_) => content::scan(&self.scanner, text, surface).await,
        };
        Finding {
            score: f64::from(found.scores.highest()),
            pattern: None,
            flagged: found.verdict() >= Verdict::Warn,
            refused: found.verdict() >= Verdict::Block,
            unsure: found.pending,
        }
    }
}
