//! `run`: anything that the system can execute.

use std::path::Path;

use super::{RuntimeCommand, Setup, invalid, runtime_finder::is_executable};
use crate::error::Result;

pub fn prepare(setup: &Setup<'_>) -> Result<RuntimeCommand> {
    let path = setup.skill.folder.join("run");
    if !is_executable(&path) {
        return Err(invalid(
            setup.skill,
            Path::new("run"),
            "`run` is not executable: `chmod +x` it",
        ));
    }
    Ok(RuntimeCommand { path, ..RuntimeCommand::default() })
}
