//! Writes the guide as skills of an agent: a SKILL.md for each topic, in the
//! folder where the agent looks for them. Files of others are never written
//! over, and our own that somebody has edited only when that is asked for.

use std::{
    env, fs,
    io::Write as _,
    path::{Path, PathBuf},
};

use browse_proto::Reason;

use super::{
    TOPICS, USAGE,
    mark::{self, FileOwnership},
};
use crate::{
    failure::{Failure, Result},
    project::ProjectPaths,
    suggest,
};

/// Agents, and the folder below the home or the project where their skills are.
const AGENTS: &[(&str, &str)] =
    &[("claude", ".claude/skills"), ("codex", ".agents/skills"), ("cursor", ".cursor/skills")];

/// Writes the files, and answers what was done with each.
pub fn run(words: &[&str]) -> Result<Vec<String>> {
    let InstallOptions { agent, in_project, force } = parse_options(words)?;
    let root = match in_project {
        true => ProjectPaths::find(env::var_os("BROWSE_PROJECT").as_deref().map(Path::new))?.root,
        false => home()?,
    };
    let folder = root.join(agent);
    let files: Vec<_> = TOPICS
        .iter()
        .map(|topic| (folder.join(topic.skill_name()).join("SKILL.md"), topic.skill_md()))
        .collect();
    // Nothing is written when one of them is somebody else's.
    let of = |whose: FileOwnership| {
        let found = files.iter().find(|(path, _)| ownership(path) == Some(whose));
        found.map(|(path, _)| path.display())
    };
    if let Some(foreign) = of(FileOwnership::Foreign) {
        let message = format!("`{foreign}` was not written by browse, and is left alone");
        return Err(Failure::new(Reason::FileUnwritable, message)
            .with_hint("Move it away, then run `browse guide install` again"));
    }
    if let Some(edited) = of(FileOwnership::Edited).filter(|_| !force) {
        let message = format!("`{edited}` was edited since browse wrote it, and is left alone");
        return Err(Failure::new(Reason::FileUnwritable, message)
            .with_hint("Keep your words somewhere else, then add `--force` to write over it"));
    }
    files.iter().map(|(path, text)| install_file(path, text)).collect()
}

/// What is asked for.
struct InstallOptions {
    /// The folder of the agent.
    agent: &'static str,
    /// Whether it goes into the project instead of the home.
    in_project: bool,
    /// Whether edits are lost.
    force: bool,
}

fn parse_options(words: &[&str]) -> Result<InstallOptions> {
    let (mut agent, mut in_project, mut force) = (None, false, false);
    let mut words = words.iter();
    while let Some(word) = words.next() {
        match (*word, word.strip_prefix("--agent=")) {
            ("--project", _) => in_project = true,
            ("--force", _) => force = true,
            (_, Some(name)) => agent = Some(name),
            ("--agent", _) => agent = words.next().copied(),
            _ => return Err(usage_failure(&format!("`guide install` does not take `{word}`"))),
        }
    }
    let Some(name) = agent else { return Err(usage_failure("`guide install` wants `--agent`")) };
    let known = AGENTS.iter().find(|(agent, _)| *agent == name);
    known.map(|(_, folder)| InstallOptions { agent: folder, in_project, force }).ok_or_else(|| {
        let failure = usage_failure(&format!("`{name}` is not an agent that browse knows"));
        match suggest::nearest(name, AGENTS.iter().map(|(agent, _)| *agent)) {
            Some(near) => {
                failure.with_hint(format!("Did you mean `browse guide install --agent {near}`?"))
            }
            None => failure,
        }
    })
}

fn usage_failure(message: &str) -> Failure {
    Failure::new(Reason::ArgumentInvalid, message)
        .with_usage(USAGE)
        .with_hint("Use one of claude, codex, cursor")
}

fn home() -> Result<PathBuf> {
    let home = env::var_os("HOME").map(PathBuf::from).filter(|home| home.is_absolute());
    home.ok_or_else(|| {
        Failure::new(Reason::FileUnwritable, "HOME names no folder")
            .with_hint("Set HOME, or give `--project`")
    })
}

/// Whose the file is; nobody's when there is none.
fn ownership(path: &Path) -> Option<FileOwnership> {
    let folder = path.parent().unwrap_or(path);
    let is_link = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_symlink());
    if is_link(path) || is_link(folder) {
        return Some(FileOwnership::Foreign);
    }
    match fs::read_to_string(path) {
        Ok(text) => Some(mark::ownership_of(&text)),
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
        Err(_) => Some(FileOwnership::Foreign),
    }
}

fn install_file(path: &Path, text: &str) -> Result<String> {
    let shown = path.display();
    let before = fs::read_to_string(path).ok();
    if before.as_deref() == Some(text) {
        return Ok(format!("unchanged {shown}"));
    }
    write_atomically(path, text).map_err(|error| {
        let message = format!("`{shown}` cannot be written: {error}");
        Failure::new(Reason::FileUnwritable, message).with_hint("Check the rights of the folder")
    })?;
    Ok(format!("{} {shown}", if before.is_some() { "updated" } else { "wrote" }))
}

/// Writes beside, then renames: a reader sees the old text or the new one.
fn write_atomically(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().unwrap_or(path);
    fs::create_dir_all(folder)?;
    let beside = folder.join(format!(".SKILL.md.{}", std::process::id()));
    let mut file = fs::File::create(&beside)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&beside, path)
}
