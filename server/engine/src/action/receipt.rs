//! What an action did, as facts.

use crate::page::fact::Fact;
use crate::page::side_effects::StartedDownload;
use browse_chromium::TargetId;

/// A tab that an action opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedTab {
    /// Its id in the browser.
    pub target_id: TargetId,
    /// Its id for callers, once somebody knows it.
    pub tab_id: Option<u64>,
    /// Where it goes, as far as known.
    pub url: String,
}

/// A question of the page that is open.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenDialog {
    /// What it is and says: `confirm "Delete it?"`.
    pub summary: String,
    /// The same, and how it is answered.
    pub facts: Vec<Fact>,
}

/// What changed. Everything is empty when nothing did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ActionReceipt {
    /// The new address, when it changed.
    pub url: Option<String>,
    /// Whether a new document was loaded.
    pub navigated: bool,
    /// Where a navigation goes that has not arrived yet.
    pub pending_url: Option<String>,
    /// The new title, when only that changed.
    pub title: Option<String>,
    /// Tabs that were opened.
    pub opened_tabs: Vec<OpenedTab>,
    /// Dialogs that were answered: `confirm "Sure?", accepted`.
    pub dialogs: Vec<Fact>,
    /// Downloads that began.
    pub downloads: Vec<StartedDownload>,
    /// Whether the caller does not wait for what it began.
    pub no_wait: bool,
    /// Addresses that the caller may not visit, and that were not opened.
    pub denied_urls: Vec<String>,
    /// Role and name of what has the focus now, when it moved somewhere else.
    pub focus: Option<(String, String)>,
    /// Exceptions and errors of the console, at most three.
    pub errors: Vec<Fact>,
    /// Whether the document changed in any way.
    pub changed: bool,
    /// What the action came to: `checked`, the options selected.
    pub result: Option<Fact>,
    /// What the page reported or shows now: alerts, values, what is invalid.
    pub page_messages: Vec<Fact>,
    /// Text that shows now, or went; reported where nothing else is.
    pub changed_text: Option<Fact>,
    /// Requests that the action began and that are open.
    pub open_requests: Vec<Fact>,
    /// What the element did not get of the action.
    pub undelivered: Option<Fact>,
    /// Options that are selected now.
    pub selected: Vec<String>,
    /// Address of the frame that the words of the page are from, when it is not
    /// that of the tab.
    pub frame_url: Option<String>,
    /// The question that the page asked, which waits for its answer.
    pub open_dialog: Option<OpenDialog>,
}

impl ActionReceipt {
    /// All facts in the order in which they are reported; never empty.
    pub fn facts(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        let texts = |label: &'static str| move |text: &String| Fact::new(label).text(text);
        facts.extend(self.result.clone());
        facts.extend(self.page_messages.iter().cloned());
        match (&self.url, self.navigated) {
            (Some(url), _) => facts.push(Fact::new("url").text(url)),
            (None, true) => facts.push(Fact::new("the page was loaded again")),
            (None, false) => {}
        }
        facts.extend(self.pending_url.iter().map(texts("loading")));
        facts.extend(self.title.iter().map(texts("title")));
        facts.extend(self.opened_tabs.iter().map(|tab| match tab.tab_id {
            Some(id) => Fact::new(format!("new tab {id}")).text(&tab.url),
            None => Fact::new("new tab").text(&tab.url),
        }));
        facts.extend(self.dialogs.iter().cloned());
        facts.extend(self.downloads.iter().map(|one| Fact::new("download").text(&one.name)));
        facts.extend(self.denied_urls.iter().map(texts("not allowed")));
        facts.extend(self.focus.iter().map(|(role, name)| Fact::new("focus").about(role, name)));
        facts.extend(self.errors.iter().cloned());
        facts.extend(self.open_dialog.iter().flat_map(|asked| asked.facts.clone()));
        if facts.is_empty() {
            facts.extend(self.changed_text.clone());
        }
        facts.extend(self.open_requests.iter().cloned());
        if facts.is_empty() {
            let nothing = if self.changed { "the page changed" } else { "nothing changed" };
            facts.push(Fact::new(nothing));
        }
        facts.extend(self.undelivered.clone());
        facts
    }

    /// One fact a line.
    pub fn lines(&self) -> Vec<String> {
        self.facts().iter().map(Fact::line).collect()
    }

    /// Whether anything came of the action.
    pub(crate) fn has_effects(&self) -> bool {
        self.changed || self.lines() != Self::default().lines()
    }
}
