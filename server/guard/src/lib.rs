//! What the daemon knows about text that an anonymous caller wrote.
//!
//! Pure functions, without a browser and without the contract, so that they
//! can be trained, measured and fuzzed by themselves. The daemon calls them at
//! its one chokepoint for page-derived content.

mod clean;
mod collectors;
mod datamark;
pub mod egress;
mod markup;
mod match_window;
pub mod onnx_classifier;
mod patterns;

mod classifier;
mod normalise;

mod verdict;

pub use classifier::{Classification, classify, model_name, model_size};
pub use clean::{clean, clean_line};
pub use collectors::{COLLECTORS, find_collectors};
pub use datamark::{Datamark, find_datamarks};
pub use markup::{extract_text, is_markup};
pub use normalise::normalise;
pub use patterns::{InjectionKind, PhraseMatch, find_phrases};
pub use verdict::{
    BLOCK_THRESHOLD, ContentSurface, Judgement, LOG_THRESHOLD, SOLO_BLOCK_THRESHOLD, Scores,
    Verdict, VerdictRule, WARN_THRESHOLD, decide_verdict, is_uncertain,
};

/// What the training of the classifier needs.
pub mod training {
    pub use crate::classifier::{PartFeatures, page_features, signal_names, text_features};
}
