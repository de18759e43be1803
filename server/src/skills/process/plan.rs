//! What a process of a skill is made from. Each run, test and build is one
//! plan; the supervisor gets it whole and carries it out.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::skills::{environment::Environment, sandbox::Confinement};

/// What a process is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// Its program, which may call the daemon.
    Run,
    /// Its tests, which may not.
    Test,
    /// The making of its program, which may not either.
    Build,
}

/// A process of a skill.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Plan {
    /// What it is for.
    pub purpose: Purpose,
    /// Absolute path of the program.
    pub program: PathBuf,
    /// Its arguments.
    pub words: Vec<OsString>,
    /// All of its variables.
    pub environment: Environment,
    /// Where it begins: the folder of the skill, which it may read.
    pub folder: PathBuf,
    /// What else it may read and execute: files and folders, runtimes above
    /// all. What does not exist is left out.
    pub readable: Vec<PathBuf>,
    /// Folders that it may also write, such as the target of a build.
    pub writable: Vec<PathBuf>,
    /// What it may use up.
    pub limits: Limits,
    /// What it is held to.
    pub confinement: Confinement,
}

/// What a confined process and all below it may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processes and threads at a time.
    pub processes: u64,
    /// Bytes of private memory of one process.
    pub memory: u64,
    /// Bytes of its scratch, and of a single file.
    pub scratch: u64,
    /// Open files of one process.
    pub files: u64,
}

impl Limits {
    /// The usual limits of a purpose.
    pub fn of(purpose: Purpose) -> Self {
        let usual = Self { processes: 128, memory: 4 << 30, scratch: 64 << 20, files: 1024 };
        match purpose {
            Purpose::Run | Purpose::Test => usual,
            Purpose::Build => Self { processes: 512, scratch: 1 << 30, files: 4096, ..usual },
        }
    }
}
