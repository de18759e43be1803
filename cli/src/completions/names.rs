//! Names that only the daemon knows: skills, sessions, states, devices. A daemon that
//! does not run has none to complete, and is not started for it.

use std::time::Duration;

use serde_json::Value;

use crate::{
    connect, execute,
    failure::Result,
    globals::Globals,
    parse::{self, CliAction},
    project::ProjectPaths,
    request::PreparedRequest,
    response,
};

/// Time that a shell waits for candidates.
const COMPLETION_TIMEOUT: Duration = Duration::from_millis(700);

/// The names in the rows of the command `list`, such as "skill list", each with an
/// empty help; none when `list` is empty or cannot be asked.
pub fn names_in(list: &str) -> Vec<(String, String)> {
    if list.is_empty() {
        return Vec::new();
    }
    let names = fetch_names(list).unwrap_or_default();
    names.into_iter().map(|name| (name, String::new())).collect()
}

fn fetch_names(list: &str) -> Result<Vec<String>> {
    let words: Vec<String> = list.split(' ').map(str::to_owned).collect();
    let parsed = parse::argv(&words)?;
    let CliAction::Call(invocation) = parsed.action else { return Ok(Vec::new()) };
    let mut globals = Globals { timeout: Some(COMPLETION_TIMEOUT), ..parsed.globals };
    globals.fill_from_environment()?;
    let is_here = globals.remote.is_none() && globals.addr.is_none();
    if is_here
        && connect::running_state(&ProjectPaths::find(globals.project.as_deref())?)?.is_none()
    {
        return Ok(Vec::new());
    }
    let command = invocation.command;
    let request = PreparedRequest::new(invocation, false, globals.timeout)?;
    let (body, _) = execute::unary(&request, &globals)?;
    let response = response::decode(command, &body)?;
    let rows = response.values().find_map(Value::as_array);
    let name = |row: &Value| row.get("name").and_then(Value::as_str).map(str::to_owned);
    let mut names: Vec<_> = rows.into_iter().flatten().filter_map(name).collect();
    names.sort();
    names.dedup();
    Ok(names)
}
