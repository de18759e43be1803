//! What the daemon knows about text that a stranger wrote.
//!
//! Pure functions, without a browser and without the contract, so that they
//! can be trained, measured and fuzzed by themselves. The daemon calls them at
//! its one chokepoint for page-derived content.

mod clean;
mod datamark;
pub mod egress;
mod markup;
mod patterns;
pub mod second;
mod services;
mod window;

mod classifier;
mod normalise;

mod verdict;

pub use classifier::{Judged, classify, model_name, model_size};
pub use clean::{clean, line};
pub use datamark::{Mark, marks};
pub use markup::{is_markup, words};
pub use normalise::normalise;
pub use patterns::{Asks, Hit, phrases};
pub use services::{COLLECTORS, collectors};
pub use verdict::{
    BLOCK, Judgement, LOG_ONLY, Rule, SOLO_CONTENT_BLOCK, Scores, Surface, Verdict, WARN,
    is_uncertain, judge,
};

/// What the training of the classifier needs.
pub mod training {
    pub use crate::classifier::{Features, features, measure, signal_names};
}
