//! `script.py`, on python3.

use super::{Program, Setup, missing};
use crate::error::Result;

/// Leaves out the user's site packages and environment, and writes no bytecode
/// into the folder of the skill: its content hash would change.
const FLAGS: [&str; 3] = ["-s", "-E", "-B"];

pub async fn prepare(setup: &Setup<'_>) -> Result<Program> {
    let question = ["-c", "import sys; print(sys.executable)"];
    let path = setup.programs.find("python3", &question).await.ok_or_else(|| missing("python3"))?;
    let script = setup.skill.folder.join("script.py").into_os_string();
    let flags = if setup.trusted { &FLAGS[2..] } else { &FLAGS[..] };
    let words = flags.iter().map(Into::into).chain([script]).collect();
    Ok(Program { path, words, ..Program::default() })
}
