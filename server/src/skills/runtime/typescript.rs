//! `script.ts`, translated by the daemon, on bun, deno or node.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::{Program, Setup, missing};
use crate::error::Result;
use crate::skills::typescript::translate;

pub async fn prepare(setup: &Setup<'_>) -> Result<Program> {
    let programs = setup.programs;
    let script = translate(setup.skill, setup.hash, setup.cache)?;
    if let Some(bun) = programs.find("bun", &["-p", "process.execPath"]).await {
        return Ok(program(bun, &["--no-install"], script));
    }
    if let Some(deno) = programs.find("deno", &["eval", "console.log(Deno.execPath())"]).await {
        return Ok(deno_program(deno, setup, script));
    }
    let node = programs.find("node", &["-p", "process.execPath"]).await;
    Ok(program(node.ok_or_else(|| missing("node"))?, &[], script))
}

fn program(path: PathBuf, flags: &[&str], script: PathBuf) -> Program {
    let words = flags.iter().map(Into::into).chain([script.into_os_string()]).collect();
    Program { path, words, ..Program::default() }
}

/// deno confines by itself, so an untrusted skill gets what it needs and no
/// more. Its cache would otherwise lie in a home that such a skill has not.
fn deno_program(deno: PathBuf, setup: &Setup<'_>, script: PathBuf) -> Program {
    let mut words: Vec<OsString> =
        ["run", "--quiet", "--no-prompt", "--no-config", "--no-lock", "--no-remote"]
            .map(Into::into)
            .to_vec();
    if setup.trusted {
        words.push("--allow-all".into());
    } else {
        words.push("--allow-env".into());
        words.push(format!("--allow-net={}", setup.address).into());
        words.push(readable(&[&setup.skill.folder, script.parent().unwrap_or(&script)]));
    }
    words.push(script.into());
    let cache = setup.cache.join("deno").to_string_lossy().into_owned();
    let environment = [("DENO_DIR", cache.as_str()), ("DENO_NO_UPDATE_CHECK", "1")];
    let environment = environment.map(|(name, value)| (name.to_owned(), value.to_owned())).into();
    Program { path: deno, words, environment, ..Program::default() }
}

fn readable(folders: &[&Path]) -> OsString {
    let list: Vec<_> = folders.iter().map(|folder| folder.to_string_lossy()).collect();
    format!("--allow-read={}", list.join(",")).into()
}
