//! Edits JSON files of others at one place: every other byte stays as it is, comments and
//! formatting included.

mod edit;
mod scan;
mod style;

#[cfg(test)]
mod tests;

pub use edit::{ItemPlace, existing_item, insert_item, remove_item};
