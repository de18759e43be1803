//! What an action did, as facts.

use std::borrow::Cow;

use crate::chromium::TargetId;
use crate::engine::page::refusal::CoveringElement;

/// One thing that an action did. Only `name` and `text` are words of the page; all
/// else is ours, so that a reader can be shown which is which.
///
/// As a line: `label: role "name": text note`, without the parts that are empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Fact {
    /// What it is: `alert`, `value`, `new tab 3`.
    pub label: Cow<'static, str>,
    /// Role of the element that it is about.
    pub role: String,
    /// Accessible name of that element, or the message of a dialog.
    pub name: String,
    /// A message, value, title or address.
    pub text: String,
    /// What is added in our words: `is open`, `, accepted`.
    pub note: Cow<'static, str>,
}

impl Fact {
    /// A fact in our words alone: `checked`.
    pub fn new(label: impl Into<Cow<'static, str>>) -> Self {
        Self { label: label.into(), ..Self::default() }
    }

    /// Adds what the page says: `alert: Saved`.
    #[must_use]
    pub fn text(self, text: impl Into<String>) -> Self {
        Self { text: text.into(), ..self }
    }

    /// Adds the element that it is about: `focus: textbox "Email"`.
    #[must_use]
    pub fn about(self, role: impl Into<String>, name: impl Into<String>) -> Self {
        Self { role: role.into(), name: name.into(), ..self }
    }

    /// Adds our words after those of the page; a leading comma joins them.
    #[must_use]
    pub fn note(self, note: impl Into<Cow<'static, str>>) -> Self {
        Self { note: note.into(), ..self }
    }

    /// What took the place of an element: role, name and selector.
    pub(crate) fn covered_by(self, other: &CoveringElement) -> Self {
        let fact = self.about(&other.role, &other.name);
        if other.selector == other.role { fact } else { fact.text(&other.selector) }
    }

    /// What is said of it in our words.
    pub(crate) fn own_text(&self) -> String {
        let blank = if self.note.is_empty() || self.note.starts_with(',') {
            ""
        } else {
            ": another element "
        };
        format!("{}{blank}{}", self.label, self.note)
    }

    /// The words of the page: `button "Save": #save`.
    pub(crate) fn page_text(&self) -> String {
        let page = Self { label: Cow::Borrowed(""), note: Cow::Borrowed(""), ..self.clone() };
        page.line().trim_start_matches(": ").to_owned()
    }

    /// The fact as one line.
    pub fn line(&self) -> String {
        let Self { label, role, name, text, note } = self;
        let mut line = label.to_string();
        if !role.is_empty() {
            line.push_str(&format!(": {role}"));
        }
        if !name.is_empty() {
            line.push_str(&format!(" \"{name}\""));
        }
        if !text.is_empty() {
            line.push_str(&format!(": {text}"));
        }
        if !note.is_empty() {
            line.push_str(if note.starts_with(',') { "" } else { " " });
            line.push_str(note);
        }
        line
    }
}

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

/// A download that an action began.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StartedDownload {
    /// Chromium's id.
    pub id: String,
    /// The name that the page wants it to have.
    pub name: String,
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
    /// Role and name of what has the focus now, when it moved elsewhere.
    pub focus: Option<(String, String)>,
    /// Exceptions and errors of the console, at most three.
    pub errors: Vec<Fact>,
    /// Whether the document changed in any way.
    pub changed: bool,
    /// What the action came to: `checked`, the options selected.
    pub result: Option<Fact>,
    /// What the page said or shows now: alerts, values, what is invalid.
    pub page_messages: Vec<Fact>,
    /// Text that shows now, or went; told where nothing else is.
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
    /// All facts in the order in which they are told; never empty.
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
