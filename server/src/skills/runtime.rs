//! What the program of a skill runs on. Everything about one runtime lies in its
//! folder: the rest of the daemon knows the trait alone.

mod executable;
mod labels;
mod python;
mod runtime_finder;
mod rust;
mod scaffold;
mod test_suite;
mod typescript;
mod version;

use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};

use browse_proto::{Reason, v1};
use futures::future::{BoxFuture, FutureExt as _};

use super::{
    drafts::DraftStore,
    environment::Environment,
    program::ProgramWriter,
    progress::ProgressSink,
    sandbox::{SkillSandbox, TrustLevel},
    sdk::SdkBundle,
    skill_folder::{MAX_PROBLEM_CHARS, SkillFolder},
};
use browse_base::{Error, HINT_KEY, Result};
use browse_content::clean_line;

pub use labels::RuntimeLabels;
pub use runtime_finder::RuntimeFinder;
pub use scaffold::{MANIFEST, Scaffold};
pub use test_suite::{TestStep, TestSuite};

use runtime_finder::{InstalledRuntime, RuntimeSearch};

/// All runtimes, in the order in which the files of a skill are looked for.
pub const ALL: [&dyn Runtime; 4] =
    [&typescript::TypeScript, &python::Python, &rust::Rust, &executable::Executable];

/// A kind of program.
pub trait Runtime: Sync {
    /// The word for it in listings.
    fn name(&self) -> &'static str;

    /// What needs it, such as `Python skills`.
    fn purpose(&self) -> &'static str;

    /// Whether the program in `folder` is of this kind.
    fn detect(&self, folder: &Path) -> bool;

    /// What its skills get on this machine, such as `python 3.11`.
    ///
    /// # Errors
    /// `RUNTIME_MISSING`.
    fn find<'a>(&'a self, programs: &'a RuntimeFinder) -> BoxFuture<'a, Result<String>>;

    /// Whether a run would start. Nothing of the skill is run or built.
    ///
    /// # Errors
    /// `RUNTIME_MISSING`, `SKILL_INVALID`.
    fn check<'a>(&'a self, setup: &'a Setup<'_>) -> BoxFuture<'a, Result<()>> {
        async move { self.find(setup.programs).await.map(drop) }.boxed()
    }

    /// Makes the program ready: finds its runtime, checks or builds it.
    ///
    /// # Errors
    /// `RUNTIME_MISSING`, `SKILL_INVALID`, `BUILD_FAILED`, `CRATES_UNAVAILABLE`.
    fn prepare<'a>(&'a self, setup: &'a Setup<'_>) -> BoxFuture<'a, Result<RuntimeCommand>>;

    /// Makes ready what only the next run needs. Failures are not reported.
    fn after_run<'a>(&'a self, _setup: &'a Setup<'_>) -> BoxFuture<'a, ()> {
        async {}.boxed()
    }

    /// The programs that test the skill.
    ///
    /// # Errors
    /// `SKILL_UNTESTED`, `RUNTIME_MISSING`, `SKILL_INVALID`, `BUILD_FAILED`.
    fn tests<'a>(&'a self, setup: &'a Setup<'_>) -> BoxFuture<'a, Result<TestSuite>>;

    /// The word for it in `skill stage --lang`.
    fn scaffold_language(&self) -> v1::ScaffoldLanguage;

    /// The files of a small skill.
    fn scaffold(&self) -> &'static Scaffold;

    /// The SDK for its programs, if there is one.
    fn sdk(&self) -> Option<&'static SdkBundle>;

    /// What writes recorded skills for it, if anything does.
    fn program_writer(&self) -> Option<&'static dyn ProgramWriter>;
}

impl fmt::Debug for dyn Runtime {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The runtime of the program in `folder`.
pub fn detect(folder: &Path) -> Option<&'static dyn Runtime> {
    ALL.into_iter().find(|runtime| runtime.detect(folder))
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
    pub skill: &'a SkillFolder,
    /// Its content hash; tests do without.
    pub hash: &'a str,
    /// `$BROWSE_HOME/cache`.
    pub cache: &'a Path,
    /// Where runtimes are.
    pub programs: &'a RuntimeFinder,
    /// `127.0.0.1:port` of the daemon; tests do without.
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

impl InstalledRuntime {
    /// It with these words before the others.
    fn command<W: Into<OsString> + Clone>(&self, words: &[W]) -> RuntimeCommand {
        RuntimeCommand {
            path: self.path.clone(),
            arguments: words.iter().cloned().map(Into::into).collect(),
            readable: std::iter::once(self.path.clone()).chain(self.readable.clone()).collect(),
            environment: Environment::default(),
        }
    }

    /// What it is called in a listing, such as `python 3.11`.
    fn label(&self) -> String {
        format!("{} {}", self.name, self.version)
    }
}

/// The runtime that was found, or why there is none. `runtime` is what to install.
///
/// # Errors
/// `RUNTIME_MISSING`.
fn require(found: RuntimeSearch, runtime: &str) -> Result<InstalledRuntime> {
    let missing = |message| Error::new(Reason::RuntimeMissing, message).with("runtime", runtime);
    Err(match found {
        RuntimeSearch::Ready(found) => return Ok(found),
        RuntimeSearch::TooOld(old) => {
            let path = old.path.display();
            let label = old.label();
            missing(format!("`{path}` is {label}, which is too old: {runtime} is needed"))
                .with("found", label)
        }
        RuntimeSearch::NoAnswer(program) => {
            let path = program.display();
            missing(format!("`{path}` did not answer what version it is: {runtime} is needed"))
                .with(HINT_KEY, format!("Run `{path} --version`; try again when that works"))
        }
        RuntimeSearch::NotFound => {
            missing(format!("{runtime} is needed, and is not on the PATH of the daemon"))
        }
    })
}

/// `problem` may quote the files of the skill.
fn invalid(skill: &SkillFolder, file: &Path, problem: &str) -> Error {
    let problem = clean_line(problem, MAX_PROBLEM_CHARS);
    let message = format!("the skill `{}` cannot run: {problem}", skill.name);
    Error::new(Reason::SkillInvalid, message)
        .with("skill", &skill.name)
        .with("file", skill.display_path.join(file).display())
}
