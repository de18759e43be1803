//! How a skill comes to be, changes and goes: each command leaves the old state
//! or the new one, whenever it is cut off.

mod commit;
mod discard;
mod errors;
mod remove;
mod stage;
mod staging;
mod test;
mod upgrade;

pub use commit::{commit, commit_skill};
pub use discard::discard_skill;
pub use errors::already_exists;
pub use remove::remove_skill;
pub use stage::stage_skill;
pub use test::test_skill;
pub use upgrade::upgrade_skill;
