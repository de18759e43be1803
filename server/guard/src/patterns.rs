//! Phrases by which a text speaks to an agent instead of to a person.
//!
//! A pattern is a warning and never more: honest pages write about these
//! phrases too. So each is narrow. One pass looks for anchors, rare words of
//! the phrases; only around them a pattern is tried.

mod table;

use std::{
    collections::BTreeMap,
    sync::{LazyLock, OnceLock},
};

use aho_corasick::{AhoCorasick, AhoCorasickKind};
use regex::Regex;

use crate::match_window::{NormalizedWindow, surrounding_text};
use table::PATTERNS;

/// What a phrase asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum InjectionKind {
    /// To set aside earlier instructions of the agent.
    Override,
    /// To take the text for the words of the system or of a turn.
    Role,
    /// To do something because it is an agent that reads.
    Address,
    /// To keep something from the user.
    Conceal,
    /// To send secrets somewhere.
    Exfiltrate,
    /// To say secrets.
    Reveal,
    /// To answer its user with the words of the text.
    Steer,
    /// To act without limits.
    Unlock,
}

impl InjectionKind {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Override => "override",
            Self::Role => "role",
            Self::Address => "address",
            Self::Conceal => "conceal",
            Self::Exfiltrate => "exfiltrate",
            Self::Reveal => "reveal",
            Self::Steer => "steer",
            Self::Unlock => "unlock",
        }
    }

    /// What a warning calls it.
    pub fn description(self) -> &'static str {
        match self {
            Self::Override => "to set aside earlier instructions",
            Self::Role => "to be read as a system message",
            Self::Address => "something of AI agents in particular",
            Self::Conceal => "to keep something from the user",
            Self::Exfiltrate => "to send secrets away",
            Self::Reveal => "to tell secrets",
            Self::Steer => "for certain words in answers to the user",
            Self::Unlock => "to drop safety rules",
        }
    }
}

/// A phrase that was found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PhraseMatch {
    /// What it asks for.
    pub kind: InjectionKind,
    /// How often it was found.
    pub count: u32,
    /// Byte in the text near which it begins first.
    pub offset: usize,
}

struct PhraseTables {
    anchors: AhoCorasick,
    /// By anchor, the patterns that have it.
    patterns_by_anchor: Vec<Vec<usize>>,
    /// Each is compiled when a text has one of its anchors: most texts have none,
    /// and together they take a third of a megabyte.
    regexes: Vec<OnceLock<Regex>>,
}

impl PhraseTables {
    fn regex(&self, index: usize) -> &Regex {
        let compile = || Regex::new(PATTERNS[index].phrase).expect("a test compiles them all");
        self.regexes[index].get_or_init(compile)
    }
}

static TABLES: LazyLock<PhraseTables> = LazyLock::new(|| {
    let mut words: BTreeMap<&str, Vec<usize>> = BTreeMap::new();
    for (index, pattern) in PATTERNS.iter().enumerate() {
        pattern.anchors.iter().for_each(|anchor| words.entry(anchor).or_default().push(index));
    }
    PhraseTables {
        anchors: AhoCorasick::builder()
            .ascii_case_insensitive(true)
            // A table of all transitions would take 0.7 MB of a daemon's memory.
            .kind(Some(AhoCorasickKind::ContiguousNFA))
            .dense_depth(4)
            .build(words.keys())
            .expect("the anchors are few"),
        patterns_by_anchor: words.into_values().collect(),
        regexes: PATTERNS.iter().map(|_| OnceLock::new()).collect(),
    }
});

/// Windows that are looked at in one text: one that is all anchors costs no
/// more than another.
const MAX_WINDOWS: usize = 2_000;

/// The phrases in `text`, the kinds in order. Blanks, case, quotes and marks of
/// Markdown make no difference.
pub fn find_phrases(text: &str) -> Vec<PhraseMatch> {
    let tables = &*TABLES;
    let mut hits: BTreeMap<InjectionKind, PhraseMatch> = BTreeMap::new();
    // Up to where each pattern was tried; a phrase has several anchors.
    let mut tried = vec![0; PATTERNS.len()];
    let mut window = NormalizedWindow::default();
    for found in tables.anchors.find_overlapping_iter(text).take(MAX_WINDOWS) {
        let owners = &tables.patterns_by_anchor[found.pattern().as_usize()];
        let mut made = false;
        for owner in owners.iter().copied() {
            if found.start() < tried[owner] {
                continue;
            }
            if !std::mem::replace(&mut made, true) {
                window.set_text(surrounding_text(text, found.start(), found.end()));
            }
            let Some(phrase) = tables.regex(owner).find(&window.text) else { continue };
            tried[owner] = found.end().max(found.start() + phrase.len());
            let asks = PATTERNS[owner].kind;
            let hit = hits.entry(asks).or_insert(PhraseMatch {
                kind: asks,
                count: 0,
                offset: found.start(),
            });
            hit.count += 1;
        }
    }
    hits.into_values().collect()
}

#[cfg(test)]
#[path = "patterns_tests.rs"]
mod tests;
