//! The process of a run, behind its supervisor.

use std::os::unix::process::CommandExt as _;
use std::path::PathBuf;
use std::process::{ExitStatus, Stdio};
use std::time::{Duration, Instant};

use browse_proto::{Reason, v1};
use tokio::io::AsyncReadExt as _;
use tokio::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command};
use tokio::sync::mpsc;

use super::{Event, output};
use crate::{
    error::{Error, Result},
    skills::{environment::Environment, runtime::Program, supervisor},
};

/// How long the supervisor may take to end everything.
const END: Duration = Duration::from_secs(3);

/// Standard error is handed on in pieces of at most this.
const PIECE: usize = 8 * 1024;

/// What a process is made from.
pub struct Recipe {
    pub program: Program,
    pub words: Vec<String>,
    pub folder: PathBuf,
    pub environment: Environment,
}

/// A run. Dropping it ends everything that it started: the supervisor sees the
/// end of its standard input.
pub struct Process {
    skill: String,
    child: Child,
    lifeline: ChildStdin,
    stdout: ChildStdout,
    stderr: ChildStderr,
}

impl Process {
    /// Starts the program.
    ///
    /// # Errors
    /// `SKILL_FAILED`: there are no processes to be had.
    pub fn start(recipe: &Recipe, skill: &str) -> Result<Self> {
        let failed = |problem: String| {
            let message = format!("the skill `{skill}` does not start: {problem}");
            Error::new(Reason::SkillFailed, message).with("skill", skill)
        };
        let mut command = std::process::Command::new(own_program());
        command.arg0("browsed").arg(supervisor::FLAG).arg(&recipe.program.path);
        command.args(&recipe.program.words).args(&recipe.words);
        command.env_clear().envs(&recipe.environment).current_dir(&recipe.folder);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        command.process_group(0);
        let mut child =
            Command::from(command).spawn().map_err(|error| failed(error.to_string()))?;
        let (Some(lifeline), Some(stdout), Some(stderr)) =
            (child.stdin.take(), child.stdout.take(), child.stderr.take())
        else {
            return Err(failed("it has no pipes".to_owned()));
        };
        Ok(Self { skill: skill.to_owned(), child, lifeline, stdout, stderr })
    }

    /// Hands on standard error until the program ends, and answers what it
    /// printed.
    ///
    /// # Errors
    /// `SKILL_TIMEOUT`, `SKILL_OUTPUT_TOO_LARGE`, `SKILL_FAILED`,
    /// `SKILL_OUTPUT_INVALID`.
    pub async fn finish(
        self,
        deadline: Instant,
        limit: Duration,
        events: &mpsc::Sender<Event>,
    ) -> Result<String> {
        let Self { skill, mut child, lifeline, stdout, mut stderr } = self;
        let ended = async {
            let (bytes, _) = tokio::join!(output::collect(stdout), hand_on(&mut stderr, events));
            let bytes = bytes.ok_or_else(|| too_large(&skill))?;
            let status = child.wait().await.map_err(|error| failed(&skill, &error.to_string()))?;
            Ok((status, bytes))
        };
        let outcome = match tokio::time::timeout_at(deadline.into(), ended).await {
            Ok(outcome) => outcome,
            Err(_) => Err(timed_out(&skill, limit)),
        };
        drop(lifeline);
        if outcome.is_err() {
            // Everything is dead when the caller hears of it.
            let _ = tokio::time::timeout(END, child.wait()).await;
        }
        let (status, bytes) = outcome?;
        check_status(&skill, status)?;
        output::document(&skill, bytes)
    }
}

/// Our own program, also when an update has replaced the file.
fn own_program() -> PathBuf {
    if cfg!(target_os = "linux") {
        return PathBuf::from("/proc/self/exe");
    }
    std::env::current_exe().unwrap_or_else(|_| PathBuf::from("browsed"))
}

async fn hand_on(stderr: &mut ChildStderr, events: &mpsc::Sender<Event>) {
    let mut piece = vec![0; PIECE];
    while let Ok(length @ 1..) = stderr.read(&mut piece).await {
        let event = v1::run_skill_response::Event::Stderr(piece[..length].to_vec());
        let event = v1::RunSkillResponse { event: Some(event) };
        if events.send(Ok(event)).await.is_err() {
            return;
        }
    }
}

fn check_status(skill: &str, status: ExitStatus) -> Result<()> {
    match supervisor::exit_code(status) {
        0 => Ok(()),
        code => {
            let message = format!("the skill `{skill}` ended with exit code {code}");
            Err(Error::new(Reason::SkillFailed, message)
                .with("skill", skill)
                .with("exit_code", code))
        }
    }
}

fn failed(skill: &str, problem: &str) -> Error {
    let message = format!("the skill `{skill}` cannot be waited for: {problem}");
    Error::new(Reason::SkillFailed, message).with("skill", skill)
}

fn timed_out(skill: &str, limit: Duration) -> Error {
    let limit = humantime::format_duration(Duration::from_millis(limit.as_millis() as u64));
    let message = format!("the skill `{skill}` did not end within {limit}");
    Error::new(Reason::SkillTimeout, message).with("skill", skill)
}

fn too_large(skill: &str) -> Error {
    let message = format!("the skill `{skill}` printed more than 1 MiB");
    Error::new(Reason::SkillOutputTooLarge, message)
        .with("skill", skill)
        .with("limit", output::LARGEST)
}
