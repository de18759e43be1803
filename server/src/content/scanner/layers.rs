//! The classifiers that there are, as one thing that looks at a text.

use browse_guard::{Scores, classify, model_name};

use super::{Switch, cache::Entry};

/// The classifiers.
#[derive(Debug)]
pub(super) struct Layers {
    switch: Switch,
}

impl Layers {
    pub fn new(switch: Switch) -> Self {
        Self { switch }
    }

    /// Whether nothing looks.
    pub fn are_off(&self) -> bool {
        self.switch == Switch::Off
    }

    /// Which model is built in.
    pub fn model(&self) -> String {
        model_name()
    }

    /// Has the built-in layer look at `text`. Takes as long as it takes.
    pub fn look(&self, text: &str) -> Entry {
        let judged = classify(text);
        let worst = (!judged.worst.is_empty()).then_some((judged.worst.start, judged.worst.end));
        let scores = Scores { content: Some(judged.score), ..Scores::default() };
        Entry { scores, worst, ..Entry::default() }
    }
}
