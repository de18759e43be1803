//! Where skills live: three places, the first hit wins.

use std::path::{Path, PathBuf};

use browse_proto::v1;

/// A place of skills.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Tier {
    /// `<project>/.browse/skills`.
    Project,
    /// `$BROWSE_HOME/skills`.
    Global,
    /// Shipped with browse; never written to.
    Bundled,
}

impl Tier {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Project => "project",
            Self::Global => "global",
            Self::Bundled => "bundled",
        }
    }

    /// The tier that a request names; none when it names none.
    pub fn from_request(tier: i32) -> Option<Self> {
        match v1::Tier::try_from(tier) {
            Ok(v1::Tier::Project) => Some(Self::Project),
            Ok(v1::Tier::Global) => Some(Self::Global),
            Ok(v1::Tier::Bundled) => Some(Self::Bundled),
            Ok(v1::Tier::Unspecified) | Err(_) => None,
        }
    }

    /// As the contract says it.
    pub fn to_proto(self) -> v1::Tier {
        match self {
            Self::Project => v1::Tier::Project,
            Self::Global => v1::Tier::Global,
            Self::Bundled => v1::Tier::Bundled,
        }
    }
}

/// Where the tiers are.
#[derive(Clone, Debug)]
pub struct SkillPaths {
    /// `<project>/.browse`.
    pub project: PathBuf,
    /// `$BROWSE_HOME`.
    pub home: PathBuf,
    /// The bundled skills, when they are not those beside the program.
    pub bundled: Option<PathBuf>,
}

impl SkillPaths {
    /// The folder of each tier, in the order of search.
    pub fn tiers(&self) -> Vec<(Tier, PathBuf)> {
        let mut tiers = vec![
            (Tier::Project, self.project.join("skills")),
            (Tier::Global, self.home.join("skills")),
        ];
        let program = std::env::current_exe().ok();
        let bundled = self.bundled.clone().or_else(|| bundled_folder(program.as_deref()?));
        tiers.extend(bundled.map(|folder| (Tier::Bundled, folder)));
        tiers
    }
}

/// `browser-skills` of the installation that `program` belongs to: beside it,
/// in its prefix, or in the tree that it was built from.
fn bundled_folder(program: &Path) -> Option<PathBuf> {
    let places = program.ancestors().skip(1).take(4);
    let candidates = places.flat_map(|place| {
        [place.join("browser-skills"), place.join("share/browse/browser-skills")]
    });
    candidates.into_iter().find(|folder| folder.is_dir())
}

#[cfg(test)]
mod tests {
    use super::bundled_folder;

    #[test]
    fn the_bundled_skills_of_a_build_are_those_of_its_tree() {
        let root = tempfile::tempdir().expect("a folder");
        let skills = root.path().join("browser-skills");
        std::fs::create_dir_all(&skills).expect("made");
        assert_eq!(bundled_folder(&root.path().join("target/debug/browsed")), Some(skills));
        assert_eq!(bundled_folder(&root.path().join("a/b/c/d/browsed")), None);
    }

    #[test]
    fn an_installation_has_them_in_its_prefix() {
        let root = tempfile::tempdir().expect("a folder");
        let skills = root.path().join("share/browse/browser-skills");
        std::fs::create_dir_all(&skills).expect("made");
        assert_eq!(bundled_folder(&root.path().join("bin/browsed")), Some(skills));
    }
}
