//! `Cargo.toml` with `src/main.rs`: built once for each content, then kept.

use std::path::{Path, PathBuf};
use std::process::Stdio;

use tokio::process::Command;

use super::{Program, Setup, invalid, missing};
use crate::error::{Error, Result, quote};
use crate::skills::environment;

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
    let mut command = Command::new(cargo);
    command.args(["build", "--release", "--quiet", "--message-format=json-render-diagnostics"]);
    command.arg("--manifest-path").arg(&manifest).arg("--target-dir").arg(&target);
    if setup.skill.folder.join("Cargo.lock").is_file() {
        command.arg("--locked");
    }
    command.env_clear().envs(environment::of_build()).current_dir(&setup.skill.folder);
    command.stdin(Stdio::null()).kill_on_drop(true);
    let output = command.output().await.map_err(|error| failed(setup, &error.to_string()))?;
    if !output.status.success() {
        return Err(failed(setup, &quote(&first_error(&output.stderr))));
    }
    let built = executable(&output.stdout).ok_or_else(|| failed(setup, "it makes no program"))?;
    keep(&built, wanted).map_err(|error| failed(setup, &error.to_string()))
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
