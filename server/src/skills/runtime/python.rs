//! `script.py`, on Python 3.10 or later.

use super::{
    Program, Setup, missing,
    programs::{Found, Programs, Runtime, Wanted},
    version::Version,
};
use crate::error::Result;

const PYTHON: Wanted = Wanted {
    name: "python",
    programs: &[
        "python3",
        "python3.14",
        "python3.13",
        "python3.12",
        "python3.11",
        "python3.10",
        "python",
    ],
    questions: &[&[
        "-c",
        "import sys; print(sys.executable, '%d.%d' % sys.version_info[:2], sys.prefix, \
         sys.base_prefix, sep='\\n')",
    ]],
    oldest: Version(3, 10),
};

/// Leaves out the user's site packages and environment, and writes no bytecode
/// into the folder of the skill: its content hash would change.
const FLAGS: [&str; 3] = ["-s", "-E", "-B"];

/// The Python of this machine.
///
/// # Errors
/// `RUNTIME_MISSING`.
pub async fn find(programs: &Programs) -> Result<Runtime> {
    match programs.find(&PYTHON).await {
        Found::Ready(runtime) => Ok(runtime),
        Found::TooOld(runtime) => Err(missing("python 3.10 or later", Some(&runtime))),
        Found::Nothing => Err(missing("python 3.10 or later", None)),
    }
}

pub async fn prepare(setup: &Setup<'_>) -> Result<Program> {
    let python = find(setup.programs).await?;
    let mut program = python.program(if setup.trusted { &FLAGS[2..] } else { &FLAGS[..] });
    program.words.push(setup.skill.folder.join("script.py").into());
    Ok(program)
}
