//! Real input events, on the main session of the tab.

pub(crate) mod drag;
pub(crate) mod file_chooser;
pub(crate) mod geometry;
pub(crate) mod keyboard;
pub(crate) mod keys;
pub(crate) mod layout;
pub(crate) mod mouse;
pub(crate) mod touch;
