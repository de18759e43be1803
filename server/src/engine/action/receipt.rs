//! What an action did, in a few lines.

use crate::chromium::TargetId;

/// A tab that an action opened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OpenedTab {
    /// Its id in the browser.
    pub target_id: TargetId,
    /// Where it goes, as far as known.
    pub url: String,
}

/// What changed. Everything is empty when nothing did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Receipt {
    /// The new address, when it changed.
    pub url: Option<String>,
    /// Whether a new document was loaded.
    pub navigated: bool,
    /// Where a navigation goes that has not arrived yet.
    pub navigating: Option<String>,
    /// The new title, when only that changed.
    pub title: Option<String>,
    /// Tabs that were opened.
    pub opened: Vec<OpenedTab>,
    /// Dialogs that were answered.
    pub dialogs: Vec<String>,
    /// Names of downloads that began.
    pub downloads: Vec<String>,
    /// Addresses that the caller may not visit, and that were not opened.
    pub denied: Vec<String>,
    /// What has the focus now, when it moved elsewhere: `textbox "Email"`.
    pub focus: Option<String>,
    /// Errors of the console, at most three.
    pub errors: Vec<String>,
    /// Whether the document changed in any way.
    pub changed: bool,
    /// What the action came to: `checked`, the options selected.
    pub result: Option<String>,
    /// What the element did not get of the action.
    pub lacking: Option<String>,
    /// Options that are selected now.
    pub selected: Vec<String>,
}

impl Receipt {
    /// One fact a line.
    pub fn lines(&self) -> Vec<String> {
        let mut lines = Vec::new();
        lines.extend(self.result.clone());
        match (&self.url, self.navigated) {
            (Some(url), _) => lines.push(format!("url: {url}")),
            (None, true) => lines.push("the page was loaded again".to_owned()),
            (None, false) => {}
        }
        lines.extend(self.navigating.as_ref().map(|url| format!("loading: {url}")));
        lines.extend(self.title.as_ref().map(|title| format!("title: {title}")));
        lines.extend(self.opened.iter().map(|tab| format!("new tab: {}", tab.url)));
        lines.extend(self.dialogs.iter().cloned());
        lines.extend(self.downloads.iter().map(|download| format!("download: {download}")));
        lines.extend(self.denied.iter().map(|url| format!("not allowed: {url}")));
        lines.extend(self.focus.as_ref().map(|focus| format!("focus: {focus}")));
        lines.extend(self.errors.iter().map(|error| format!("console error: {error}")));
        if lines.is_empty() {
            lines
                .push(if self.changed { "the page changed" } else { "nothing changed" }.to_owned());
        }
        lines.extend(self.lacking.clone());
        lines
    }

    /// Whether anything came of the action.
    pub(crate) fn tells_anything(&self) -> bool {
        self.changed || self.lines() != Self::default().lines()
    }
}
