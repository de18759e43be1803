//! What a session did, and the program that repeats it.
//!
//! The dispatcher notes each call of a session that is recorded. A trace keeps the same of its
//! steps ([`step_file`]), so that they become a recording later ([`from_trace`]). What led to the
//! last result ([`slice`]) becomes a program in no language ([`plan`]), which a runtime
//! writes in its own.

mod late_file;
mod recordings;
mod secret_detection;
mod step;

mod from_trace;
mod hidden_fields;
mod step_file;
mod step_ranges;

mod overwrite;
pub(crate) mod slice;
pub(crate) mod tabs;

mod plan;

pub(crate) mod fixture;
pub(crate) mod self_description;
pub(crate) mod skill_md;

pub use fixture::{FixtureNotes, RecordedPage, RecordedRead, UsedTarget};
pub use late_file::LateFile;
pub use recordings::{InitialState, MAX_READS, MAX_STEPS, Recordings, SkillRecording};
pub use secret_detection::{is_secret_free, secret_kind};
pub use step::{PageLocation, RecordedStep, TextField};
pub use step_file::TracedCall;
pub use step_ranges::StepRanges;
