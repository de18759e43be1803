//! What happened around the page while an action ran: the part of a receipt
//! that the page itself does not know.

use std::sync::Arc;

use super::fact::Fact;
use browse_base::Lock;
use browse_chromium::{Dialog, DialogAnswer, DownloadState, Event, Page, WindowRefusal};

/// Console errors kept for one receipt.
const MAX_CONSOLE_ERRORS: usize = 3;

/// Collects while an action runs; forgets everything in between.
#[derive(Debug, Default)]
pub(crate) struct SideEffectCollector(Lock<Option<SideEffects>>);

/// What was seen.
#[derive(Debug, Default, Clone)]
pub(crate) struct SideEffects {
    pub opened_tabs: Vec<Arc<Page>>,
    pub console_errors: Vec<Fact>,
    pub dialogs: Vec<Fact>,
    pub downloads: Vec<StartedDownload>,
    /// Where the downloads come from.
    pub download_urls: Vec<String>,
    pub denied_urls: Vec<String>,
    /// Windows that the page was refused.
    pub refused_windows: Vec<Fact>,
}

/// A download that an action began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedDownload {
    /// Chromium's id.
    pub id: String,
    /// The name that the page wants it to have.
    pub name: String,
}

impl SideEffectCollector {
    /// Starts to collect.
    pub fn begin(&self) {
        *self.0.lock() = Some(SideEffects::default());
    }

    /// Ends it, and answers what was seen.
    pub fn finish(&self) -> SideEffects {
        self.0.lock().take().unwrap_or_default()
    }

    /// Whether an action runs.
    pub fn is_collecting(&self) -> bool {
        self.0.lock().is_some()
    }

    /// What was seen so far.
    pub fn collected(&self) -> SideEffects {
        self.0.lock().clone().unwrap_or_default()
    }

    /// The tabs that were opened so far.
    pub fn opened_tabs(&self) -> Vec<Arc<Page>> {
        self.0.lock().as_ref().map(|seen| seen.opened_tabs.clone()).unwrap_or_default()
    }

    /// Whether nothing was seen so far.
    pub fn is_empty(&self) -> bool {
        self.0.lock().as_ref().is_none_or(|seen| {
            let SideEffects {
                opened_tabs: opened,
                console_errors: errors,
                dialogs,
                downloads,
                denied_urls: denied,
                refused_windows: refused,
                ..
            } = seen;
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
                seen.opened_tabs.push(Arc::clone(opened));
            }
            Event::Console(target, entry)
                if target == page.target_id() && seen.console_errors.len() < MAX_CONSOLE_ERRORS =>
            {
                let label = match entry.kind.as_str() {
                    "exception" => "exception",
                    "error" | "assert" => "console error",
                    _ => return,
                };
                seen.console_errors.push(Fact::new(label).text(&entry.text));
            }
            // A tab that the action opened is refused by itself.
            Event::DocumentDenied(target, denied)
                if target == page.target_id()
                    || seen.opened_tabs.iter().any(|opened| opened.target_id() == target) =>
            {
                seen.denied_urls.push(denied.url.clone());
            }
            Event::WindowRefused(target, refused)
                if target == page.target_id()
                    && seen.refused_windows.len() < MAX_CONSOLE_ERRORS =>
            {
                let label = match refused.reason {
                    WindowRefusal::NoGesture => "window refused, which no user asked for",
                    WindowRefusal::TooMany => "window refused, too many are open",
                };
                seen.refused_windows.push(Fact::new(label).text(&refused.url));
            }
            Event::DialogAnswered(target, dialog) if target == page.target_id() => {
                seen.dialogs.push(dialog_fact(dialog));
            }
            Event::Download(download)
                if download.tab.as_ref().is_none_or(|tab| {
                    let here = |opened: &Arc<Page>| opened.target_id() == tab;
                    tab == page.target_id() || seen.opened_tabs.iter().any(here)
                }) && download.state == DownloadState::Started =>
            {
                let (id, name) = (download.id.clone(), download.suggested_name.clone());
                seen.downloads.push(StartedDownload { id, name });
                seen.download_urls.push(download.url.clone());
            }
            _ => {}
        }
    }
}

/// `confirm "Delete it?", accepted`.
fn dialog_fact(dialog: &Dialog) -> Fact {
    let answer = match &dialog.answer {
        DialogAnswer::Accept(Some(text)) => format!(", answered \"{text}\""),
        _ => format!(", {}", dialog.answer_text()),
    };
    let fact = Fact::new(dialog.kind.clone()).note(answer);
    // The browser has its own words for leaving a page.
    if dialog.kind == "beforeunload" { fact } else { fact.about("", &dialog.message) }
}
