//! A skill as it was found: its folder, and what its manifest says or lacks.

use std::ops::Deref;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use browse_proto::Reason;

use super::{
    manifest,
    manifest::SkillManifest,
    runtime::{self, Runtime},
    skill_folder::{MAX_PROBLEM_CHARS, SkillFolder},
    tier::Tier,
};
use browse_base::{Error, Result};
use browse_content::clean_line;

/// Largest SKILL.md that is read.
pub const MAX_SKILL_MD_BYTES: u64 = 256 * 1024;

/// A skill: its folder, and what was found there.
#[derive(Clone, Debug)]
pub struct Skill {
    place: SkillFolder,
    contents: Result<Arc<SkillContents>, SkillProblem>,
}

impl Deref for Skill {
    type Target = SkillFolder;

    fn deref(&self) -> &SkillFolder {
        &self.place
    }
}

/// A skill that can run.
#[derive(Clone, Debug)]
pub struct SkillContents {
    /// What it says about itself.
    pub manifest: SkillManifest,
    /// What its program runs on.
    pub runtime: &'static dyn Runtime,
    /// The prose of its SKILL.md.
    pub prose: String,
}

/// Why a skill cannot run.
#[derive(Clone, Debug)]
struct SkillProblem {
    file: PathBuf,
    text: String,
}

impl Skill {
    /// Reads the skill in `folder`.
    pub fn read(tier: Tier, folder: PathBuf) -> Self {
        Self::read_at(SkillFolder::new(tier, folder))
    }

    /// Reads the skill `name` in `folder`, which may be called otherwise.
    pub fn read_as(tier: Tier, folder: PathBuf, name: String) -> Self {
        Self::read_at(SkillFolder { name, tier, display_path: folder.clone(), folder })
    }

    /// Reads the skill in this place.
    pub fn read_at(place: SkillFolder) -> Self {
        let contents = SkillContents::read(&place.folder, &place.name).map(Arc::new);
        Self { place, contents }
    }

    /// What it consists of.
    ///
    /// # Errors
    /// `SKILL_INVALID`.
    pub fn contents(&self) -> Result<Arc<SkillContents>> {
        self.contents.clone().map_err(|problem| {
            let message = format!("the skill `{}` cannot run: {}", self.name, problem.text);
            Error::new(Reason::SkillInvalid, message)
                .with("skill", &self.name)
                .with("file", problem.file.display())
        })
    }

    /// What is wrong with it, for a listing.
    pub fn problem(&self) -> Option<&str> {
        self.contents.as_ref().err().map(|problem| problem.text.as_str())
    }
}

impl SkillContents {
    fn read(folder: &Path, name: &str) -> Result<Self, SkillProblem> {
        let file = folder.join("SKILL.md");
        // What it quotes of the file is the file's: on one line, and not without end.
        let wrong = |text: String| SkillProblem {
            file: file.clone(),
            text: clean_line(&text, MAX_PROBLEM_CHARS),
        };
        check_links(folder)?;
        let text = read_text(&file).map_err(wrong)?;
        let in_file = |problem: String| wrong(format!("its SKILL.md {problem}"));
        let (yaml, prose) = manifest::split_frontmatter(&text).map_err(in_file)?;
        let manifest = SkillManifest::read(yaml, name).map_err(in_file)?;
        let runtime = runtime::detect(folder).ok_or_else(|| SkillProblem {
            file: folder.to_owned(),
            text: "it has no program: script.ts, script.py, Cargo.toml with src/main.rs, or run"
                .to_owned(),
        })?;
        Ok(Self { manifest, runtime, prose: prose.to_owned() })
    }
}

/// A link leads to what may change without the skill changing.
fn check_links(folder: &Path) -> Result<(), SkillProblem> {
    for (path, what) in
        [(folder.to_owned(), "its folder"), (folder.join("SKILL.md"), "its SKILL.md")]
    {
        if path.is_symlink() {
            return Err(SkillProblem { file: path, text: format!("{what} is a symbolic link") });
        }
    }
    Ok(())
}

fn read_text(file: &Path) -> Result<String, String> {
    let meta = std::fs::metadata(file).map_err(|_| "it has no SKILL.md".to_owned())?;
    if !meta.is_file() {
        return Err("its SKILL.md is not a plain file".to_owned());
    }
    if meta.len() > MAX_SKILL_MD_BYTES {
        return Err("its SKILL.md is larger than 256 KiB".to_owned());
    }
    std::fs::read_to_string(file).map_err(|error| format!("its SKILL.md cannot be read: {error}"))
}
