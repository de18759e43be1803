//! Makes a skill of what a session did.
//!
//! The dispatcher notes each call of a session that is recorded ([`Note`]). What
//! led to the last result ([`path`]) becomes a program in no language
//! ([`plan`]), then one in the language that is asked for ([`code`]).

mod note;
mod recordings;
mod secrecy;
mod step;

mod path;
mod rewrite;
mod tabs;

mod inputs;
mod plan;
mod shape;

mod code;
mod fixture;
mod manual;
mod words;

mod handlers;
mod place;
mod replay;
mod save;

pub use fixture::{Notes, Page, Reading, Used};
pub use handlers::{show_skill_record, start_skill_record, stop_skill_record};
pub use note::Note;
pub use recordings::Recordings;
pub use save::save_skill_record;
pub use shape::Shape;

#[cfg(test)]
mod tests;
