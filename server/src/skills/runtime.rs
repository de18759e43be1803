//! What the program of a skill runs on: the first file found decides.

mod executable;
mod js_engine;
mod python;
mod runtime_finder;
mod rust;
mod typescript;
mod version;

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use browse_proto::Reason;

use super::{
    drafts::DraftStore,
    environment::Environment,
    progress::ProgressSink,
    sandbox::{SkillSandbox, TrustLevel},
    skill::Skill,
};
use crate::error::{Error, Result};

pub use js_engine::JsEngine;
pub use python::{BytecodeJob, compile_bytecode, find as find_python};
pub use runtime_finder::{Runtime, RuntimeFinder, is_executable};
pub use rust::tests as build_tests;

/// A kind of program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[allow(missing_docs)]
pub enum RuntimeKind {
    TypeScript,
    Python,
    Rust,
    Executable,
}

/// A command line, ready to be run in the folder of the skill.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct RuntimeCommand {
    /// Absolute path.
    pub path: PathBuf,
    /// What stands before the arguments of the skill.
    pub arguments: Vec<OsString>,
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
    pub programs: &'a RuntimeFinder,
    /// `127.0.0.1:port` of the daemon.
    pub address: &'a str,
    /// Whether the skill may do what the user can.
    pub trusted: bool,
    /// What a build is held to.
    pub sandbox: &'a SkillSandbox,
    /// How much of that its skill is spared.
    pub trust_level: TrustLevel,
    /// Where a build has its folder.
    pub drafts: &'a DraftStore,
    /// Where a build says how far it is.
    pub progress: &'a ProgressSink,
}

impl RuntimeKind {
    /// The kind of the program in `folder`.
    pub fn detect(folder: &Path) -> Option<Self> {
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
    pub async fn prepare(self, setup: &Setup<'_>) -> Result<RuntimeCommand> {
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
    pub fn command<W: Into<OsString> + Clone>(&self, words: &[W]) -> RuntimeCommand {
        RuntimeCommand {
            path: self.path.clone(),
            arguments: words.iter().cloned().map(Into::into).collect(),
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
pub struct RuntimeLabels {
    typescript: Result<String>,
    python: Result<String>,
    rust: Result<String>,
}

impl RuntimeLabels {
    /// Looks for all of them.
    pub async fn find(programs: &RuntimeFinder) -> Self {
        let (typescript, python, rust) = (
            JsEngine::find(programs).await,
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
    pub fn get(&self, kind: RuntimeKind) -> Result<String> {
        match kind {
            RuntimeKind::TypeScript => self.typescript.clone(),
            RuntimeKind::Python => self.python.clone(),
            RuntimeKind::Rust => self.rust.clone(),
            RuntimeKind::Executable => Ok("executable".to_owned()),
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
        .with("file", skill.display_path.join(file).display())
}
