//! Acting on a page: aim, deliver, prove, and say what changed.

pub mod check;
pub mod click;
pub mod drafts;
pub mod drag;
pub mod mouse;
pub mod prompts;
pub mod receipt;
pub mod scroll;

pub(crate) mod accept;
pub(crate) mod actionability;
pub(crate) mod delayed_effects;
pub(crate) mod delivery;
pub(crate) mod dialog_followup;
pub(crate) mod effects;
pub(crate) mod field;
pub(crate) mod gesture;
pub(crate) mod keys;
pub(crate) mod outcome;
pub(crate) mod screenshot_layout;
pub(crate) mod upload;
