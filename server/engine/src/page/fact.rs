//! One fact of what happened on a page, with the words of the page apart from ours.

use std::borrow::Cow;

use super::refusal::CoveringElement;

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

    /// Its description in words of the daemon.
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
