//! What these commands fail with.

use std::path::Path;

use browse_proto::Reason;

use crate::skills::{
    drafts::unwritable_error,
    skill::Skill,
    store::{OpenFolder, copy::CopyError},
    tier::Tier,
};
use browse_base::Error;

/// A folder that cannot be copied.
pub fn copy_error(from: &OpenFolder, error: CopyError) -> Error {
    match error {
        CopyError::Refused { file, problem } => {
            let shown = file.to_string_lossy().escape_debug().to_string();
            Error::new(Reason::DraftRefused, format!("`{shown}` {problem}"))
                .with("file", from.path().join(file).display())
        }
        CopyError::Io { file, error } => unwritable_error(&from.path().join(file), &error),
    }
}

/// A link in the place of a folder.
pub fn symlink_error(path: &Path) -> Error {
    let message = format!("`{}` is a symbolic link, which is not followed", path.display());
    Error::new(Reason::SkillPlaceLinked, message).with("path", path.display())
}

/// The name is taken.
pub fn already_exists(name: &str, tier: Tier) -> Error {
    let message = format!("there is a skill `{name}` in the {} tier", tier.name());
    Error::new(Reason::SkillExists, message).with("skill", name).with("tier", tier.name())
}

/// Somebody wrote meanwhile.
pub fn changed(name: &str) -> Error {
    let message = format!("the skill `{name}` was written to meanwhile");
    Error::new(Reason::SkillChanged, message).with("skill", name)
}

/// It belongs to the installation.
pub fn read_only(skill: &Skill) -> Error {
    let message = format!("the skill `{}` is bundled", skill.name);
    Error::new(Reason::SkillReadOnly, message)
        .with("skill", &skill.name)
        .with("path", skill.folder.display())
}
