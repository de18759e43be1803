//! What an action is for: refs and the other ways to name an element.

pub mod reference;
#[expect(clippy::module_inception, reason = "the module's main type has the module's name")]
pub mod target;

pub(crate) mod query;
mod role;
