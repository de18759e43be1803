//! `browsed config`: reads and changes settings without a daemon, for `browse config`. It works
//! while the settings are invalid, which is when a daemon does not start.

use std::{env, fs, process::ExitCode, time::SystemTime};

use browse_base::{Error, Result};
use browse_proto::Reason;
use serde_json::json;

use super::{lifecycle, state_file};
use crate::settings::{self, ConfigEdit, ConfigFiles, SettingsReader};

/// How it is called; the values of `set` are taken as they are.
const USAGE: &str =
    "browsed config [--project DIR] [--in-project] list | set NAME VALUE… | unset NAME";

/// Runs it with the words after `config`. The result is JSON on standard output; a failure has the
/// lines of a daemon that does not start.
pub fn main(words: &[String]) -> ExitCode {
    lifecycle::print_outcome(run(words))
}

fn run(words: &[String]) -> Result<serde_json::Value> {
    let mut flags = Vec::new();
    let mut in_project = false;
    let mut rest = words;
    loop {
        match rest {
            [flag, folder, more @ ..] if flag == "--project" => {
                flags.extend([flag.clone(), folder.clone()]);
                rest = more;
            }
            [flag, more @ ..] if flag == "--in-project" => {
                in_project = true;
                rest = more;
            }
            _ => break,
        }
    }
    let reader = SettingsReader::new(&flags, |name| env::var_os(name))?;
    let edit = |name: &str, items: Option<&[String]>| {
        let edit =
            ConfigEdit { name: name.to_owned(), items: items.map(<[_]>::to_vec), in_project };
        let applied = settings::apply(&reader, &edit)?;
        let result = json!({
            "file": applied.file,
            "changed": applied.changed,
            "overridden_by": applied.overridden_by,
            "daemon_runs": running_since(&reader).is_some(),
        });
        Ok(result)
    };
    match rest {
        [action] if action == "list" => {
            let settings = settings::list(&reader)?;
            Ok(json!({"settings": settings, "daemon_is_older": is_daemon_older(&reader)}))
        }
        [action, name, values @ ..] if action == "set" && !values.is_empty() => {
            edit(name, Some(values))
        }
        [action, name] if action == "unset" => edit(name, None),
        _ => Err(Error::new(Reason::ArgumentInvalid, format!("usage: {USAGE}"))),
    }
}

/// When the daemon of the project started, if one runs.
fn running_since(reader: &SettingsReader<'_>) -> Option<SystemTime> {
    let state = match reader.find("state_file", &ConfigFiles::default()) {
        Some((_, raw)) => raw.path().ok()?,
        None => reader.folders().ok()?.project.join(".browse/daemon.json"),
    };
    state_file::running_since(&state)
}

/// Whether a daemon runs that started before a file with settings was changed.
fn is_daemon_older(reader: &SettingsReader<'_>) -> bool {
    let (Some(started), Ok(folders)) = (running_since(reader), reader.folders()) else {
        return false;
    };
    [folders.project_file(), folders.user_file()].iter().any(|path| {
        let changed = fs::metadata(path).and_then(|about| about.modified());
        changed.is_ok_and(|changed| changed > started)
    })
}
