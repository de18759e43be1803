//! Skills: programs that drive the browser as child processes.
//!
//! A skill is a folder with a manifest, a program and the SDK that it was
//! written for. It runs with a token of its own, which is good for the hosts of
//! its manifest and dies with it.

mod arguments;
mod catalog;
mod check;
mod check_history;
mod drafts;
mod environment;
mod hash;
mod hash_cache;
mod manifest;
mod matching;
pub(crate) mod process;
mod progress;
pub mod record;
mod runtime;
mod sandbox;
mod scaffold;
mod sdk;
mod skill;
mod skill_hints;
mod skill_name;
mod snapshot;
mod store;
pub mod supervisor;
mod test_runner;
mod tier;
mod trust_store;
mod typescript;

mod handlers;
mod lifecycle;
mod run;

mod service;
mod suggest;

pub use check::check_skills;
pub use environment::caller_environment as environment_of_caller;
pub use handlers::{list_skills, show_skill, trust_skill};
pub use lifecycle::{
    commit_skill, discard_skill, remove_skill, stage_skill, test_skill, upgrade_skill,
};
pub use record::{save_skill_record, show_skill_record, start_skill_record, stop_skill_record};
pub use run::run_skill;
pub use sandbox::{SandboxMode, SkillSocket};
pub use service::Skills;
pub use suggest::MatchingSkill;
pub use tier::{SkillPaths, Tier};
pub use typescript::{ERASE_TYPES_FLAG, run_erase_process};
