//! The handlers of DomainSkillService: notes on hosts, and the library of them.

mod context;
mod domain_skills;
mod library;

pub use context::get_context;
pub use domain_skills::{
    edit_domain_skill, list_domain_skills, promote_domain_skill, remove_domain_skill,
    roll_back_domain_skill, save_domain_skill, show_domain_skill,
};
pub use library::{list_library, refresh_library, show_library_note};
