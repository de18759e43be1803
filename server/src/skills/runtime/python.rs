//! `script.py`, on Python 3.10 or later, with its bytecode kept by content:
//! compiling the SDK takes longer than all else that a start does.

use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant, SystemTime};

use super::{
    Program, Setup, missing,
    programs::{Found, Programs, Runtime, Wanted},
    version::Version,
};
use crate::error::Result;
use crate::skills::{
    environment,
    process::{self, Limits, Plan, Purpose},
    snapshot,
};

const PYTHON: Wanted = Wanted {
    name: "python",
    programs: &[
        "python3",
        "python3.14",
        "python3.13",
        "python3.12",
        "python3.11",
        "python3.10",
        "python",
    ],
    questions: &[&[
        "-c",
        "import sys; print(sys.executable, '%d.%d' % sys.version_info[:2], sys.prefix, \
         sys.base_prefix, sep='\\n')",
    ]],
    oldest: Version(3, 10),
};

/// Leaves out the user's site packages and environment, and writes no bytecode
/// into the folder of the skill: its content hash would change.
const FLAGS: [&str; 3] = ["-s", "-E", "-B"];

/// The Python of this machine.
///
/// # Errors
/// `RUNTIME_MISSING`.
pub async fn find(programs: &Programs) -> Result<Runtime> {
    match programs.find(&PYTHON).await {
        Found::Ready(runtime) => Ok(runtime),
        Found::TooOld(runtime) => Err(missing("python 3.10 or later", Some(&runtime))),
        Found::Nothing => Err(missing("python 3.10 or later", None)),
    }
}

pub async fn prepare(setup: &Setup<'_>) -> Result<Program> {
    let python = find(setup.programs).await?;
    let mut program = python.program(if setup.trusted { &FLAGS[2..] } else { &FLAGS[..] });
    if let Some(bytecode) = bytecode(setup, &python).await {
        program.words.extend(["-X".into(), prefix(&bytecode)]);
        program.readable.push(bytecode);
    }
    program.words.push(setup.skill.folder.join("script.py").into());
    Ok(program)
}

/// Longest time that compiling may take; a skill that takes longer does without.
const LONGEST: Duration = Duration::from_secs(20);

/// Compiles all modules of a folder, and whatever they import from elsewhere:
/// Python looks for all of its bytecode in one place. No module of the folder is
/// run: `-I` keeps it out of the path.
const COMPILE: &str = include_str!("bytecode.py");

/// The folder with the bytecode of the skill as it is. It is made by a process
/// that is held to what the skill is held to; without it the skill runs as well.
async fn bytecode(setup: &Setup<'_>, python: &Runtime) -> Option<PathBuf> {
    let root = setup.cache.join("python");
    let mut place = DefaultHasher::new();
    let installed = fs::metadata(&python.path).and_then(|python| python.modified()).ok();
    (&setup.skill.folder, &python.path, installed).hash(&mut place);
    let (name, hash) = (&setup.skill.name, &setup.hash[..32]);
    let folder = root.join(format!("{name}-{hash}-{:016x}", place.finish()));
    if !folder.is_dir()
        && let Err(error) = compile(setup, python, &root, &folder).await
    {
        tracing::debug!(%error, skill = %name, "its bytecode cannot be kept");
        return None;
    }
    let touched = fs::File::open(&folder).and_then(|file| file.set_modified(SystemTime::now()));
    touched.ok().map(|()| folder)
}

async fn compile(
    setup: &Setup<'_>,
    python: &Runtime,
    root: &Path,
    wanted: &Path,
) -> Result<(), String> {
    let said = |error: std::io::Error| error.to_string();
    fs::create_dir_all(root).map_err(said)?;
    let draft = tempfile::Builder::new().prefix(".draft-").tempdir_in(root).map_err(said)?;
    let hold = setup.sandbox.hold(Purpose::Build, setup.wish, &setup.skill.name).await;
    let hold = hold.map_err(|error| error.to_string())?;
    let mut program = python.program(&["-I", "-X"]);
    let words = [prefix(draft.path()), "-c".into(), COMPILE.into()];
    program.words.extend(words.into_iter().chain([setup.skill.folder.clone().into()]));
    let mut environment = environment::scrubbed();
    hold.tell(&mut environment);
    let plan = Plan {
        purpose: Purpose::Build,
        program: program.path,
        words: program.words,
        environment,
        folder: setup.skill.folder.clone(),
        readable: program.readable,
        writable: vec![draft.path().to_owned()],
        limits: Limits::of(Purpose::Build),
        confinement: hold.confinement().clone(),
    };
    let ended = process::run_to_end(&plan, Instant::now() + LONGEST, 1 << 20).await;
    let (ended, errors) = ended.map_err(|trouble| format!("{trouble:?}"))?;
    if ended.code != 0 {
        return Err(format!("{}: {}", ended.code, String::from_utf8_lossy(&errors)));
    }
    let _ = snapshot::remove_old(root);
    match fs::rename(draft.path(), wanted) {
        // Another run was quicker.
        Err(_) if wanted.is_dir() => Ok(()),
        done => done.map_err(said),
    }
}

fn prefix(folder: &Path) -> OsString {
    let mut word = OsString::from("pycache_prefix=");
    word.push(folder);
    word
}
