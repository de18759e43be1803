//! The classifiers that the user adds to the one that is built in: one from a
//! folder, run by a program of its own, and a language model behind an address.

mod catalogue;
mod install;
mod plan;
mod program;
mod second;
mod transcript;
mod wheel;
mod work;

pub use catalogue::USUAL;
pub use install::{Installed, install};
pub use plan::{ModelSettings, Plan};
pub use second::{Second, SecondStatus, State};
pub use transcript::{Key, Shape, Transcript, TranscriptSettings, TranscriptStatus};
