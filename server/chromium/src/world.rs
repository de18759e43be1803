//! Running scripts: in isolated worlds of ours, and in the page's own.

pub(crate) mod argument;
pub(crate) mod contexts;
pub(crate) mod outcome;
#[expect(clippy::module_inception, reason = "the module's main type has the module's name")]
pub(crate) mod world;
