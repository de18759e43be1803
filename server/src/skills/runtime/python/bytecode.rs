//! Keeps the bytecode of Python by content: compiling the SDK takes longer than
//! all else that a start does.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::{InstalledRuntime, Setup, find};
use crate::skills::{
    environment, process,
    process_plan::{Limits, ProcessPlan, Purpose},
    skill_folder::SkillFolder,
    snapshot,
};

/// Longest time that compiling may take; a skill that takes longer does without.
const COMPILE_TIMEOUT: Duration = Duration::from_secs(20);

/// Compiles all modules of a folder, and whatever they import from other places:
/// Python looks for all of its bytecode in one place. No module of the folder is
/// run: `-I` keeps it out of the path.
const COMPILE_SCRIPT: &str = include_str!("bytecode.py");

/// What is being compiled, so that runs at once do not all do it.
static COMPILING: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// Compiles the modules of a skill for its next runs, unless that is done.
/// Without it the skill runs as well.
pub async fn compile_bytecode(of: &Setup<'_>) {
    let Ok(python) = find(of.programs).await else { return };
    let folder = bytecode_folder(of.cache, of.skill, of.hash, &python);
    let making = || COMPILING.lock().unwrap_or_else(PoisonError::into_inner);
    if folder.is_dir() || !making().insert(folder.clone()) {
        return;
    }
    if let Err(error) = compile(of, &python, &folder).await {
        tracing::debug!(%error, skill = %of.skill.name, "its bytecode cannot be kept");
    }
    making().remove(&folder);
}

/// Where the bytecode of a skill is: another content, place or Python has
/// another one.
fn bytecode_folder(
    cache: &Path,
    skill: &SkillFolder,
    hash: &str,
    python: &InstalledRuntime,
) -> PathBuf {
    let installed = fs::metadata(&python.path).and_then(|python| python.modified()).ok();
    let mut place = DefaultHasher::new();
    (&skill.folder, &python.path, installed).hash(&mut place);
    let name = format!("{}-{}-{:016x}", skill.name, &hash[..32], place.finish());
    cache.join("python").join(name)
}

/// The folder with the bytecode of the skill as it is, when there is one.
pub fn existing_bytecode(setup: &Setup<'_>, python: &InstalledRuntime) -> Option<PathBuf> {
    let folder = bytecode_folder(setup.cache, setup.skill, setup.hash, python);
    let touched = fs::File::open(&folder).and_then(|file| file.set_modified(SystemTime::now()));
    touched.ok().map(|()| folder)
}

async fn compile(of: &Setup<'_>, python: &InstalledRuntime, wanted: &Path) -> Result<(), String> {
    let describe = |error: std::io::Error| error.to_string();
    let root = wanted.parent().unwrap_or(of.cache);
    fs::create_dir_all(root).map_err(describe)?;
    let draft = tempfile::Builder::new().prefix(".draft-").tempdir_in(root).map_err(describe)?;
    let hold = of.sandbox.confine(Purpose::Build, of.trust_level, &of.skill.name).await;
    let hold = hold.map_err(|error| error.to_string())?;
    let mut program = python.command(&["-I", "-X"]);
    let words = [prefix(draft.path()), "-c".into(), COMPILE_SCRIPT.into()];
    program.arguments.extend(words.into_iter().chain([of.skill.folder.clone().into()]));
    let mut environment = environment::scrubbed();
    hold.set_variables(&mut environment);
    let plan = ProcessPlan {
        purpose: Purpose::Build,
        program: program.path,
        words: program.arguments,
        environment,
        folder: of.skill.folder.clone(),
        readable: program.readable,
        writable: vec![draft.path().to_owned()],
        limits: Limits::for_purpose(Purpose::Build),
        confinement: hold.confinement().clone(),
    };
    let ended = process::run_to_end(&plan, Instant::now() + COMPILE_TIMEOUT, 1 << 20).await;
    let (ended, errors) = ended.map_err(|trouble| format!("{trouble:?}"))?;
    if ended.code != 0 {
        return Err(format!("{}: {}", ended.code, String::from_utf8_lossy(&errors)));
    }
    let _ = snapshot::remove_unused(root);
    match fs::rename(draft.path(), wanted) {
        // Another daemon was quicker.
        Err(_) if wanted.is_dir() => Ok(()),
        done => done.map_err(describe),
    }
}

/// The option of Python that names a folder of bytecode.
pub fn prefix(folder: &Path) -> OsString {
    let mut word = OsString::from("pycache_prefix=");
    word.push(folder);
    word
}
