//! The classifiers that there are, as one thing that looks at a text.

use browse_guard::{Scores, classify, model_name};

use super::{ClassifierSwitch, cache::ScanResult};

/// The classifiers.
#[derive(Debug)]
pub(super) struct BuiltinClassifier {
    switch: ClassifierSwitch,
}

impl BuiltinClassifier {
    pub fn new(switch: ClassifierSwitch) -> Self {
        Self { switch }
    }

    /// Whether nothing looks.
    pub fn is_off(&self) -> bool {
        self.switch == ClassifierSwitch::Off
    }

    /// Which model is built in.
    pub fn model(&self) -> String {
        model_name()
    }

    /// Has the built-in layer look at `text`. Takes as long as it takes.
    pub fn scan(&self, text: &str) -> ScanResult {
        let judged = classify(text);
        let worst = (!judged.worst_range.is_empty())
            .then_some((judged.worst_range.start, judged.worst_range.end));
        let scores = Scores { builtin: Some(judged.score), ..Scores::default() };
        ScanResult { scores, worst_range: worst, ..ScanResult::default() }
    }
}
