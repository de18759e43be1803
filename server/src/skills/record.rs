//! Makes a skill of what a session did.
//!
//! The dispatcher notes each call of a session that is recorded ([`Note`]). What
//! led to the last result ([`path`]) becomes a program in no language
//! ([`plan`]), then one in the language that is asked for ([`code`]).

mod recorder;
mod recordings;
mod secret_detection;
mod step;

mod overwrite;
mod slice;
mod tabs;

mod inputs;
mod plan;
mod result_shape;

mod code;
mod fixture;
mod self_description;
mod skill_md;

mod draft_writer;
mod handlers;
mod replay;
mod save;

pub use fixture::{FixtureNotes, RecordedPage, RecordedRead, UsedTarget};
pub use handlers::{show_skill_record, start_skill_record, stop_skill_record};
pub use recorder::CallRecorder;
pub use recordings::Recordings;
pub use result_shape::ResultShape;
pub use save::save_skill_record;

#[cfg(test)]
mod tests;
