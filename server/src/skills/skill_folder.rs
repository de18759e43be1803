//! Where a skill lies.

use std::path::PathBuf;

use browse_proto::Reason;

use super::tier::Tier;
use browse_base::Error;

/// Characters of what is declared to be wrong with a skill, which may quote its files.
pub const MAX_PROBLEM_CHARS: usize = 400;

/// The folder of a skill, whatever is in it.
#[derive(Clone, Debug)]
pub struct SkillFolder {
    /// Name of the skill.
    pub name: String,
    /// Where it was found.
    pub tier: Tier,
    /// The folder.
    pub folder: PathBuf,
    /// Where its user finds it: the folder, unless that is a copy.
    pub display_path: PathBuf,
}

impl SkillFolder {
    /// The skill in `folder`, by whose name it goes.
    pub fn new(tier: Tier, folder: PathBuf) -> Self {
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self { name, tier, display_path: folder.clone(), folder }
    }

    /// The error for a file of it that cannot be read.
    pub fn unreadable(&self, error: &std::io::Error) -> Error {
        let message = format!("the skill `{}` cannot be read: {error}", self.name);
        Error::new(Reason::SkillInvalid, message)
            .with("skill", &self.name)
            .with("file", self.folder.display())
    }
}
