//! One build: a verified copy of the skill in a folder of its own, the crates
//! beside it, and cargo, which is confined and offline.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

use browse_proto::Reason;
use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc;

use super::{
    InstalledRuntime, Setup,
    crates::{self, CrateSource},
    find,
};
use crate::skills::{
    drafts::{ScratchFolder, unwritable_error},
    environment::{self, Environment},
    hash,
    process::{ProcessError, SkillProcess},
    process_plan::{Limits, ProcessPlan, Purpose},
};
use browse_base::{Error, Result};

/// Longest time that a build may take.
const BUILD_TIMEOUT: Duration = Duration::from_secs(15 * 60);

/// Longest time that fetching crates may take.
const FETCH_TIMEOUT: Duration = Duration::from_secs(5 * 60);

/// Most bytes of messages that cargo may print.
const MAX_MESSAGE_BYTES: u64 = 16 << 20;

/// What is kept of what cargo says, for the error.
const MAX_TAIL_BYTES: usize = 64 * 1024;

/// A build. Dropping it removes all that it made.
pub struct Build<'a> {
    setup: &'a Setup<'a>,
    rust: InstalledRuntime,
    scratch: ScratchFolder,
    source: PathBuf,
    /// Where crates of the registry are, when there are any.
    vendored: Option<PathBuf>,
}

impl<'a> Build<'a> {
    /// Gets everything together, from the skill as it is in `folder`.
    ///
    /// # Errors
    /// `RUNTIME_MISSING`, `BUILD_FAILED` for a manifest that asks for what it
    /// may not, `CRATES_UNAVAILABLE`.
    pub async fn new(setup: &'a Setup<'a>, folder: &Path) -> Result<Self> {
        let rust = find(setup.programs).await?;
        let place = setup.drafts.create_scratch()?;
        let source = place.folder.path().join("source");
        copy(folder, &source).map_err(|error| unwritable_error(&source, &error))?;
        let mut this = Self { setup, rust, scratch: place, source, vendored: None };
        let crates = this.check_manifests()?;
        this.make_workspace_root()?;
        let own = this.source.join("vendor");
        if own.is_dir() {
            this.vendored = Some(own);
        } else if crates == CrateSource::Registry {
            this.vendored = Some(this.fetch().await?);
        }
        Ok(this)
    }

    /// The copy of the skill, and what holds all that was built.
    pub fn into_parts(self) -> (PathBuf, ScratchFolder) {
        (self.source, self.scratch)
    }

    /// Builds the program.
    ///
    /// # Errors
    /// `BUILD_FAILED`.
    pub async fn program(&self) -> Result<PathBuf> {
        let made = self.cargo(&["build", "--release"]).await?;
        made.into_iter().next_back().ok_or_else(|| self.failed("it makes no program", ""))
    }

    /// Builds the programs of tests.
    ///
    /// # Errors
    /// `BUILD_FAILED`.
    pub async fn tests(&self) -> Result<Vec<PathBuf>> {
        if !self.has_tests() {
            return Ok(Vec::new());
        }
        self.cargo(&["test", "--no-run"]).await
    }

    /// Whether there is any test: cargo makes an empty program otherwise.
    fn has_tests(&self) -> bool {
        let files = hash::files(&self.source).unwrap_or_default();
        let own = files.iter().filter(|file| file.starts_with("src") || file.starts_with("tests"));
        own.filter(|file| file.extension().is_some_and(|extension| extension == "rs")).any(|file| {
            fs::read_to_string(self.source.join(file)).is_ok_and(|text| text.contains("#[test]"))
        })
    }

    /// Checks all manifests of the skill.
    fn check_manifests(&self) -> Result<CrateSource> {
        let files =
            hash::files(&self.source).map_err(|error| unwritable_error(&self.source, &error))?;
        let mut all = CrateSource::None;
        for file in files {
            let folder = file.parent().unwrap_or(Path::new(""));
            if file.file_name().is_none_or(|name| name != "Cargo.toml")
                || folder.starts_with("vendor")
            {
                continue;
            }
            let text = fs::read_to_string(self.source.join(&file));
            let text = text.map_err(|error| unwritable_error(&self.source, &error))?;
            let crates = crates::check_manifest(&text, folder)
                .map_err(|problem| self.failed_in(&file, &format!("its manifest {problem}"), ""))?;
            if crates == CrateSource::Registry {
                all = crates;
            }
        }
        Ok(all)
    }

