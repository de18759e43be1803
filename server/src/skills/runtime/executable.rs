//! `run`: anything that the system can execute.

use std::path::Path;

use super::{Program, Setup, invalid, programs::is_executable};
use crate::error::Result;

pub fn prepare(setup: &Setup<'_>) -> Result<Program> {
    let path = setup.skill.folder.join("run");
    if !is_executable(&path) {
        return Err(invalid(
            setup.skill,
            Path::new("run"),
            "`run` is not executable: `chmod +x` it",
        ));
    }
    Ok(Program { path, ..Program::default() })
}
