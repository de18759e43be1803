//! The layers of one daemon: which are on, the watermarks that it gave, and
//! what it counted.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use browse_guard::{Datamark, find_datamarks};
use sha2::{Digest as _, Sha256};

use super::GuardReport;

/// The layers that a setting can turn off. Cleaning and the envelope are always
/// on; a caller that wants neither says `--raw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ContentLayers {
    /// L1: the watermark of what paired agents read.
    pub datamark: bool,
    /// L2: what no person sees is left out.
    pub hidden: bool,
    /// L3: phrases and addresses are looked for.
    pub patterns: bool,
}

impl Default for ContentLayers {
    fn default() -> Self {
        Self { datamark: true, hidden: true, patterns: true }
    }
}

/// Watermarks that are remembered: the newest replace the oldest.
const MAX_DATAMARKS: usize = 10_000;

/// What watches over the content of a daemon.
pub struct ContentMonitor {
    layers: ContentLayers,
    /// So that nobody else can tell what a session's mark is.
    key: [u8; 32],
    datamarks: Mutex<HashMap<Datamark, String>>,
    guarded_answers: AtomicU64,
    raw_answers: AtomicU64,
    warned_answers: AtomicU64,
    hidden_counts: Mutex<BTreeMap<String, u64>>,
    /// Warnings that came after their answer, by session.
    late_warnings: Mutex<BTreeMap<String, Vec<String>>>,
}

/// Late warnings that are kept for one session, and sessions that have any.
const MAX_LATE_WARNINGS: usize = 5;
const MAX_LATE_SESSIONS: usize = 100;

impl ContentMonitor {
    /// A watch with these layers.
    pub fn new(layers: ContentLayers) -> Self {
        Self {
            layers,
            key: rand::random(),
            datamarks: Mutex::default(),
            guarded_answers: AtomicU64::default(),
            raw_answers: AtomicU64::default(),
            warned_answers: AtomicU64::default(),
            hidden_counts: Mutex::default(),
            late_warnings: Mutex::default(),
        }
    }

    /// Which layers are on.
    pub fn layers(&self) -> ContentLayers {
        self.layers
    }

    /// The watermark of what `client` reads in `session`.
    pub fn datamark(&self, client: &str, session: &str) -> Datamark {
        let mut hash = Sha256::new();
        hash.update(self.key);
        for part in [client, session] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let hash = hash.finalize();
        let mark = Datamark::new(u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]));
        let mut marks = self.datamarks.lock().unwrap_or_else(PoisonError::into_inner);
        if marks.len() >= MAX_DATAMARKS {
            marks.clear();
        }
        marks.entry(mark).or_insert_with(|| format!("{client} in {session}"));
        mark
    }

    /// Whose reading `text` was carried out of: `client in session`, for the
    /// first watermark of ours in it that is not of the client `but`.
    pub fn datamark_owner(&self, text: &str, but: &str) -> Option<String> {
        let known = self.datamarks.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_empty() {
            return None;
        }
        let is_own =
            |whose: &String| whose.strip_prefix(but).is_some_and(|rest| rest.starts_with(" in "));
        let found = find_datamarks(text);
        let whose = found.iter().filter_map(|mark| known.get(mark));
        whose.into_iter().find(|whose| !is_own(whose)).cloned()
    }

    /// Counts an answer with page-derived content.
    pub fn count_answer(&self, guarded: &GuardReport, raw: bool) {
        if !guarded.is_page_derived {
            return;
        }
        let counter = if raw { &self.raw_answers } else { &self.guarded_answers };
        counter.fetch_add(1, Ordering::Relaxed);
        if !guarded.findings.is_empty() {
            self.warned_answers.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts what was left out because no person sees it.
    pub fn count_hidden(&self, unseen: &BTreeMap<String, u32>) {
        if unseen.is_empty() {
            return;
        }
        let mut counts = self.hidden_counts.lock().unwrap_or_else(PoisonError::into_inner);
        for (means, count) in unseen {
            *counts.entry(means.clone()).or_default() += u64::from(*count);
        }
    }

    /// Has the next answer of `session` say a warning that came too late.
    pub fn add_late_warning(&self, session: &str, warning: String) {
        let mut late = self.late_warnings.lock().unwrap_or_else(PoisonError::into_inner);
        if late.len() >= MAX_LATE_SESSIONS && !late.contains_key(session) {
            return;
        }
        let waiting = late.entry(session.to_owned()).or_default();
        if waiting.len() < MAX_LATE_WARNINGS && !waiting.contains(&warning) {
            waiting.push(warning);
        }
    }

    /// The warnings that came too late for `session`, once.
    pub fn take_late_warnings(&self, session: &str) -> Vec<String> {
        let mut late = self.late_warnings.lock().unwrap_or_else(PoisonError::into_inner);
        late.remove(session).unwrap_or_default()
    }

    /// What was counted so far, by name.
    pub fn counts(&self) -> Vec<(String, u64)> {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let unseen = self.hidden_counts.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counts = vec![
            ("answers guarded".to_owned(), read(&self.guarded_answers)),
            ("answers raw".to_owned(), read(&self.raw_answers)),
            ("answers warned of".to_owned(), read(&self.warned_answers)),
        ];
        counts.extend(unseen.iter().map(|(means, count)| (format!("hidden by {means}"), *count)));
        counts
    }
}

impl ContentLayers {
    /// The names of those that are off.
    pub fn disabled_names(self) -> Vec<&'static str> {
        let all =
            [("datamark", self.datamark), ("hidden", self.hidden), ("patterns", self.patterns)];
        all.into_iter().filter(|(_, on)| !on).map(|(name, _)| name).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mark_leads_back_to_who_read() {
        let watch = ContentMonitor::new(ContentLayers::default());
        let text = watch.datamark("ada", "work").embed("A sentence. Another one.");
        assert_eq!(watch.datamark_owner(&text, "bob").as_deref(), Some("ada in work"));
        assert_eq!(watch.datamark_owner(&text, "ad").as_deref(), Some("ada in work"));
        assert_eq!(watch.datamark_owner(&text, "ada"), None);
        assert_eq!(watch.datamark_owner("A sentence.", "bob"), None);
        let both = format!("{text} {}", watch.datamark("bob", "work").embed("More."));
        assert_eq!(watch.datamark_owner(&both, "ada").as_deref(), Some("bob in work"));
        assert_ne!(watch.datamark("ada", "work"), watch.datamark("adaw", "ork"));
        let other = ContentMonitor::new(ContentLayers::default());
        other.datamark("ada", "work");
        assert_eq!(other.datamark_owner(&text, "bob"), None);
    }

    #[test]
    fn late_warnings_are_told_once_to_their_session() {
        let watch = ContentMonitor::new(ContentLayers::default());
        for _ in 0..2 {
            watch.add_late_warning("work", "one".to_owned());
        }
        assert!(watch.take_late_warnings("other").is_empty());
        assert_eq!(watch.take_late_warnings("work"), ["one"]);
        assert!(watch.take_late_warnings("work").is_empty());
    }

    #[test]
    fn counts_tell_raw_from_guarded() {
        let watch = ContentMonitor::new(ContentLayers::default());
        let derived = GuardReport { is_page_derived: true, ..GuardReport::default() };
        watch.count_answer(&derived, true);
        watch.count_answer(&derived, false);
        watch.count_answer(&GuardReport::default(), false);
        let counts = watch.counts();
        assert_eq!(counts[0], ("answers guarded".to_owned(), 1));
        assert_eq!(counts[1], ("answers raw".to_owned(), 1));
    }
}
