//! `Cargo.toml` with `src/main.rs`: built once for each content, then kept.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use super::{Program, Setup, invalid, missing};
use crate::error::{Error, Result, quote};
use crate::skills::{
    environment,
    process::{Limits, Plan, Purpose, Trouble, run_to_end},
};

/// Longest time that a build may take.
const LONGEST: Duration = Duration::from_secs(15 * 60);

/// Most bytes of messages that cargo may print.
const MOST_MESSAGES: u64 = 16 << 20;

/// One build at a time: a second one of the same skill finds the first's.
static BUILDING: tokio::sync::Mutex<()> = tokio::sync::Mutex::const_new(());

pub async fn prepare(setup: &Setup<'_>) -> Result<Program> {
    let folder = setup.cache.join("rust");
    let path = folder.join(format!("{}-{}", setup.skill.name, &setup.hash[..16]));
    if !path.is_file() {
        let _one = BUILDING.lock().await;
        if !path.is_file() {
            build(setup, &folder, &path).await?;
        }
    }
    Ok(Program { path, ..Program::default() })
}

async fn build(setup: &Setup<'_>, folder: &Path, wanted: &Path) -> Result<()> {
    let question = ["--version"];
    let cargo = setup.programs.find("cargo", &question).await.ok_or_else(|| missing("cargo"))?;
    let manifest = setup.skill.folder.join("Cargo.toml");
    // The folder of the skill is not written to: no target, no lock file.
    let target = folder.join("target").join(&setup.skill.name);
    let mut words: Vec<std::ffi::OsString> =
        ["build", "--release", "--quiet", "--message-format=json-render-diagnostics"]
            .map(Into::into)
            .to_vec();
    words.extend(["--manifest-path".into(), manifest.into(), "--target-dir".into()]);
    words.push(target.clone().into());
    if setup.skill.folder.join("Cargo.lock").is_file() {
        words.push("--locked".into());
    }
    let hold = setup.sandbox.hold(Purpose::Build, setup.wish, &setup.skill.name).await?;
    let plan = Plan {
        purpose: Purpose::Build,
        program: cargo,
        words,
        environment: environment::of_build(),
        folder: setup.skill.folder.clone(),
        readable: Vec::new(),
        writable: vec![target],
        limits: Limits::of(Purpose::Build),
        confinement: hold.confinement().clone(),
    };
    let outcome = run_to_end(&plan, Instant::now() + LONGEST, MOST_MESSAGES).await;
    let (ended, stderr) = outcome.map_err(|trouble| failed(setup, describe(&trouble)))?;
    if ended.code != 0 {
        return Err(failed(setup, &quote(&first_error(&stderr))));
    }
    let built = executable(&ended.stdout).ok_or_else(|| failed(setup, "it makes no program"))?;
    keep(&built, wanted).map_err(|error| failed(setup, &error.to_string()))
}

fn describe(trouble: &Trouble) -> &str {
    match trouble {
        Trouble::Broken(problem) => problem,
        Trouble::TimedOut => "it takes more than 15 minutes",
        Trouble::TooMuchOutput => "cargo prints too much",
    }
}

/// Copies beside, then renames: a half-written program is never run.
fn keep(built: &Path, wanted: &Path) -> std::io::Result<()> {
    let beside = wanted.with_extension("new");
    std::fs::copy(built, &beside)?;
    std::fs::rename(beside, wanted)
}

fn failed(setup: &Setup<'_>, problem: &str) -> Error {
    invalid(setup.skill, Path::new("Cargo.toml"), &format!("it does not build: {problem}"))
}

/// The program that cargo says it made, in its JSON lines.
fn executable(stdout: &[u8]) -> Option<PathBuf> {
    let lines = stdout.split(|byte| *byte == b'\n');
    let messages = lines.filter_map(|line| serde_json::from_slice::<serde_json::Value>(line).ok());
    let mut found =
        messages.filter_map(|message| Some(message.get("executable")?.as_str()?.into()));
    found.next_back()
}

fn first_error(stderr: &[u8]) -> String {
    let text = String::from_utf8_lossy(stderr);
    let line = text.lines().find(|line| line.starts_with("error"));
    line.or_else(|| text.lines().last()).unwrap_or("cargo failed").to_owned()
}
