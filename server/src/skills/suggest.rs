//! Skills that fit the page that a tab shows.

use browse_proto::v1;
use url::Url;

use super::{Skills, catalog::unshadowed, skill::Skill};

/// Most skills that one answer suggests.
const MAX_SUGGESTIONS: usize = 5;

impl Skills {
    /// The skills whose host matches `url`, at most five. A skill that cannot
    /// run suggests nothing, and nothing of this fails.
    pub fn suggest(&self, url: &Url) -> Vec<v1::SuggestedSkill> {
        if !matches!(url.scheme(), "http" | "https") {
            return Vec::new();
        }
        let skills = unshadowed(&self.catalog().cached(), None);
        skills.iter().filter_map(|skill| suggestion(skill, url)).take(MAX_SUGGESTIONS).collect()
    }
}

/// A skill that fits a page, for those who read before they act.
pub struct MatchingSkill {
    /// Its name.
    pub name: String,
    /// Its tier.
    pub tier: &'static str,
    /// Hosts that it may visit.
    pub hosts: Vec<String>,
    /// Its version.
    pub version: String,
    /// What it does.
    pub description: String,
    /// SHA-256 of its files.
    pub hash: String,
}

impl Skills {
    /// The skills whose host matches `url`.
    pub fn matching_skills(&self, url: &Url) -> Vec<MatchingSkill> {
        let skills = unshadowed(&self.catalog().all(), None);
        let fits = |skill: &Skill| {
            let manifest = &skill.contents().ok()?.manifest;
            let fits = !manifest.hosts.is_any() && manifest.hosts.allows(url);
            fits.then(|| MatchingSkill {
                name: skill.name.clone(),
                tier: skill.tier.name(),
                hosts: manifest.host_patterns.clone(),
                version: manifest.version.clone(),
                description: manifest.description.clone(),
                hash: self.hash(skill).unwrap_or_default(),
            })
        };
        skills.iter().filter_map(fits).collect()
    }
}

fn suggestion(skill: &Skill, url: &Url) -> Option<v1::SuggestedSkill> {
    let contents = skill.contents().ok()?;
    // What fits every page says nothing of this one.
    let hosts = &contents.manifest.hosts;
    (!hosts.is_any() && hosts.allows(url)).then(|| v1::SuggestedSkill {
        id: skill.name.clone(),
        title: first_sentence(&contents.manifest.description),
        kind: skill.tier.name().to_owned(),
    })
}

fn first_sentence(text: &str) -> String {
    let text = text.lines().next().unwrap_or_default();
    text.split_once(". ").map_or(text.to_owned(), |(first, _)| format!("{first}."))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use url::Url;

    use super::{super::SkillPaths, Skills};

    fn suggested(skills: &Skills, url: &str) -> Vec<String> {
        let found = skills.suggest(&Url::parse(url).expect("a URL"));
        found.iter().map(|skill| format!("{} {} {}", skill.id, skill.kind, skill.title)).collect()
    }

    #[test]
    fn skills_of_the_host_are_suggested() {
        let root = tempfile::tempdir().expect("a folder");
        for (name, host) in [
            ("a", "a.example"),
            ("b", "'*.a.example'"),
            ("c", "'a.example:81'"),
            ("d", "["),
            ("e", "'*'"),
        ] {
            let folder = root.path().join("skills").join(name);
            fs::create_dir_all(&folder).expect("made");
            let text =
                format!("---\nname: {name}\ndescription: Reads it. And more.\nhost: {host}\n---\n");
            fs::write(folder.join("SKILL.md"), text).expect("written");
            fs::write(folder.join("script.py"), "").expect("written");
        }
        let home = root.path().to_owned();
        let skills = Skills::new(
            &SkillPaths { project: "/nowhere".into(), home, bundled: Some("/nowhere".into()) },
            Default::default(),
        );
        assert_eq!(suggested(&skills, "https://a.example/x"), ["a global Reads it."]);
        assert_eq!(suggested(&skills, "https://www.a.example/"), ["b global Reads it."]);
        let both = ["a global Reads it.", "c global Reads it."];
        assert_eq!(suggested(&skills, "http://a.example:81/"), both);
        for url in [
            "about:blank",
            "file:///a.example",
            "https://aa.example/",
            "https://a.example.b.example/",
        ] {
            assert!(suggested(&skills, url).is_empty(), "{url}");
        }
    }
}
