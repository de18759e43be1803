//! Erases types in a process of its own. The parser recurses, and the code of a skill
//! that nobody trusts yet may nest as deep as it likes: when the stack ends, so does
//! the process, which must not be the daemon.

use std::{
    io::{self, Read as _, Write as _},
    process::{Command, ExitCode, Stdio},
};

use nix::sys::resource::{Resource, setrlimit};

use super::erase::{Untranslatable, erase};
use crate::skills::process::own_program;

/// The argument that makes `browsed` erase types.
pub const ERASE_TYPES_FLAG: &str = "--erase-types";

/// Processor time that the modules of a skill may take, in seconds.
const MAX_CPU_SECONDS: u64 = 20;

/// Address space of the process, in bytes.
const MAX_ADDRESS_SPACE_BYTES: u64 = 2 << 30;

/// What the process answers: for each module its JavaScript, or the line and the reason
/// why there is none.
type Answer = Vec<Result<String, (usize, String)>>;

/// Erases the types of all modules, in their order.
///
/// # Errors
/// The process cannot be started, or ended without an answer.
pub fn erase_all(modules: &[String]) -> io::Result<Vec<Result<String, Untranslatable>>> {
    if cfg!(test) {
        // The program is that of the tests, which knows no such argument.
        return Ok(modules.iter().map(|module| erase(module)).collect());
    }
    let mut child = Command::new(own_program())
        .arg(ERASE_TYPES_FLAG)
        .env_clear()
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()?;
    // It reads all before it writes. One that ended early says so by its answer.
    if let Some(mut input) = child.stdin.take() {
        let _ = input.write_all(&serde_json::to_vec(modules)?);
    }
    let output = child.wait_with_output()?;
    if !output.status.success() {
        let problem = "its modules nest too deeply, or take too long to read";
        return Err(io::Error::new(io::ErrorKind::InvalidData, problem));
    }
    let answer: Answer = serde_json::from_slice(&output.stdout)?;
    let erased = |result: Result<String, (usize, String)>| {
        result.map_err(|(line, problem)| Untranslatable { line, problem })
    };
    Ok(answer.into_iter().map(erased).collect())
}

/// The process: modules as JSON on standard input, the answer on standard output.
pub fn run() -> ExitCode {
    let limited = [
        (Resource::RLIMIT_CPU, MAX_CPU_SECONDS),
        (Resource::RLIMIT_AS, MAX_ADDRESS_SPACE_BYTES),
        (Resource::RLIMIT_CORE, 0),
    ]
    .into_iter()
    .all(|(resource, most)| setrlimit(resource, most, most).is_ok());
    let mut input = Vec::new();
    if !limited || io::stdin().read_to_end(&mut input).is_err() {
        return ExitCode::FAILURE;
    }
    let Ok(modules) = serde_json::from_slice::<Vec<String>>(&input) else {
        return ExitCode::FAILURE;
    };
    let answer: Answer = modules
        .iter()
        .map(|module| erase(module).map_err(|error| (error.line, error.problem)))
        .collect();
    let written = serde_json::to_writer(io::stdout().lock(), &answer);
    if written.is_ok() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}
