//! What the script says after an action.

use serde::Deserialize;

use crate::page::fact::Fact;
use crate::page::refusal::CoveringElement;

/// What the script says after an action.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct ActionEffects {
    pub delivered: bool,
    pub unknown: bool,
    pub stopped: bool,
    pub stray: Option<CoveringElement>,
    pub presses: u32,
    pub clicks: u32,
    pub menus: u32,
    pub downloads: bool,
    pub slipped: Option<CoveringElement>,
    pub gone: bool,
    pub hovered: bool,
    pub mutations: u64,
    pub url: String,
    pub title: Option<String>,
    pub focus: Option<(String, String)>,
    pub field: bool,
    pub checked: Option<String>,
    pub holding: Option<FactRow>,
    pub scrolled: Option<(f64, f64)>,
    pub selected: Vec<String>,
    pub news: Vec<FactRow>,
    pub shown: Option<(String, String)>,
    pub holds: Option<FieldContent>,
}

/// What a field holds after it was filled or typed into.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct FieldContent {
    text: String,
    /// Whether it is a secret, whose text is not here.
    secret: bool,
}

impl From<FieldContent> for Fact {
    fn from(FieldContent { text, secret }: FieldContent) -> Self {
        match (secret, text.is_empty()) {
            (true, _) => Self::new("filled"),
            (false, true) => Self::new("value").note("is empty"),
            (false, false) => Self::new("value").text(text),
        }
    }
}

/// A fact as the script tells it: label, role, name, text and note.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub(crate) struct FactRow(String, String, String, String, String);

impl From<FactRow> for Fact {
    fn from(FactRow(label, role, name, text, note): FactRow) -> Self {
        Self::new(label).about(role, name).text(text).note(note)
    }
}

impl ActionEffects {
    /// Adds what a document around this one says; `main`: that of the tab.
    pub fn add(&mut self, other: Self, main: bool) {
        self.stopped |= other.stopped;
        self.downloads |= other.downloads;
        self.mutations += other.mutations;
        self.scrolled = self.scrolled.or(other.scrolled);
        self.news.extend(other.news);
        self.shown = self.shown.take().or(other.shown);
        if main {
            // Its focus is the frame itself, of course.
            self.title = other.title;
        }
    }

    /// Takes over what the same document says later. What it reported before, and does
    /// not show any more, was reported all the same.
    pub fn update(&mut self, later: Self) {
        let gone = self.news.iter().filter(|known| {
            let same = |new: &&FactRow| known.0 == new.0 && known.1 == new.1 && known.2 == new.2;
            !later.news.iter().any(|new| same(&new))
        });
        let news = later.news.iter().chain(gone).cloned().collect();
        self.news = news;
        self.mutations = self.mutations.max(later.mutations);
        self.title = later.title.or(self.title.take());
        self.focus = later.focus.or(self.focus.take());
        self.field |= later.field;
        self.checked = later.checked.or(self.checked.take());
        self.holding = later.holding.or(self.holding.take());
        self.holds = later.holds.or(self.holds.take());
        self.scrolled = later.scrolled.or(self.scrolled);
        self.shown = later.shown.or(self.shown.take());
    }

    /// Whether the document tells of anything.
    pub fn has_effects(&self) -> bool {
        self.mutations > 0
            || self.field
            || self.focus.is_some()
            || self.scrolled.is_some()
            || self.gone
            || self.title.is_some()
            || !self.news.is_empty()
            || self.shown.is_some()
    }
}
