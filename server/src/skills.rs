//! Skills: programs that drive the browser as child processes.
//!
//! A skill is a folder with a manifest, a program and the SDK that it was
//! written for. It runs with a token of its own, which is good for the hosts of
//! its manifest and dies with it.

mod arguments;
mod catalog;
mod check;
mod checks;
mod drafts;
mod environment;
mod events;
mod hash;
mod hashes;
mod manifest;
mod matching;
mod names;
mod nudge;
pub(crate) mod process;
pub mod record;
mod runtime;
mod sandbox;
mod scaffold;
mod sdk;
mod skill;
mod snapshot;
mod store;
pub mod supervisor;
mod tier;
mod trial;
mod trust;
mod typescript;

mod handlers;
mod lifecycle;
mod run;

mod shelf;
mod suggest;

pub use check::check_skills;
pub use environment::of_caller as environment_of_caller;
pub use handlers::{list_skills, show_skill, trust_skill};
pub use lifecycle::{
    commit_skill, discard_skill, remove_skill, stage_skill, test_skill, upgrade_skill,
};
pub use record::{save_skill_record, show_skill_record, start_skill_record, stop_skill_record};
pub use run::run_skill;
pub use sandbox::{Door, Wanted};
pub use shelf::Skills;
pub use suggest::Fitting;
pub use tier::{Places, Tier};
