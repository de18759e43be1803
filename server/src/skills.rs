//! Skills: programs that drive the browser as child processes.
//!
//! A skill is a folder with a manifest, a program and the SDK that it was
//! written for. It runs with a token of its own, which is good for the hosts of
//! its manifest and dies with it.

mod arguments;
mod catalog;
mod check;
mod environment;
mod hash;
mod hashes;
mod manifest;
pub mod record;
mod runtime;
mod skill;
pub mod supervisor;
mod tier;
mod trust;
mod typescript;

mod handlers;
mod run;

mod shelf;
mod suggest;

pub use check::check_skills;
pub use handlers::{list_skills, show_skill, trust_skill};
pub use record::{save_skill_record, show_skill_record, start_skill_record, stop_skill_record};
pub use run::run_skill;
pub use shelf::Skills;
pub use tier::{Places, Tier};
