//! What the daemon knows about skills.

use std::path::{Path, PathBuf};

use browse_proto::Reason;

use super::{
    catalog::Catalog, hashes::Hashes, record::Recordings, runtime::Programs, skill::Skill, tier::Places, trust::Trust,
};
use crate::error::{Error, Result};

/// The skills of a daemon, with what is remembered about them.
pub struct Skills {
    catalog: Catalog,
    hashes: Hashes,
    trust: Trust,
    programs: Programs,
    cache: PathBuf,
    recordings: Recordings,
}

impl Skills {
    /// The skills in these places.
    pub fn new(places: &Places) -> Self {
        Self {
            catalog: Catalog::new(places.tiers()),
            hashes: Hashes::default(),
            trust: Trust::new(&places.home),
            programs: Programs::default(),
            cache: places.home.join("cache"),
            recordings: Recordings::default(),
        }
    }

    /// Which skills there are.
    pub(super) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Which of them are trusted.
    pub(super) fn trust(&self) -> &Trust {
        &self.trust
    }

    /// Where runtimes are.
    pub(super) fn programs(&self) -> &Programs {
        &self.programs
    }

    /// Where translations and builds are kept.
    pub(super) fn cache(&self) -> &Path {
        &self.cache
    }

    /// What is recorded, to become a skill.
    pub fn recordings(&self) -> &Recordings {
        &self.recordings
    }

    /// The content hash of a skill, as it is now.
    ///
    /// # Errors
    /// `SKILL_INVALID`: a file cannot be read, or is no file.
    pub(super) fn hash(&self, skill: &Skill) -> Result<String> {
        self.hashes.of(&skill.folder).map_err(|error| {
            let message = format!("the skill `{}` cannot be read: {error}", skill.name);
            Error::new(Reason::SkillInvalid, message)
                .with("skill", &skill.name)
                .with("file", skill.folder.display())
        })
    }

    /// Whether the skill is trusted as it is now.
    pub(super) fn is_trusted(&self, skill: &Skill) -> bool {
        self.hash(skill).is_ok_and(|hash| self.trust.holds(skill, &hash))
    }
}
