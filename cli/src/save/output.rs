//! How a command writes its files: the rule for output paths, and who may lift it.

use std::{
    io::Write as _,
    path::{Path, PathBuf},
    time::{Duration, Instant},
};

use browse_proto::{
    Reason,
    output::{self, OutputError, OutputOptions},
    output_rule::OutputPlaces,
};

use super::signal_safe_file::SignalSafeFile;
use crate::{
    failure::{Failure, Result},
    globals::Globals,
    io_failure::unwritable,
    limits::DEFAULT_TIMEOUT_MS,
    parse::Invocation,
    project::ProjectPaths,
    state::RunningDaemon,
};

/// Who chose the path of a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamedBy {
    /// The caller: it is replaced.
    Caller,
    /// A page, or a server: it gets a number when it is taken.
    Page,
    /// Nobody: it lies in a folder of its own in the temp folder.
    Default,
}

/// How the files of one command are written.
#[derive(Debug)]
pub struct OutputWriter {
    places: OutputPlaces,
    is_forced: bool,
    is_local_user: bool,
    deadline: Instant,
}

impl OutputWriter {
    /// The way of `invocation`.
    ///
    /// # Errors
    /// It lifts the rule, and the caller is not the owner.
    pub fn new(invocation: &Invocation, globals: &Globals) -> Result<Self> {
        let project = ProjectPaths::find(globals.project.as_deref()).ok();
        let is_owner = is_local_user(project.as_ref(), globals);
        if invocation.force_path && !is_owner {
            let message = "`--force-path` is for the owner of the daemon";
            return Err(Failure::new(Reason::ArgumentInvalid, message)
                .with_hint("Leave it out, and give another path"));
        }
        let own = invocation.command.timeout_ms.unwrap_or(DEFAULT_TIMEOUT_MS);
        let time = globals.timeout.unwrap_or(Duration::from_millis(own));
        let root = project.as_ref().map(|project| project.root.as_path());
        Ok(Self {
            places: OutputPlaces {
                is_confined: globals.is_confined,
                ..OutputPlaces::for_project(root)
            },
            is_forced: invocation.force_path,
            is_local_user: is_owner,
            deadline: Instant::now() + time,
        })
    }

    fn options(&self, named: NamedBy) -> OutputOptions<'_> {
        OutputOptions {
            output_places: &self.places,
            is_forced: self.is_forced,
            is_numbered: named == NamedBy::Page,
            mode: if named == NamedBy::Default { 0o600 } else { 0o666 },
            deadline: self.deadline,
        }
    }

    /// Begins the file for `path`.
    ///
    /// # Errors
    /// The rule refuses it, or the folder cannot be written.
    pub fn begin(&self, path: &Path, named: NamedBy) -> Result<SignalSafeFile> {
        SignalSafeFile::begin(path, &self.options(named))
            .map_err(|fault| self.failure(path, &fault))
    }

    /// Puts `draft`, which is for `path`, where it is to be.
    ///
    /// # Errors
    /// What is there is of another kind, or the system refuses it.
    pub fn finish(&self, draft: SignalSafeFile, path: &Path) -> Result<PathBuf> {
        draft.finish().map_err(|fault| self.failure(path, &fault))
    }

    /// Writes `content` to `path`, and says whether that is standard output.
    ///
    /// # Errors
    /// The rule refuses it, or the system.
    pub fn write(&self, path: &Path, named: NamedBy, content: &[u8]) -> Result<bool> {
        let mut draft = self.begin(path, named)?;
        draft.write_all(content).map_err(|error| unwritable(path, &error))?;
        let is_standard_output = draft.is_standard_output();
        self.finish(draft, path).map(|_| is_standard_output)
    }

    /// Makes the folder `path` where needed.
    ///
    /// # Errors
    /// The rule refuses it, or the system.
    pub fn make_folder(&self, path: &Path) -> Result<()> {
        let made = output::make_folder(path, &self.options(NamedBy::Caller));
        made.map_err(|fault| self.failure(path, &fault))
    }

    fn failure(&self, path: &Path, fault: &OutputError) -> Failure {
        let shown = path.display().to_string();
        let refused = |why: &str, hint: &str| {
            let message = format!("`{shown}` is not written: {why}");
            Failure::with_values(Reason::FileUnwritable, message, [("path", shown.clone())])
                .with_hint(hint)
        };
        match fault {
            OutputError::Refused(why) if self.is_local_user => {
                refused(why, "Give another path, or add `--force-path` when you want that file")
            }
            OutputError::Refused(why) => refused(why, "Give another path"),
            OutputError::Unsupported(why) => refused(why, "Give the path of a file"),
            OutputError::Io(error) => unwritable(path, error),
        }
    }
}

/// Whether the caller is the owner of the daemon: neither a skill nor somebody
/// with a token of their own.
fn is_local_user(project: Option<&ProjectPaths>, globals: &Globals) -> bool {
    if globals.remote.is_some() || std::env::var_os("BROWSE_SKILL_TOKEN").is_some() {
        return false;
    }
    let Some(token) = &globals.token else { return globals.addr.is_none() };
    let state = project.and_then(|project| RunningDaemon::read(&project.state_file).ok()?);
    state.is_some_and(|state| state.token == *token)
}
