//! Notes on hosts, which agents write and read: a note must earn its way into
//! prompts. And the public collection of such notes.

mod compact;
mod event_row;
mod failpoints;
mod file;
mod host;
mod library;
mod note;
mod safe_files;
mod scan;
mod slug;
mod store;
mod usage_tracker;
mod visits;

mod context;
mod handlers;

mod service;

#[cfg(test)]
mod tests;

pub use context::get_context;
pub use handlers::{
    edit_domain_skill, list_domain_skills, promote_domain_skill, remove_domain_skill,
    roll_back_domain_skill, save_domain_skill, show_domain_skill,
};
pub use library::{LibrarySettings, list_library, refresh_library, show_library_note};
pub use service::NoteService;
