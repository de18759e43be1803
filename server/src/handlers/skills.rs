//! The handlers of SkillService.

mod check;
mod lifecycle;
mod listing;
mod record;
mod run;
mod test_runner;
mod trust;

pub use check::check_skills;
pub use lifecycle::{
    commit_skill, discard_skill, remove_skill, stage_skill, test_skill, upgrade_skill,
};
pub use listing::{list_skills, show_skill};
pub use record::{save_skill_record, show_skill_record, start_skill_record, stop_skill_record};
pub use run::run_skill;
pub use trust::{diff_skill, trust_skill};