    /// Makes the package a workspace of its own: cargo would look for one in the
    /// folders above.
    fn make_workspace_root(&self) -> Result<()> {
        let file = self.source.join("Cargo.toml");
        let failed = |error| unwritable_error(&file, &error);
        let mut text = fs::read_to_string(&file).map_err(failed)?;
        let is_root =
            text.parse::<toml::Table>().is_ok_and(|table| table.contains_key("workspace"));
        if !is_root {
            text.push_str("\n[workspace]\n");
            fs::write(&file, text).map_err(failed)?;
        }
        Ok(())
    }

    /// Fetches the crates: outside the sandbox, where nothing of the skill runs,
    /// and with the user's own settings of cargo, such as a mirror.
    async fn fetch(&self) -> Result<PathBuf> {
        let vendored = self.scratch.folder.path().join("vendor");
        let mut command = tokio::process::Command::new(&self.rust.path);
        command.args(["vendor", "--versioned-dirs", "--color=never", "--manifest-path"]);
        command.arg(self.source.join("Cargo.toml"));
        if self.source.join("Cargo.lock").is_file() {
            command.arg("--locked");
        }
        command.arg(&vendored);
        command.env_clear().envs(environment::build_environment()).env("RUSTC", self.rustc());
        // No settings are read that the skill brought along.
        command.current_dir(self.scratch.folder.path());
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        command.kill_on_drop(true);
        let unavailable = |problem: &str, output: &str| {
            let name = &self.setup.skill.name;
            let message = format!("the crates of `{name}` cannot be had: {problem}");
            Error::new(Reason::CratesUnavailable, message)
                .with("skill", name)
                .with("output", output)
        };
        let mut child = command.spawn().map_err(|error| unavailable(&error.to_string(), ""))?;
        let mut tail = Vec::new();
        let shown_text = async {
            let Some(mut stderr) = child.stderr.take() else { return };
            let mut piece = vec![0; 8 * 1024];
            while let Ok(length @ 1..) = stderr.read(&mut piece).await {
                append_tail(&mut tail, &piece[..length]);
                self.setup.progress.write(&piece[..length]).await;
            }
        };
        if tokio::time::timeout(FETCH_TIMEOUT, shown_text).await.is_err() {
            return Err(unavailable("it takes more than 5 minutes", ""));
        }
        let status = child.wait().await.map_err(|error| unavailable(&error.to_string(), ""))?;
        if status.success() {
            return Ok(vendored);
        }
        let text = String::from_utf8_lossy(&tail).into_owned();
        Err(unavailable("cargo refused them", &first_error(&text)))
    }

    fn rustc(&self) -> PathBuf {
        self.rust.path.with_file_name("rustc")
    }

    /// Runs cargo, and answers the programs that it made.
    async fn cargo(&self, verb: &[&str]) -> Result<Vec<PathBuf>> {
        let place = self.scratch.folder.path();
        let mut words: Vec<OsString> = verb.iter().map(Into::into).collect();
        words.extend(
            ["--offline", "--color=never", "--message-format=json-render-diagnostics"]
                .map(Into::into),
        );
        words.extend(["--target-dir".into(), place.join("target").into()]);
        if self.source.join("Cargo.lock").is_file() {
            words.push("--locked".into());
        }
        if let Some(vendored) = &self.vendored {
            let folder = toml::Value::String(vendored.to_string_lossy().into_owned());
            for setting in [
                "source.crates-io.replace-with=\"vendored\"".to_owned(),
                format!("source.vendored.directory={folder}"),
            ] {
                words.extend(["--config".into(), setting.into()]);
            }
        }
        let setup = self.setup;
        let hold =
            setup.sandbox.confine(Purpose::Build, setup.trust_level, &setup.skill.name).await?;
        let mut environment = self.environment();
        hold.set_variables(&mut environment);
        let plan = ProcessPlan {
            purpose: Purpose::Build,
            program: self.rust.path.clone(),
            words,
            environment,
            folder: self.source.clone(),
            readable: self.rust.readable.clone(),
            writable: vec![place.to_owned()],
            limits: Limits::for_purpose(Purpose::Build),
            confinement: hold.confinement().clone(),
        };
        let trouble = |trouble| self.failed(describe(&trouble), "");
        let process = SkillProcess::start(&plan).await.map_err(trouble)?;
        let (errors, mut pieces) = mpsc::channel::<Vec<u8>>(1);
        let mut tail = Vec::new();
        let reported = async {
            while let Some(piece) = pieces.recv().await {
                append_tail(&mut tail, &piece);
                self.setup.progress.write(piece).await;
            }
        };
        let finished = async move {
            process.finish(Instant::now() + BUILD_TIMEOUT, MAX_MESSAGE_BYTES, &errors).await
        };
        let (ended, ()) = tokio::join!(finished, reported);
        drop(hold);
        let ended = ended.map_err(trouble)?;
        if ended.code == 0 {
            return Ok(self.built_programs(executables(&ended.stdout)));
        }
        let text = String::from_utf8_lossy(&tail).into_owned();
        Err(self.failed("the compiler refused it", &text))
    }

