//! The layers of one daemon: which are on, the watermarks that it gave, and
//! what it counted.

use std::{
    collections::{BTreeMap, HashMap},
    sync::{
        Mutex, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use browse_guard::{Mark, marks};
use sha2::{Digest as _, Sha256};

use super::Guarded;

/// The layers that a setting can turn off. Cleaning and the envelope are always
/// on; a caller that wants neither says `--raw`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layers {
    /// L1: the watermark of what paired agents read.
    pub datamark: bool,
    /// L2: what no person sees is left out.
    pub hidden: bool,
    /// L3: phrases and addresses are looked for.
    pub patterns: bool,
}

impl Default for Layers {
    fn default() -> Self {
        Self { datamark: true, hidden: true, patterns: true }
    }
}

/// Watermarks that are remembered: the newest replace the oldest.
const MOST_MARKS: usize = 10_000;

/// What watches over the content of a daemon.
pub struct Watch {
    layers: Layers,
    /// So that nobody else can tell what a session's mark is.
    key: [u8; 32],
    marks: Mutex<HashMap<Mark, String>>,
    guarded: AtomicU64,
    raw: AtomicU64,
    warned: AtomicU64,
    unseen: Mutex<BTreeMap<String, u64>>,
    /// Warnings that came after their answer, by session.
    late: Mutex<BTreeMap<String, Vec<String>>>,
}

/// Late warnings that are kept for one session, and sessions that have any.
const MOST_LATE: usize = 5;
const MOST_SESSIONS: usize = 100;

impl Watch {
    /// A watch with these layers.
    pub fn new(layers: Layers) -> Self {
        Self {
            layers,
            key: rand::random(),
            marks: Mutex::default(),
            guarded: AtomicU64::default(),
            raw: AtomicU64::default(),
            warned: AtomicU64::default(),
            unseen: Mutex::default(),
            late: Mutex::default(),
        }
    }

    /// Which layers are on.
    pub fn layers(&self) -> Layers {
        self.layers
    }

    /// The watermark of what `client` reads in `session`.
    pub fn mark(&self, client: &str, session: &str) -> Mark {
        let mut hash = Sha256::new();
        hash.update(self.key);
        for part in [client, session] {
            hash.update((part.len() as u64).to_be_bytes());
            hash.update(part);
        }
        let hash = hash.finalize();
        let mark = Mark::new(u32::from_be_bytes([hash[0], hash[1], hash[2], hash[3]]));
        let mut marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        if marks.len() >= MOST_MARKS {
            marks.clear();
        }
        marks.entry(mark).or_insert_with(|| format!("{client} in {session}"));
        mark
    }

    /// Whose reading `text` was carried out of: `client in session`, for the
    /// first watermark of ours in it that is not of the client `but`.
    pub fn marked(&self, text: &str, but: &str) -> Option<String> {
        let known = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        if known.is_empty() {
            return None;
        }
        let is_own =
            |whose: &String| whose.strip_prefix(but).is_some_and(|rest| rest.starts_with(" in "));
        let found = marks(text);
        let whose = found.iter().filter_map(|mark| known.get(mark));
        whose.into_iter().find(|whose| !is_own(whose)).cloned()
    }

    /// Counts an answer with page-derived content.
    pub fn count(&self, guarded: &Guarded, raw: bool) {
        if !guarded.derived {
            return;
        }
        let counter = if raw { &self.raw } else { &self.guarded };
        counter.fetch_add(1, Ordering::Relaxed);
        if !guarded.findings.is_empty() {
            self.warned.fetch_add(1, Ordering::Relaxed);
        }
    }

    /// Counts what was left out because no person sees it.
    pub fn count_unseen(&self, unseen: &BTreeMap<String, u32>) {
        if unseen.is_empty() {
            return;
        }
        let mut counts = self.unseen.lock().unwrap_or_else(PoisonError::into_inner);
        for (means, count) in unseen {
            *counts.entry(means.clone()).or_default() += u64::from(*count);
        }
    }

    /// Has the next answer of `session` say a warning that came too late.
    pub fn tell_late(&self, session: &str, warning: String) {
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        if late.len() >= MOST_SESSIONS && !late.contains_key(session) {
            return;
        }
        let waiting = late.entry(session.to_owned()).or_default();
        if waiting.len() < MOST_LATE && !waiting.contains(&warning) {
            waiting.push(warning);
        }
    }

    /// The warnings that came too late for `session`, once.
    pub fn take_late(&self, session: &str) -> Vec<String> {
        let mut late = self.late.lock().unwrap_or_else(PoisonError::into_inner);
        late.remove(session).unwrap_or_default()
    }

    /// What was counted so far, by name.
    pub fn counts(&self) -> Vec<(String, u64)> {
        let read = |counter: &AtomicU64| counter.load(Ordering::Relaxed);
        let unseen = self.unseen.lock().unwrap_or_else(PoisonError::into_inner);
        let mut counts = vec![
            ("answers guarded".to_owned(), read(&self.guarded)),
            ("answers raw".to_owned(), read(&self.raw)),
            ("answers warned of".to_owned(), read(&self.warned)),
        ];
        counts.extend(unseen.iter().map(|(means, count)| (format!("hidden by {means}"), *count)));
        counts
    }
}

impl Layers {
    /// The names of those that are off.
    pub fn off(self) -> Vec<&'static str> {
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
        let watch = Watch::new(Layers::default());
        let text = watch.mark("ada", "work").put("A sentence. Another one.");
        assert_eq!(watch.marked(&text, "bob").as_deref(), Some("ada in work"));
        assert_eq!(watch.marked(&text, "ad").as_deref(), Some("ada in work"));
        assert_eq!(watch.marked(&text, "ada"), None);
        assert_eq!(watch.marked("A sentence.", "bob"), None);
        let both = format!("{text} {}", watch.mark("bob", "work").put("More."));
        assert_eq!(watch.marked(&both, "ada").as_deref(), Some("bob in work"));
        assert_ne!(watch.mark("ada", "work"), watch.mark("adaw", "ork"));
        let other = Watch::new(Layers::default());
        other.mark("ada", "work");
        assert_eq!(other.marked(&text, "bob"), None);
    }

    #[test]
    fn late_warnings_are_told_once_to_their_session() {
        let watch = Watch::new(Layers::default());
        for _ in 0..2 {
            watch.tell_late("work", "one".to_owned());
        }
        assert!(watch.take_late("other").is_empty());
        assert_eq!(watch.take_late("work"), ["one"]);
        assert!(watch.take_late("work").is_empty());
    }

    #[test]
    fn counts_tell_raw_from_guarded() {
        let watch = Watch::new(Layers::default());
        let derived = Guarded { derived: true, ..Guarded::default() };
        watch.count(&derived, true);
        watch.count(&derived, false);
        watch.count(&Guarded::default(), false);
        let counts = watch.counts();
        assert_eq!(counts[0], ("answers guarded".to_owned(), 1));
        assert_eq!(counts[1], ("answers raw".to_owned(), 1));
    }
}
