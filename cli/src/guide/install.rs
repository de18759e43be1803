//! Writes what an agent gets, or removes it: all planned and shown before anything is
//! written, and all of it or nothing. Files of others are changed at one place, and what
//! somebody edited is left alone unless that is asked for.

use std::{
    fs,
    io::{self, IsTerminal as _, Write as _},
    path::{Path, PathBuf},
};

use serde_json::{Value, json};

use super::{
    agents::{self, AGENTS, Part, PartChoice},
    install_record::InstallRecords,
    options::{self, GuideOptions, GuideTask},
    plan::{self, FileAction, FileChange},
    preview,
};
use crate::{failure::Result, print};

/// Runs `guide install` or `guide remove` with what follows it.
pub fn run(task: GuideTask, words: &[&str], as_json: bool) -> Result<u8> {
    let options = options::parse(task, words)?;
    let mut records = InstallRecords::load();
    let changes = plan(task, &options, &records)?;
    let has_changes = changes.iter().any(FileChange::is_change);
    if !as_json {
        let lines: Vec<_> = changes.iter().flat_map(preview::lines).collect();
        print::text(&lines.join("\n"))?;
        let offers_hook = options.agent.has_hook() && !options.choice.with_hook;
        if task == GuideTask::Install && offers_hook && !options.choice.only_skills {
            print::note("`--hook` adds a hook that prints `browse context` when a session starts");
        }
        if changes.is_empty() {
            print::note(&format!("there is nothing of browse for {}", options.agent.name));
        }
    }
    let is_written = has_changes && !options.is_preview && is_confirmed(&options, as_json)?;
    if is_written {
        apply(task, &changes, &mut records)?;
    }
    if !options.is_preview && (is_written || !has_changes) {
        record_reader(task, &options, &mut records)?;
    }
    match (as_json, has_changes && !is_written) {
        (true, _) => print::json_result(&json_result(&changes, is_written).to_string(), None),
        (false, true) => {
            print::note("nothing was written; add `--yes` to write it");
            Ok(0)
        }
        (false, false) if is_written => print::text(&done_lines(&changes).join("\n")),
        (false, false) => Ok(0),
    }
}

fn plan(
    task: GuideTask,
    options: &GuideOptions,
    records: &InstallRecords,
) -> Result<Vec<FileChange>> {
    let root = agents::root(options.choice)?;
    let boundary = options.choice.in_project.then_some(root.as_path());
    let parts = options.agent.parts(options.choice, &root);
    let planned = parts.iter().map(|part| match task {
        GuideTask::Install => plan::install(part, boundary, options.force).map(Some),
        GuideTask::Remove => match other_reader(part, options, &root)
            .map(str::to_owned)
            .or_else(|| records.other_agent(&part.path, options.agent.name))
        {
            Some(other) => plan::leave(part, boundary, &format!("{other} reads it, too")),
            None => plan::remove(part, boundary, records, options.force),
        },
    });
    planned.filter_map(Result::transpose).collect()
}

/// Another agent that reads the file of `part`, and that has our server.
fn other_reader(part: &Part, options: &GuideOptions, root: &Path) -> Option<&'static str> {
    let others = AGENTS.iter().filter(|agent| agent.name != options.agent.name);
    let choice = PartChoice { only_skills: false, ..options.choice };
    let mut others = others.filter(|agent| agent.has_home() || choice.in_project);
    let other = others.find(|other| {
        let parts = other.parts(choice, root);
        let has_server = || {
            let mut servers = parts.iter().filter(|part| part.kind.is_server());
            servers.any(plan::is_installed)
        };
        parts.iter().any(|other| other.path == part.path) && has_server()
    });
    other.map(|agent| agent.name)
}

/// Records for whom a section is there, also when it was there already: another agent that
/// reads it keeps it.
fn record_reader(
    task: GuideTask,
    options: &GuideOptions,
    records: &mut InstallRecords,
) -> Result<()> {
    let root = agents::root(options.choice)?;
    let Some(path) = options.agent.section_file(options.choice, &root) else { return Ok(()) };
    let is_changed = match task {
        GuideTask::Install => records.add_agent(&path, options.agent.name),
        GuideTask::Remove => records.remove_agent(&path, options.agent.name),
    };
    if is_changed { records.save() } else { Ok(()) }
}

/// Whether the user agreed: by a flag, or on the terminal.
fn is_confirmed(options: &GuideOptions, as_json: bool) -> Result<bool> {
    if options.is_confirmed {
        return Ok(true);
    }
    if as_json || !io::stdin().is_terminal() || !io::stdout().is_terminal() {
        return Ok(false);
    }
    print::stderr("Write this? [y/N] ");
    let _ = io::stderr().flush();
    let mut answer = String::new();
    let _ = io::stdin().read_line(&mut answer);
    Ok(matches!(answer.trim().to_lowercase().as_str(), "y" | "yes"))
}

/// Writes all changes, or puts back those that were written when one fails.
fn apply(task: GuideTask, changes: &[FileChange], records: &mut InstallRecords) -> Result<()> {
    let mut written: Vec<&FileChange> = Vec::new();
    let mut made: Vec<PathBuf> = Vec::new();
    let mut left: Vec<PathBuf> = Vec::new();
    let outcome = changes.iter().filter(|change| change.is_change()).try_for_each(|change| {
        let (file, old) = (&change.file, records.get(&change.file.path).cloned());
        let folders = match &change.action {
            FileAction::Write(text) => file.write(Some(text))?,
            FileAction::Delete => file.write(None)?,
            FileAction::Keep | FileAction::Leave(_) => Vec::new(),
        };
        written.push(change);
        made.extend(folders.iter().cloned());
        match task {
            GuideTask::Install => records.set(&file.path, change.record(old.as_ref(), folders)),
            GuideTask::Remove => {
                left.extend(old.into_iter().flat_map(|old| old.folders));
                left.extend(file.path.parent().filter(|at| is_skill_folder(at)).map(Into::into));
                records.set(&file.path, None);
            }
        }
        Ok(())
    });
    let outcome = outcome.and_then(|()| records.save());
    if outcome.is_err() {
        written.iter().rev().for_each(|change| change.file.restore());
        remove_empty(made);
        return outcome;
    }
    remove_empty(left);
    Ok(())
}

/// Whether a folder has the name of a skill of ours.
fn is_skill_folder(folder: &Path) -> bool {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    browse_proto::guide::TOPICS.iter().any(|topic| topic.skill_name() == name)
}

/// Removes the folders that are empty, the innermost first.
fn remove_empty(mut folders: Vec<PathBuf>) {
    folders.sort();
    folders.dedup();
    for folder in folders.iter().rev() {
        // One that is not empty stays.
        let _ = fs::remove_dir(folder);
    }
}

fn done_lines(changes: &[FileChange]) -> Vec<String> {
    let changed = changes.iter().filter(|change| change.is_change());
    changed
        .map(|change| {
            let verb = match preview::verb(change) {
                "delete" => "deleted",
                "create" => "wrote",
                _ => "updated",
            };
            format!("{verb} {}", change.file.path.display())
        })
        .collect()
}

fn json_result(changes: &[FileChange], is_written: bool) -> Value {
    let files = changes.iter().map(|change| {
        json!({
            "path": change.file.path.to_string_lossy(),
            "change": preview::verb(change),
            "preview": preview::lines(change)[1..].join("\n"),
        })
    });
    json!({ "written": is_written, "files": files.collect::<Vec<_>>() })
}
