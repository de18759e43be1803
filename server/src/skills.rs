//! Skills: programs that drive the browser as child processes.
//!
//! A skill is a folder with a manifest, a program and the SDK that it was
//! written for. It runs with a token of its own, which is good for the hosts of
//! its manifest and dies with it. The modules stand from the highest layer down.

mod service;
mod suggest;

mod skill_hints;

pub(crate) mod check_history;
pub mod record;

mod hash_cache;
pub(crate) mod matching;
mod trust_store;

pub(crate) mod skill_diff;
mod trusted_copies;

mod catalog;
pub(crate) mod scaffold;

pub(crate) mod skill;

pub(crate) mod program;
pub(crate) mod progress;
pub(crate) mod runtime;

pub(crate) mod sdk;

pub(crate) mod arguments;
pub(crate) mod manifest;
pub(crate) mod skill_folder;
pub(crate) mod snapshot;

pub(crate) mod drafts;
pub(crate) mod sweep;

pub(crate) mod skill_content;

pub(crate) mod hash;
pub(crate) mod skill_name;
pub(crate) mod store;
pub(crate) mod tier;
mod visible_text;

pub(crate) mod process;
pub(crate) mod sandbox;

mod confinement;
pub mod supervisor;

pub(crate) mod environment;
pub(crate) mod process_plan;

pub use catalog::Catalog;
pub use environment::caller_environment as environment_of_caller;
pub use sandbox::{SandboxMode, SkillSocket};
pub use service::Skills;
pub use skill_folder::SkillFolder;
pub use suggest::MatchingSkill;
pub use tier::{SkillPaths, Tier};
