//! What a process of a skill is made from. Each run, test and build is one
//! plan; the supervisor gets it whole and carries it out.

use std::ffi::OsString;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::environment::Environment;

/// What a process is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Purpose {
    /// Its program, which may call the daemon.
    Run,
    /// Its tests, which may not.
    Test,
    /// The making of its program, which may not either.
    Build,
    /// A shell of the user, with the terminal that its supervisor prints to.
    Terminal,
}

/// A process of a skill.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ProcessPlan {
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

/// What a process is held to.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Confinement {
    /// Nothing: its skill is trusted, or the caller wants it so.
    None,
    /// Namespaces of its own.
    Namespaces {
        /// The daemon's socket, for those that may call it.
        socket: Option<PathBuf>,
    },
    /// Landlock and seccomp.
    Landlock {
        /// The daemon's port, for those that may call it.
        port: Option<u16>,
        /// The one folder that can be written.
        scratch: PathBuf,
    },
    /// `sandbox-exec`.
    Seatbelt {
        /// The daemon's port, for those that may call it.
        port: Option<u16>,
        /// The one folder that can be written.
        scratch: PathBuf,
    },
}

impl ProcessPlan {
    /// The same without what is too wide to be a runtime: a folder above the
    /// user's home, or the home itself, as when somebody made it a virtual
    /// environment.
    pub fn without_wide_paths(&self) -> Self {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        let mut plan = self.clone();
        plan.readable.retain(|path| !is_too_wide(path, home.as_deref()));
        plan
    }
}

fn is_too_wide(path: &Path, home: Option<&Path>) -> bool {
    let real = path.canonicalize();
    let path = real.as_deref().unwrap_or(path);
    let homes = [Path::new("/root"), Path::new("/home"), Path::new("/etc"), Path::new("/var")];
    homes.into_iter().chain(home).any(|home| home.starts_with(path))
}

/// What a confined process and all below it may use up.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Processes and threads at a time.
    pub processes: u64,
    /// Bytes of private memory of one process.
    pub memory: u64,
    /// Bytes of memory of all of them together.
    pub together: u64,
    /// Bytes of its scratch, and of a single file.
    pub scratch: u64,
    /// Open files of one process.
    pub files: u64,
}

impl Limits {
    /// The same, with so much memory for all processes together.
    #[must_use]
    pub fn with_memory(self, together: u64) -> Self {
        Self { together, ..self }
    }

    /// The usual limits of a purpose.
    pub fn for_purpose(purpose: Purpose) -> Self {
        let usual = Self {
            processes: 128,
            memory: 4 << 30,
            together: 4 << 30,
            scratch: 64 << 20,
            files: 1024,
        };
        match purpose {
            Purpose::Run | Purpose::Test | Purpose::Terminal => usual,
            Purpose::Build => {
                Self { processes: 512, together: 8 << 30, scratch: 1 << 30, files: 4096, ..usual }
            }
        }
    }
}

/// A plan as it stands at the beginning of the input: its length, then itself.
pub fn frame(plan: &[u8]) -> Vec<u8> {
    let length = u32::try_from(plan.len()).unwrap_or(u32::MAX);
    [&length.to_le_bytes(), plan].concat()
}

/// Reads a plan that is framed so.
///
/// # Errors
/// The input ends before.
pub fn read_plan(input: &mut impl Read) -> io::Result<ProcessPlan> {
    let mut length = [0; 4];
    input.read_exact(&mut length)?;
    let mut plan = vec![0; u32::from_le_bytes(length) as usize];
    input.read_exact(&mut plan)?;
    Ok(serde_json::from_slice(&plan)?)
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::is_too_wide;

    #[test]
    fn a_home_is_no_runtime() {
        let home = Some(Path::new("/users/ada"));
        for path in ["/", "/users", "/users/ada", "/root", "/home", "/etc"] {
            assert!(is_too_wide(Path::new(path), home), "{path}");
        }
        for path in ["/usr", "/users/ada/.pyenv/versions/3.11", "/opt/node", "/home/bob/venv"] {
            assert!(!is_too_wide(Path::new(path), home), "{path}");
        }
    }
}
