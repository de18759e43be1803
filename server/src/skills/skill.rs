//! A skill as it was found: its folder, and what its manifest says or lacks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use browse_proto::Reason;

use super::{manifest, manifest::SkillManifest, runtime::RuntimeKind, tier::Tier};
use crate::{
    content::clean_line,
    error::{Error, Result},
};

/// Largest SKILL.md that is read.
pub const MAX_SKILL_MD_BYTES: u64 = 256 * 1024;

/// Characters of what is said to be wrong with a skill, which may quote its files.
pub const MAX_PROBLEM_CHARS: usize = 400;

/// A skill.
#[derive(Clone, Debug)]
pub struct Skill {
    /// Name of its folder.
    pub name: String,
    /// Where it was found.
    pub tier: Tier,
    /// Its folder.
    pub folder: PathBuf,
    /// Where its user finds it: its folder, unless that is a copy.
    pub display_path: PathBuf,
    contents: Result<Arc<SkillContents>, SkillProblem>,
}

/// A skill that can run.
#[derive(Clone, Debug)]
pub struct SkillContents {
    /// What it says about itself.
    pub manifest: SkillManifest,
    /// What its program runs on.
    pub kind: RuntimeKind,
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
        let name = folder.file_name().unwrap_or_default().to_string_lossy().into_owned();
        Self::read_as(tier, folder, name)
    }

    /// Reads the skill `name` in `folder`, which may be called otherwise.
    pub fn read_as(tier: Tier, folder: PathBuf, name: String) -> Self {
        let contents = SkillContents::read(&folder, &name).map(Arc::new);
        Self { name, tier, display_path: folder.clone(), folder, contents }
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
        let kind = RuntimeKind::detect(folder).ok_or_else(|| SkillProblem {
            file: folder.to_owned(),
            text: "it has no program: script.ts, script.py, Cargo.toml with src/main.rs, or run"
                .to_owned(),
        })?;
        Ok(Self { manifest, kind, prose: prose.to_owned() })
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
        return Err("its SKILL.md is no plain file".to_owned());
    }
    if meta.len() > MAX_SKILL_MD_BYTES {
        return Err("its SKILL.md is larger than 256 KiB".to_owned());
    }
    std::fs::read_to_string(file).map_err(|error| format!("its SKILL.md cannot be read: {error}"))
}
