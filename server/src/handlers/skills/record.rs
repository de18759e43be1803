//! Records a session, and writes a skill from the recording or from a trace.

mod recording;

mod draft_writer;
mod replay;
mod save;
mod source;

pub use recording::{show_skill_record, start_skill_record, stop_skill_record};
pub use save::save_skill_record;

#[cfg(test)]
mod tests;
