//! What the program of a skill runs on: the first file found decides.

mod engine;
mod executable;
mod programs;
mod python;
mod rust;
mod typescript;
mod version;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use browse_proto::Reason;

use super::{
    drafts::Drafts,
    environment::Environment,
    events::Voice,
    sandbox::{Sandbox, Trust},
    skill::Skill,
};
use crate::error::{Error, Result};

pub use engine::Engine;
pub use programs::{Programs, Runtime, is_executable};
pub use python::{Bytecode, find as find_python, keep_bytecode};
pub use rust::tests as build_tests;

/// A kind of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum Kind {
    TypeScript,
    Python,
    Rust,
    Executable,
}

/// A command line, ready to be run in the folder of the skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Program {
    /// Absolute path.
    pub path: PathBuf,
    /// What stands before the arguments of the skill.
    pub words: Vec<OsString>,
    /// What it reads beside the folder of the skill and the system's
    /// libraries: files and folders.
    pub readable: Vec<PathBuf>,
    /// Variables that the runtime itself needs.
    pub environment: Environment,
}

/// What a program is made ready with.
pub struct Setup<'a> {
    /// The skill.
    pub skill: &'a Skill,
    /// Its content hash.
    pub hash: &'a str,
    /// `$BROWSE_HOME/cache`.
    pub cache: &'a Path,
    /// Where runtimes are.
    pub programs: &'a Programs,
    /// `127.0.0.1:port` of the daemon.
    pub address: &'a str,
    /// Whether the skill may do what the user can.
    pub trusted: bool,
    /// What a build is held to.
    pub sandbox: &'a Sandbox,
    /// How much of that its skill is spared.
    pub wish: Trust,
    /// Where a build has its folder.
    pub drafts: &'a Drafts,
    /// Where a build says how far it is.
    pub voice: &'a Voice,
}

impl Kind {
    /// The kind of the program in `folder`.
    pub fn of(folder: &Path) -> Option<Self> {
        if folder.join("script.ts").is_file() {
            Some(Self::TypeScript)
        } else if folder.join("script.py").is_file() {
            Some(Self::Python)
        } else if folder.join("Cargo.toml").is_file() && folder.join("src/main.rs").is_file() {
            Some(Self::Rust)
        } else {
            folder.join("run").is_file().then_some(Self::Executable)
        }
    }

    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::TypeScript => "typescript",
            Self::Python => "python",
            Self::Rust => "rust",
            Self::Executable => "executable",
        }
    }

    /// Makes the program ready: finds its runtime, translates or builds it.
    ///
    /// # Errors
    /// `RUNTIME_MISSING`, `SKILL_INVALID`, `BUILD_FAILED`, `CRATES_UNAVAILABLE`.
    pub async fn prepare(self, setup: &Setup<'_>) -> Result<Program> {
        match self {
            Self::TypeScript => typescript::prepare(setup).await,
            Self::Python => python::prepare(setup).await,
            Self::Rust => rust::prepare(setup).await,
            Self::Executable => executable::prepare(setup),
        }
    }
}

impl Runtime {
    /// It with these words before the others.
    pub fn program<W: Into<OsString> + Clone>(&self, words: &[W]) -> Program {
        Program {
            path: self.path.clone(),
            words: words.iter().cloned().map(Into::into).collect(),
            readable: std::iter::once(self.path.clone()).chain(self.readable.clone()).collect(),
            environment: Environment::default(),
        }
    }

    /// What it is called in a listing, such as `python 3.11`.
    pub fn label(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

/// The runtimes that the skills of this machine get, as a listing names them.
pub struct Labels {
    typescript: Result<String>,
    python: Result<String>,
    rust: Result<String>,
}

impl Labels {
    /// Looks for all of them.
    pub async fn find(programs: &Programs) -> Self {
        let (typescript, python, rust) = (
            Engine::find(programs).await,
            python::find(programs).await,
            rust::find(programs).await,
        );
        Self {
            typescript: typescript.map(|engine| engine.label()),
            python: python.map(|python| python.label()),
            rust: rust.map(|rust| rust.label()),
        }
    }

    /// What a skill of this kind gets.
    ///
    /// # Errors
    /// `RUNTIME_MISSING`.
    pub fn of(&self, kind: Kind) -> Result<String> {
        match kind {
            Kind::TypeScript => self.typescript.clone(),
            Kind::Python => self.python.clone(),
            Kind::Rust => self.rust.clone(),
            Kind::Executable => Ok("executable".to_owned()),
        }
    }
}

/// `runtime` is what to install; `old` is what is there instead.
fn missing(runtime: &str, old: Option<&Runtime>) -> Error {
    let message = match old {
        Some(old) => format!("`{}` is {}: too old", old.path.display(), old.label()),
        None => format!("there is no {runtime} on the PATH of the daemon"),
    };
    Error::new(Reason::RuntimeMissing, message).with("runtime", runtime)
}

fn invalid(skill: &Skill, file: &Path, problem: &str) -> Error {
    let message = format!("the skill `{}` cannot run: {problem}", skill.name);
    Error::new(Reason::SkillInvalid, message)
        .with("skill", &skill.name)
        .with("file", skill.place.join(file).display())
}
