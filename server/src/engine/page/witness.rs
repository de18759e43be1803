//! What happened around the page while an action ran: the part of a receipt
//! that the page itself does not know.

use std::sync::Arc;

use crate::chromium::sync::Lock;
use crate::chromium::{Dialog, DialogAnswer, DownloadState, Event, Page, WindowRefusal};
use crate::engine::action::receipt::{Fact, StartedDownload};

/// Console errors kept for one receipt.
const MAX_ERRORS: usize = 3;

/// Collects while an action runs; forgets everything in between.
#[derive(Debug, Default)]
pub(crate) struct Witness(Lock<Option<Seen>>);

/// What was seen.
#[derive(Debug, Default, Clone)]
pub(crate) struct Seen {
    pub opened: Vec<Arc<Page>>,
    pub errors: Vec<Fact>,
    pub dialogs: Vec<Fact>,
    pub downloads: Vec<StartedDownload>,
    /// Where the downloads come from.
    pub saved: Vec<String>,
    pub denied: Vec<String>,
    /// Windows that the page was refused.
    pub refused: Vec<Fact>,
}

impl Witness {
    /// Starts to collect.
    pub fn begin(&self) {
        *self.0.lock() = Some(Seen::default());
    }

    /// Ends it, and answers what was seen.
    pub fn end(&self) -> Seen {
        self.0.lock().take().unwrap_or_default()
    }

    /// Whether an action runs.
    pub fn is_collecting(&self) -> bool {
        self.0.lock().is_some()
    }

    /// What was seen so far.
    pub fn so_far(&self) -> Seen {
        self.0.lock().clone().unwrap_or_default()
    }

    /// The tabs that were opened so far.
    pub fn opened(&self) -> Vec<Arc<Page>> {
        self.0.lock().as_ref().map(|seen| seen.opened.clone()).unwrap_or_default()
    }

    /// Whether nothing was seen so far.
    pub fn saw_nothing(&self) -> bool {
        self.0.lock().as_ref().is_none_or(|seen| {
            let Seen { opened, errors, dialogs, downloads, denied, refused, .. } = seen;
            opened.is_empty()
                && errors.is_empty()
                && dialogs.is_empty()
                && downloads.is_empty()
                && denied.is_empty()
                && refused.is_empty()
        })
    }

    /// Whether a download began.
    pub fn has_download(&self) -> bool {
        self.0.lock().as_ref().is_some_and(|seen| !seen.downloads.is_empty())
    }

    /// Notes an event while an action runs.
    pub fn observe(&self, page: &Page, event: &Event) {
        let mut seen = self.0.lock();
        let Some(seen) = seen.as_mut() else { return };
        match event {
            // A link with `noopener` and a modified click name no opener.
            Event::PageOpened(opened)
                if opened.opener() == Some(page.target_id())
                    || (opened.opener().is_none() && opened.context_id() == page.context_id()) =>
            {
                seen.opened.push(Arc::clone(opened));
            }
            Event::Console(target, entry)
                if target == page.target_id() && seen.errors.len() < MAX_ERRORS =>
            {
                let label = match entry.kind.as_str() {
                    "exception" => "exception",
                    "error" | "assert" => "console error",
                    _ => return,
                };
                seen.errors.push(Fact::new(label).text(&entry.text));
            }
            // A tab that the action opened is refused by itself.
            Event::Denied(target, denied)
                if target == page.target_id()
                    || seen.opened.iter().any(|opened| opened.target_id() == target) =>
            {
                seen.denied.push(denied.url.clone());
            }
            Event::WindowRefused(target, refused)
                if target == page.target_id() && seen.refused.len() < MAX_ERRORS =>
            {
                let label = match refused.reason {
                    WindowRefusal::NoGesture => "window refused, which no user asked for",
                    WindowRefusal::TooMany => "window refused, too many are open",
                };
                seen.refused.push(Fact::new(label).text(&refused.url));
            }
            Event::Dialog(target, dialog) if target == page.target_id() => {
                seen.dialogs.push(dialog_fact(dialog));
            }
            Event::Download(download)
                if download.tab.as_ref().is_none_or(|tab| {
                    let here = |opened: &Arc<Page>| opened.target_id() == tab;
                    tab == page.target_id() || seen.opened.iter().any(here)
                }) && download.state == DownloadState::Started =>
            {
                let (id, name) = (download.id.clone(), download.suggested_name.clone());
                seen.downloads.push(StartedDownload { id, name });
                seen.saved.push(download.url.clone());
            }
            _ => {}
        }
    }
}

/// `confirm "Delete it?", accepted`.
fn dialog_fact(dialog: &Dialog) -> Fact {
    let answer = match &dialog.answer {
        DialogAnswer::Accept(Some(text)) => format!(", answered \"{text}\""),
        _ => format!(", {}", dialog.answered()),
    };
    let fact = Fact::new(dialog.kind.clone()).note(answer);
    // The browser has its own words for leaving a page.
    if dialog.kind == "beforeunload" { fact } else { fact.about("", &dialog.message) }
}
