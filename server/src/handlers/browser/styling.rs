//! Styling: how elements look, why, and changing it.

mod change;
mod cleanup;
mod computed;
mod inspect;
mod report;

pub use change::{style, undo_style};
pub use cleanup::cleanup;
pub use computed::css;
pub use inspect::inspect;
