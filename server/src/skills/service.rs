//! What the daemon knows about skills.

use std::path::{Path, PathBuf};

use browse_proto::Reason;

use super::{
    catalog::Catalog,
    check_history::CheckHistory,
    drafts::DraftStore,
    hash_cache::HashCache,
    process::SpareSupervisors,
    record::Recordings,
    runtime::RuntimeFinder,
    sandbox::{SandboxMode, SkillSandbox},
    skill::Skill,
    skill_hints::SkillHints,
    sweep,
    tier::{SkillPaths, Tier},
    trust_store::TrustStore,
};
use crate::fleet_relay::FleetRuns;
use browse_base::{Error, Result};

/// The skills of a daemon, with what is remembered about them.
pub struct Skills {
    catalog: Catalog,
    hashes: HashCache,
    trust: TrustStore,
    checks: CheckHistory,
    programs: RuntimeFinder,
    drafts: DraftStore,
    tiers: Vec<(Tier, PathBuf)>,
    sandbox: SkillSandbox,
    cache: PathBuf,
    recordings: Recordings,
    hints: SkillHints,
    spare_supervisors: SpareSupervisors,
    fleet_runs: FleetRuns,
}

impl Skills {
    /// The skills in these places.
    pub fn new(places: &SkillPaths, wanted: SandboxMode) -> Self {
        let (tiers, cache) = (places.tiers(), places.home.join("cache"));
        Self {
            catalog: Catalog::new(tiers.clone()),
            hashes: HashCache::default(),
            trust: TrustStore::new(&places.home),
            checks: CheckHistory::new(&places.home),
            programs: RuntimeFinder::new(&cache),
            drafts: DraftStore::new(&places.home),
            sandbox: SkillSandbox::new(wanted),
            tiers,
            cache,
            recordings: Recordings::default(),
            hints: SkillHints::default(),
            spare_supervisors: SpareSupervisors::default(),
            fleet_runs: FleetRuns::default(),
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
    pub(crate) fn drafts(&self) -> &DraftStore {
        &self.drafts
    }

    /// The folder of a tier.
    pub(crate) fn tier_folder(&self, tier: Tier) -> &Path {
        let found = self.tiers.iter().find(|(other, _)| *other == tier);
        found.map_or(Path::new("."), |(_, folder)| folder)
    }

    /// Which skills there are.
    pub(crate) fn catalog(&self) -> &Catalog {
        &self.catalog
    }

    /// Which of them are trusted.
    pub(crate) fn trust(&self) -> &TrustStore {
        &self.trust
    }

    /// When they were checked.
    pub(crate) fn checks(&self) -> &CheckHistory {
        &self.checks
    }

    /// Where runtimes are.
    pub(crate) fn programs(&self) -> &RuntimeFinder {
        &self.programs
    }

    /// What untrusted skills are held to.
    pub fn sandbox(&self) -> &SkillSandbox {
        &self.sandbox
    }

    /// Who waits for the next run.
    pub(crate) fn spare_supervisors(&self) -> &SpareSupervisors {
        &self.spare_supervisors
    }

    /// The runs that drive the browser of a fleet.
    pub(crate) fn fleet_runs(&self) -> &FleetRuns {
        &self.fleet_runs
    }

    /// Where translations and builds are kept.
    pub(crate) fn cache(&self) -> &Path {
        &self.cache
    }

    /// Who drives a host for long without a skill.
    pub fn hints(&self) -> &SkillHints {
        &self.hints
    }

    /// What is recorded, to become a skill.
    pub fn recordings(&self) -> &Recordings {
        &self.recordings
    }

    /// The content hash of a skill, as it is now.
    ///
    /// # Errors
    /// `SKILL_INVALID`: a file cannot be read, or is not a file.
    pub(crate) fn hash(&self, skill: &Skill) -> Result<String> {
        self.hashes.get(&skill.folder).map_err(|error| {
            let message = format!("the skill `{}` cannot be read: {error}", skill.name);
            Error::new(Reason::SkillInvalid, message)
                .with("skill", &skill.name)
                .with("file", skill.folder.display())
        })
    }

    /// Whether the skill is trusted as it is now.
    pub(crate) fn is_trusted(&self, skill: &Skill) -> bool {
        self.hash(skill).is_ok_and(|hash| self.trust.is_trusted(skill, &hash))
    }
}
