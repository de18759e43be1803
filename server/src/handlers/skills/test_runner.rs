//! Runs the tests of a skill, confined as its runs are, without a browser.

use std::time::{Duration, Instant};

use browse_proto::Reason;
use tokio::sync::mpsc;

use super::run;
use crate::{
    dispatch::CallContext,
    skills::{
        process::{ProcessError, SkillProcess},
        process_plan::{Limits, ProcessPlan, Purpose},
        progress::ProgressSink,
        runtime::{Runtime, TestStep},
        sandbox::{SandboxSession, TrustLevel},
        sdk,
        skill::Skill,
    },
};
use browse_base::{Error, Result};

/// Time that the tests of a skill get when the caller names none.
const DEFAULT_TIMEOUT: Duration = Duration::from_secs(120);

/// Most bytes that tests may print.
const MAX_OUTPUT_BYTES: u64 = 4 << 20;

/// Tests that passed.
pub struct TestSummary {
    /// What ran them.
    pub runtime: String,
    /// Time that they took.
    pub duration: Duration,
}

/// Checks the SDK of a skill, and runs its tests.
///
/// # Errors
/// `SDK_MISMATCH`, `SKILL_UNTESTED`, `SKILL_TESTS_FAILED`, `SKILL_TIMEOUT`,
/// `RUNTIME_MISSING`, `SKILL_INVALID`, `BUILD_FAILED`.
pub async fn run(
    cx: &CallContext,
    skill: &Skill,
    requested: TrustLevel,
    voice: &ProgressSink,
) -> Result<TestSummary> {
    let contents = skill.contents()?;
    if let Some(version) = check_sdk(skill, contents.runtime)? {
        let name = &skill.name;
        let note = format!(
            "note: `_lib` is the SDK of browse {version}, which goes on working; `browse skill upgrade {name}` brings it up to date\n"
        );
        voice.write(note).await;
    }
    let setup = run::setup(cx.daemon(), skill, ("", ""), (false, requested), voice);
    let suite = contents.runtime.tests(&setup).await?;
    let begun = Instant::now();
    let limit = cx.requested_timeout().unwrap_or(DEFAULT_TIMEOUT);
    let sandbox = cx.daemon().skills().sandbox();
    let mut ran = None;
    for step in suite.steps {
        let hold = sandbox.confine(Purpose::Test, requested, &skill.name).await?;
        let limits = Limits::for_purpose(Purpose::Test).with_memory(cx.settings().skill_memory);
        let until = (begun + limit, limit);
        let passed = run_step(skill, step, (&hold, limits), until, voice).await?;
        // One that does not tell may have run any number.
        ran = Some(ran.unwrap_or(0) + passed.unwrap_or(1));
    }
    if ran == Some(0) {
        let message = format!("the tests of `{}` failed: no test ran", skill.name);
        let error = Error::new(Reason::SkillTestsFailed, message);
        return Err(error.with("skill", &skill.name).with("exit_code", 0));
    }
    drop(suite.scratch);
    Ok(TestSummary { runtime: suite.runtime, duration: begun.elapsed() })
}

/// The older version whose SDK the skill carries; none for that of this one.
fn check_sdk(skill: &Skill, runtime: &dyn Runtime) -> Result<Option<String>> {
    let unexpected = sdk::unexpected_files(&skill.folder, runtime.sdk())
        .map_err(|error| skill.unreadable(&error))?;
    let Some(first) = unexpected.first() else { return Ok(None) };
    let older = sdk::released_version(&skill.folder, runtime.sdk())
        .map_err(|error| skill.unreadable(&error))?;
    if older.is_some() {
        return Ok(older);
    }
    let more = match unexpected.len() {
        1 => String::new(),
        count => format!(", and {} more", count - 1),
    };
    let message = format!("`{}` is not that of an SDK of browse{more}", first.display());
    Err(Error::new(Reason::SdkMismatch, message)
        .with("skill", &skill.name)
        .with("file", skill.folder.join(first).display()))
}

/// Runs one program of tests, and answers how many passed, if it says so. What
/// it prints is reported as it comes; standard output comes when it has ended.
async fn run_step(
    skill: &Skill,
    step: TestStep,
    (hold, limits): (&SandboxSession, Limits),
    (deadline, limit): (Instant, Duration),
    voice: &ProgressSink,
) -> Result<Option<u64>> {
    let program = step.program;
    let mut environment = step.environment;
    hold.set_variables(&mut environment);
    for note in hold.notices() {
        voice.write(format!("note: {note}\n")).await;
    }
    let plan = ProcessPlan {
        purpose: Purpose::Test,
        program: program.path,
        words: program.arguments,
        environment,
        folder: step.folder,
        readable: program.readable,
        writable: Vec::new(),
        limits,
        confinement: hold.confinement().clone(),
    };
    let trouble = |trouble| failure(skill, limit, trouble);
    let process = SkillProcess::start(&plan).await.map_err(trouble)?;
    let (errors, mut pieces) = mpsc::channel::<Vec<u8>>(1);
    let reported = async {
        while let Some(piece) = pieces.recv().await {
            voice.write(piece).await;
        }
    };
    let finished = async move { process.finish(deadline, MAX_OUTPUT_BYTES, &errors).await };
    let (ended, ()) = tokio::join!(finished, reported);
    let ended = ended.map_err(trouble)?;
    let printed = String::from_utf8_lossy(&ended.stdout).into_owned();
    voice.write(ended.stdout).await;
    if ended.code == 0 {
        return Ok((step.count_passed)(&printed));
    }
    let why = match printed.ends_with("error: no test ran\n") {
        true => "no test ran",
        false => &step.name,
    };
    let message = format!("the tests of `{}` failed: {why}", skill.name);
    Err(Error::new(Reason::SkillTestsFailed, message)
        .with("skill", &skill.name)
        .with("exit_code", ended.code))
}

fn failure(skill: &Skill, limit: Duration, trouble: ProcessError) -> Error {
    let name = &skill.name;
    let error = match trouble {
        ProcessError::Io(problem) => {
            let message = format!("the tests of `{name}` do not start: {problem}");
            Error::new(Reason::SkillFailed, message)
        }
        ProcessError::TimedOut => {
            let limit = humantime::format_duration(Duration::from_millis(limit.as_millis() as u64));
            let message = format!("the tests of `{name}` did not end within {limit}");
            Error::new(Reason::SkillTimeout, message)
        }
        ProcessError::TooMuchOutput => {
            let message = format!("the tests of `{name}` printed more than 4 MiB");
            Error::new(Reason::SkillTestsFailed, message)
        }
    };
    error.with("skill", name)
}
