//! Runs the tests of a skill, confined as its runs are, without a browser.

mod suite;

use std::path::Path;
use std::time::{Duration, Instant};

use browse_proto::Reason;
use tokio::sync::mpsc;

use super::{
    events::Voice,
    process::{Limits, Plan, Process, Purpose, Trouble},
    sandbox::{Hold, Trust},
    sdk,
    skill::Skill,
};
use crate::{
    dispatch::Context,
    error::{Error, Result},
};
use suite::Step;

/// Time that the tests of a skill get when the caller names none.
const LIMIT: Duration = Duration::from_secs(120);

/// Most bytes that tests may print.
const MOST: u64 = 4 << 20;

/// Tests that passed.
pub struct Passed {
    /// What ran them.
    pub runtime: String,
    /// Time that they took.
    pub took: Duration,
}

/// Checks the SDK of a skill, and runs its tests.
///
/// # Errors
/// `SDK_MISMATCH`, `SKILL_UNTESTED`, `SKILL_TESTS_FAILED`, `SKILL_TIMEOUT`,
/// `RUNTIME_MISSING`, `SKILL_INVALID`, `BUILD_FAILED`.
pub async fn run(cx: &Context, skill: &Skill, wish: Trust, voice: &Voice) -> Result<Passed> {
    let contents = skill.contents()?;
    if let Some(version) = check_sdk(skill, contents.kind)? {
        let name = &skill.name;
        let note = format!(
            "note: `_lib` is the SDK of browse {version}, which goes on working; `browse skill upgrade {name}` brings it up to date\n"
        );
        voice.say(note).await;
    }
    let suite = suite::of(cx, skill, contents.kind, (wish, voice)).await?;
    let begun = Instant::now();
    let limit = cx.named_timeout().unwrap_or(LIMIT);
    let sandbox = cx.daemon().skills().sandbox();
    let mut ran = None;
    for step in suite.steps {
        let hold = sandbox.hold(Purpose::Test, wish, &skill.name).await?;
        let limits = Limits::of(Purpose::Test).with_memory(cx.settings().skill_memory);
        let until = (begun + limit, limit);
        let passed = perform(skill, step, (&hold, limits), until, voice).await?;
        // One that does not tell may have run any number.
        ran = Some(ran.unwrap_or(0) + passed.unwrap_or(1));
    }
    if ran == Some(0) {
        let message = format!("the tests of `{}` failed: no test ran", skill.name);
        let error = Error::new(Reason::SkillTestsFailed, message);
        return Err(error.with("skill", &skill.name).with("exit_code", 0));
    }
    Ok(Passed { runtime: suite.runtime, took: begun.elapsed() })
}

/// The older version whose SDK the skill carries; none for that of this one.
fn check_sdk(skill: &Skill, kind: super::runtime::Kind) -> Result<Option<String>> {
    let strangers =
        sdk::strangers(&skill.folder, kind).map_err(|error| unreadable(skill, &error))?;
    let Some(first) = strangers.first() else { return Ok(None) };
    let older = sdk::released(&skill.folder, kind).map_err(|error| unreadable(skill, &error))?;
    if older.is_some() {
        return Ok(older);
    }
    let more = match strangers.len() {
        1 => String::new(),
        count => format!(", and {} more", count - 1),
    };
    let message = format!("`{}` is not that of an SDK of browse{more}", first.display());
    Err(Error::new(Reason::SdkMismatch, message)
        .with("skill", &skill.name)
        .with("file", skill.folder.join(first).display()))
}

fn unreadable(skill: &Skill, error: &std::io::Error) -> Error {
    let message = format!("the skill `{}` cannot be read: {error}", skill.name);
    Error::new(Reason::SkillInvalid, message)
        .with("skill", &skill.name)
        .with("file", skill.folder.display())
}

/// Runs one program of tests, and answers how many passed, if it says so. What
/// it prints is said as it comes; standard output comes when it has ended.
async fn perform(
    skill: &Skill,
    step: Step,
    (hold, limits): (&Hold, Limits),
    (deadline, limit): (Instant, Duration),
    voice: &Voice,
) -> Result<Option<u64>> {
    let program = step.program;
    let mut environment = step.environment;
    hold.tell(&mut environment);
    for note in hold.notes() {
        voice.say(format!("note: {note}\n")).await;
    }
    let plan = Plan {
        purpose: Purpose::Test,
        program: program.path,
        words: program.words,
        environment,
        folder: step.folder,
        readable: program.readable,
        writable: Vec::new(),
        limits,
        confinement: hold.confinement().clone(),
    };
    let trouble = |trouble| failure(skill, limit, trouble);
    let process = Process::start(&plan).await.map_err(trouble)?;
    let (errors, mut pieces) = mpsc::channel::<Vec<u8>>(1);
    let told = async {
        while let Some(piece) = pieces.recv().await {
            voice.say(piece).await;
        }
    };
    let finished = async move { process.finish(deadline, MOST, &errors).await };
    let (ended, ()) = tokio::join!(finished, told);
    let ended = ended.map_err(trouble)?;
    let printed = String::from_utf8_lossy(&ended.stdout).into_owned();
    voice.say(ended.stdout).await;
    if ended.code == 0 {
        return Ok((step.passed)(&printed));
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

fn failure(skill: &Skill, limit: Duration, trouble: Trouble) -> Error {
    let name = &skill.name;
    let error = match trouble {
        Trouble::Broken(problem) => {
            let message = format!("the tests of `{name}` do not start: {problem}");
            Error::new(Reason::SkillFailed, message)
        }
        Trouble::TimedOut => {
            let limit = humantime::format_duration(Duration::from_millis(limit.as_millis() as u64));
            let message = format!("the tests of `{name}` did not end within {limit}");
            Error::new(Reason::SkillTimeout, message)
        }
        Trouble::TooMuchOutput => {
            let message = format!("the tests of `{name}` printed more than 4 MiB");
            Error::new(Reason::SkillTestsFailed, message)
        }
    };
    error.with("skill", name)
}

/// A skill without tests.
fn untested(skill: &Skill, file: &Path) -> Error {
    let message = format!("the skill `{}` has no tests", skill.name);
    Error::new(Reason::SkillUntested, message)
        .with("skill", &skill.name)
        .with("file", skill.folder.join(file).display())
}
