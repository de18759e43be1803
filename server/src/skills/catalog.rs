//! Finds skills: the folders of the tiers, read once and again when they
//! change. A watcher says when; a stat of each folder and manifest catches what
//! a watcher missed.

mod folder_watcher;
mod path_stamp;

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use browse_proto::Reason;

use super::{skill::Skill, tier::Tier};
use browse_base::{Error, Result};
use folder_watcher::FolderWatcher;
use path_stamp::PathStamp;

/// The skills of a daemon.
pub struct Catalog {
    tiers: Vec<(Tier, PathBuf)>,
    cache: Mutex<CatalogCache>,
    watcher: FolderWatcher,
}

#[derive(Default)]
struct CatalogCache {
    stamps: Vec<PathStamp>,
    skills: Arc<Vec<Skill>>,
}

impl Catalog {
    /// The skills in these folders, those before shadowing those behind.
    pub fn new(tiers: Vec<(Tier, PathBuf)>) -> Self {
        Self { tiers, cache: Mutex::default(), watcher: FolderWatcher::new() }
    }

    /// Every skill of every tier, as it is now, shadowed ones included.
    pub fn all(&self) -> Arc<Vec<Skill>> {
        let mut seen = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let changed = self.watcher.take_change();
        if changed || seen.stamps.is_empty() || seen.stamps.iter().any(PathStamp::has_changed) {
            *seen = self.walk();
            self.watcher.watch_only(
                seen.stamps.iter().filter(|stamp| stamp.is_folder()).map(PathStamp::path),
            );
        }
        Arc::clone(&seen.skills)
    }

    /// The skills as the watcher knows them: no file is touched while nothing
    /// changes.
    pub fn cached(&self) -> Arc<Vec<Skill>> {
        if self.watcher.is_quiet() {
            let seen = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
            if !seen.stamps.is_empty() {
                return Arc::clone(&seen.skills);
            }
        }
        self.all()
    }

    /// The skills of one tier, or, of all, those that no other shadows.
    pub fn list(&self, tier: Option<Tier>) -> Vec<Skill> {
        unshadowed(&self.all(), tier)
    }

    /// The skill `name`.
    ///
    /// # Errors
    /// `SKILL_NOT_FOUND`.
    pub fn find(&self, name: &str, tier: Option<Tier>) -> Result<Skill> {
        let skills = self.all();
        let found = skills
            .iter()
            .find(|skill| skill.name == name && tier.is_none_or(|tier| skill.tier == tier));
        found.cloned().ok_or_else(|| Self::missing(name, tier))
    }

    /// The tier of a skill of the same name that `skill` stands before, if any.
    pub fn shadowed_tier(&self, skill: &Skill) -> Option<Tier> {
        let skills = self.all();
        let same = skills.iter().filter(|other| other.name == skill.name);
        same.map(|other| other.tier).find(|tier| *tier != skill.tier)
    }

    /// `SKILL_NOT_FOUND`.
    pub fn missing(name: &str, tier: Option<Tier>) -> Error {
        let place = tier.map_or(String::new(), |tier| format!(" in the {} tier", tier.name()));
        let message = format!("there is no skill `{}`{place}", name.escape_debug());
        Error::new(Reason::SkillNotFound, message).with("skill", name.escape_debug())
    }

    fn walk(&self) -> CatalogCache {
        let mut stamps = Vec::new();
        let mut skills = Vec::new();
        for (tier, folder) in &self.tiers {
            stamps.push(PathStamp::folder(folder));
            for path in skill_folders(folder) {
                stamps.push(PathStamp::folder(&path));
                stamps.push(PathStamp::file(&path.join("SKILL.md")));
                skills.push(Skill::read(*tier, path));
            }
        }
        CatalogCache { stamps, skills: Arc::new(skills) }
    }
}

/// Those of one tier, or of all tiers the first of each name, by name.
pub fn unshadowed(skills: &[Skill], tier: Option<Tier>) -> Vec<Skill> {
    let mut listed: Vec<Skill> = Vec::new();
    for skill in skills.iter().filter(|skill| tier.is_none_or(|tier| skill.tier == tier)) {
        if !listed.iter().any(|other| other.name == skill.name) {
            listed.push(skill.clone());
        }
    }
    listed.sort_by(|a, b| a.name.cmp(&b.name));
    listed
}

/// The folders in a tier, sorted; those that begin with a dot are not skills.
fn skill_folders(tier: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(tier) else { return Vec::new() };
    let visible = |path: &PathBuf| {
        path.file_name().is_some_and(|name| !name.to_string_lossy().starts_with('.'))
    };
    let mut folders: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    folders.retain(|path| visible(path) && path.is_dir());
    folders.sort();
    folders
}

#[cfg(test)]
mod tests;