    /// The programs among these. What a build says may be a lie, and what it
    /// leaves a link to a file of the user.
    fn built_programs(&self, programs: Vec<PathBuf>) -> Vec<PathBuf> {
        let Ok(target) = self.scratch.folder.path().join("target").canonicalize() else {
            return Vec::new();
        };
        let real = programs.into_iter().filter_map(|program| program.canonicalize().ok());
        real.filter(|program| program.starts_with(&target) && program.is_file()).collect()
    }

    /// What cargo and the linker need, and nothing of the user's.
    fn environment(&self) -> Environment {
        let place = self.scratch.folder.path();
        let mut environment = environment::scrubbed();
        let path = environment.get("PATH").cloned().unwrap_or_default();
        let bin = self.rust.path.parent().unwrap_or(Path::new("/usr/bin"));
        let values = [
            ("PATH", format!("{}:{path}", bin.display())),
            ("RUSTC", self.rustc().display().to_string()),
            ("CARGO_HOME", place.join("cargo").display().to_string()),
            ("HOME", place.display().to_string()),
            ("CARGO_INCREMENTAL", "0".to_owned()),
        ];
        environment.extend(values.map(|(name, value)| (name.to_owned(), value)));
        environment
    }

    fn failed(&self, problem: &str, output: &str) -> Error {
        self.failed_in(Path::new("Cargo.toml"), problem, output)
    }

    fn failed_in(&self, file: &Path, problem: &str, output: &str) -> Error {
        let skill = self.setup.skill;
        let message = format!("the skill `{}` does not build: {problem}", skill.name);
        let error = Error::new(Reason::BuildFailed, message)
            .with("skill", &skill.name)
            .with("file", skill.display_path.join(file).display());
        let error = match output {
            "" => error,
            output => error.with_quote("error", first_error(output)),
        };
        let last: Vec<_> = output.lines().rev().take(MAX_QUOTED_LINES).collect();
        last.into_iter().rev().fold(error, |error, line| error.with("output", line))
    }
}

/// Lines of the output of a build that its error quotes, besides the first error.
const MAX_QUOTED_LINES: usize = 4;

fn describe(trouble: &ProcessError) -> &str {
    match trouble {
        ProcessError::Io(problem) => problem,
        ProcessError::TimedOut => "it takes more than 15 minutes",
        ProcessError::TooMuchOutput => "cargo prints too much",
    }
}

/// Copies a folder of plain files.
fn copy(from: &Path, to: &Path) -> std::io::Result<()> {
    for file in hash::files(from)? {
        let target = to.join(&file);
        fs::create_dir_all(target.parent().unwrap_or(to))?;
        fs::copy(from.join(&file), target)?;
    }
    Ok(())
}

fn append_tail(tail: &mut Vec<u8>, piece: &[u8]) {
    tail.extend_from_slice(piece);
    let over = tail.len().saturating_sub(MAX_TAIL_BYTES);
    tail.drain(..over);
}

/// The programs that cargo says it made, in its JSON lines.
fn executables(stdout: &[u8]) -> Vec<PathBuf> {
    let lines = stdout.split(|byte| *byte == b'\n');
    let messages = lines.filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok());
    messages.filter_map(|message| Some(message.get("executable")?.as_str()?.into())).collect()
}

fn first_error(text: &str) -> String {
    let line = text.lines().find(|line| line.starts_with("error"));
    line.or_else(|| text.lines().last()).unwrap_or("cargo failed").to_owned()
}
