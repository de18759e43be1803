//! A skill as it was found: its folder, and what its manifest says or lacks.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use browse_proto::Reason;

use super::{manifest, manifest::Manifest, runtime::Kind, tier::Tier};
use crate::{
    content::line,
    error::{Error, Result},
};

/// Largest SKILL.md that is read.
pub const LARGEST: u64 = 256 * 1024;

/// Characters of what is said to be wrong with a skill, which may quote its files.
pub const MAX_PROBLEM: usize = 400;

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
    pub place: PathBuf,
    contents: Result<Arc<Contents>, Problem>,
}

/// A skill that can run.
#[derive(Clone, Debug)]
pub struct Contents {
    /// What it says about itself.
    pub manifest: Manifest,
    /// What its program runs on.
    pub kind: Kind,
    /// The prose of its SKILL.md.
    pub prose: String,
}

/// Why a skill cannot run.
#[derive(Clone, Debug)]
struct Problem {
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
        let contents = Contents::read(&folder, &name).map(Arc::new);
        Self { name, tier, place: folder.clone(), folder, contents }
    }

    /// What it consists of.
    ///
    /// # Errors
    /// `SKILL_INVALID`.
    pub fn contents(&self) -> Result<Arc<Contents>> {
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

impl Contents {
    fn read(folder: &Path, name: &str) -> Result<Self, Problem> {
        let file = folder.join("SKILL.md");
        // What it quotes of the file is the file's: on one line, and not without end.
        let wrong = |text: String| Problem { file: file.clone(), text: line(&text, MAX_PROBLEM) };
        check_links(folder)?;
        let text = read_text(&file).map_err(wrong)?;
        let in_file = |problem: String| wrong(format!("its SKILL.md {problem}"));
        let (yaml, prose) = manifest::split(&text).map_err(in_file)?;
        let manifest = Manifest::read(yaml, name).map_err(in_file)?;
        let kind = Kind::of(folder).ok_or_else(|| Problem {
            file: folder.to_owned(),
            text: "it has no program: script.ts, script.py, Cargo.toml with src/main.rs, or run"
                .to_owned(),
        })?;
        Ok(Self { manifest, kind, prose: prose.to_owned() })
    }
}

/// A link leads to what may change without the skill changing.
fn check_links(folder: &Path) -> Result<(), Problem> {
    for (path, what) in
        [(folder.to_owned(), "its folder"), (folder.join("SKILL.md"), "its SKILL.md")]
    {
        if path.is_symlink() {
            return Err(Problem { file: path, text: format!("{what} is a symbolic link") });
        }
    }
    Ok(())
}

fn read_text(file: &Path) -> Result<String, String> {
    let meta = std::fs::metadata(file).map_err(|_| "it has no SKILL.md".to_owned())?;
    if !meta.is_file() {
        return Err("its SKILL.md is no plain file".to_owned());
    }
    if meta.len() > LARGEST {
        return Err("its SKILL.md is larger than 256 KiB".to_owned());
    }
    std::fs::read_to_string(file).map_err(|error| format!("its SKILL.md cannot be read: {error}"))
}
