//! `browse mcp`: becomes the program `browse-mcp`, so that this one stays small.

use std::{env, fs, io, os::unix::process::CommandExt as _, path::PathBuf, process::Command};

use browse_proto::Reason;

use crate::{
    failure::{Failure, Result},
    io_failure,
};

const PROGRAM: &str = "browse-mcp";

/// Runs the program with `words`; returns only when it cannot be started.
pub fn run(words: &[String]) -> Result<u8> {
    let program = program();
    let error = Command::new(&program).args(words).exec();
    let message = match error.kind() {
        io::ErrorKind::NotFound => format!("`{PROGRAM}` is not installed beside `browse`"),
        _ => {
            format!("`{}` cannot be started: {}", program.display(), io_failure::error_text(&error))
        }
    };
    Err(Failure::new(Reason::CommandUnknown, message)
        .with_hint(format!("Install `{PROGRAM}` beside `browse`, or set BROWSE_MCP to its path")))
}

/// Where BROWSE_MCP says, beside this program, or on PATH.
fn program() -> PathBuf {
    if let Some(named) = env::var_os("BROWSE_MCP").filter(|path| !path.is_empty()) {
        return named.into();
    }
    let own = env::current_exe().and_then(fs::canonicalize);
    let beside = own.ok().map(|own| own.with_file_name(PROGRAM));
    beside.filter(|path| path.is_file()).unwrap_or_else(|| PROGRAM.into())
}
