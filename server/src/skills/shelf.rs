//! What the daemon knows about skills.

use std::path::{Path, PathBuf};

use browse_proto::Reason;

use super::{
    catalog::Catalog,
    checks::Checks,
    drafts::Drafts,
    hashes::Hashes,
    nudge::Nudges,
    process::Spares,
    record::Recordings,
    runtime::Programs,
    sandbox::{Sandbox, Wanted},
    skill::Skill,
    store::sweep,
    tier::{Places, Tier},
    trust::Trust,
};
use crate::error::{Error, Result};

/// The skills of a daemon, with what is remembered about them.
pub struct Skills {
    catalog: Catalog,
    hashes: Hashes,
    trust: Trust,
    checks: Checks,
    programs: Programs,
    drafts: Drafts,
    tiers: Vec<(Tier, PathBuf)>,
    sandbox: Sandbox,
    cache: PathBuf,
    recordings: Recordings,
    nudges: Nudges,
    spares: Spares,
}

impl Skills {
    /// The skills in these places.
    pub fn new(places: &Places, wanted: Wanted) -> Self {
        let (tiers, cache) = (places.tiers(), places.home.join("cache"));
        Self {
            catalog: Catalog::new(tiers.clone()),
            hashes: Hashes::default(),
            trust: Trust::new(&places.home),
            checks: Checks::new(&places.home),
            programs: Programs::new(&cache),
            drafts: Drafts::new(&places.home),
            sandbox: Sandbox::new(wanted),
            tiers,
            cache,
            recordings: Recordings::default(),
            nudges: Nudges::default(),
            spares: Spares::default(),
        }
    }

    /// Removes what commands of dead daemons left behind, beside other work.
    pub fn sweep(&self) {
        let drafts = self.drafts.path().to_owned();
        let written = self.tiers.iter().filter(|(tier, _)| *tier != Tier::Bundled);
        let tiers: Vec<_> = written.map(|(_, folder)| folder.clone()).collect();
        std::thread::spawn(move || sweep::sweep(&drafts, &tiers));
    }

    /// The drafts of skills to be.
    pub(super) fn drafts(&self) -> &Drafts {
        &self.drafts
    }

    /// The folder of a tier.
    pub(super) fn folder(&self, tier: Tier) -> &Path {
        let found = self.tiers.iter().find(|(other, _)| *other == tier);
        found.map_or(Path::new("."), |(_, folder)| folder)
    }

    /// Which skills there are.
    pub(super) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Which of them are trusted.
    pub(super) fn trust(&self) -> &Trust {
        &self.trust
    }

    /// When they were checked.
    pub(super) fn checks(&self) -> &Checks {
        &self.checks
    }

    /// Where runtimes are.
    pub(super) fn programs(&self) -> &Programs {
        &self.programs
    }

    /// What untrusted skills are held to.
    pub fn sandbox(&self) -> &Sandbox {
        &self.sandbox
    }

    /// Who waits for the next run.
    pub(super) fn spares(&self) -> &Spares {
        &self.spares
    }

    /// Where translations and builds are kept.
    pub(super) fn cache(&self) -> &Path {
        &self.cache
    }

    /// Who drives a host for long without a skill.
    pub fn nudges(&self) -> &Nudges {
        &self.nudges
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
