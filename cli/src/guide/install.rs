//! Writes the guide as skills of an agent: a SKILL.md for each topic, in the
//! folder where the agent looks for them. Only files that carry our mark are
//! ever written over.

use std::{
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use browse_proto::Reason;

use super::{TOPICS, USAGE};
use crate::{
    failure::{Failure, Result},
    project::Project,
    suggest,
};

/// The line that tells our files from those of others.
pub const MARK: &str =
    "<!-- Written by `browse guide install`; it writes over its own files only. -->\n";

/// Agents, and the folder below the home or the project where their skills are.
const AGENTS: &[(&str, &str)] =
    &[("claude", ".claude/skills"), ("codex", ".agents/skills"), ("cursor", ".cursor/skills")];

/// Writes the files, and answers what was done with each.
pub fn run(words: &[&str]) -> Result<Vec<String>> {
    let (agent, in_project) = read(words)?;
    let root = match in_project {
        true => Project::find(env::var_os("BROWSE_PROJECT").as_deref().map(Path::new))?.root,
        false => home()?,
    };
    let folder = root.join(agent);
    let files: Vec<_> = TOPICS
        .iter()
        .map(|topic| (folder.join(topic.skill()).join("SKILL.md"), topic.manual()))
        .collect();
    // Nothing is written when one of them is somebody else's.
    if let Some((foreign, _)) = files.iter().find(|(path, _)| is_foreign(path)) {
        let message =
            format!("`{}` was not written by browse, and is left alone", foreign.display());
        return Err(Failure::new(Reason::FileUnwritable, message)
            .hint("Move it away, then run `browse guide install` again"));
    }
    files.iter().map(|(path, text)| put(path, text)).collect()
}

/// The folder of the agent, and whether the project is meant.
fn read(words: &[&str]) -> Result<(&'static str, bool)> {
    let (mut agent, mut in_project) = (None, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match (*word, word.strip_prefix("--agent=")) {
            ("--project", _) => in_project = true,
            (_, Some(name)) => agent = Some(name),
            ("--agent", _) => agent = words.next().copied(),
            _ => return Err(wrong(&format!("`guide install` does not take `{word}`"))),
        }
    }
    let Some(name) = agent else { return Err(wrong("`guide install` wants `--agent`")) };
    let known = AGENTS.iter().find(|(agent, _)| *agent == name);
    known.map(|(_, folder)| (*folder, in_project)).ok_or_else(|| {
        let failure = wrong(&format!("`{name}` is no agent that browse knows"));
        match suggest::nearest(name, AGENTS.iter().map(|(agent, _)| *agent)) {
            Some(near) => {
                failure.hint(format!("Did you mean `browse guide install --agent {near}`?"))
            }
            None => failure,
        }
    })
}

fn wrong(message: &str) -> Failure {
    Failure::new(Reason::ArgumentInvalid, message)
        .usage(USAGE)
        .hint("Use one of claude, codex, cursor")
}

fn home() -> Result<PathBuf> {
    let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    home.ok_or_else(|| {
        Failure::new(Reason::FileUnwritable, "HOME names no folder")
            .hint("Set HOME, or give `--project`")
    })
}

/// Whether something is there that does not carry our mark.
fn is_foreign(path: &Path) -> bool {
    let folder = path.parent().unwrap_or(path);
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    if is_link(path) || is_link(folder) {
        return true;
    }
    match fs::read_to_string(path) {
        Ok(text) => !text.contains(MARK.trim_end()),
        Err(error) => error.kind() != std::io::ErrorKind::NotFound,
    }
}

fn put(path: &Path, text: &str) -> Result<String> {
    let shown = path.display();
    let before = fs::read_to_string(path).ok();
    if before.as_deref() == Some(text) {
        return Ok(format!("unchanged {shown}"));
    }
    write(path, text).map_err(|error| {
        let message = format!("`{shown}` cannot be written: {error}");
        Failure::new(Reason::FileUnwritable, message).hint("Check the rights of the folder")
    })?;
    Ok(format!("{} {shown}", if before.is_some() { "updated" } else { "wrote" }))
}

/// Writes beside, then renames: a reader sees the old text or the new one.
fn write(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let beside = folder.join(format!(".SKILL.md.{}", std::process::id()));
    let mut file = fs::File::create(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)
}
