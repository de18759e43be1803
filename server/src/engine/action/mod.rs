//! Acting on a page: aim, deliver, prove, and say what changed.

pub mod check;
pub mod click;
pub mod drafts;
pub mod drag;
pub mod mouse;
pub mod receipt;
pub mod scroll;

pub(crate) mod accept;
pub(crate) mod aim;
pub(crate) mod changes;
pub(crate) mod field;
pub(crate) mod follow;
pub(crate) mod keys;
pub(crate) mod later;
pub(crate) mod lay;
pub(crate) mod outcome;
pub(crate) mod place;
pub(crate) mod proof;
pub(crate) mod upload;
