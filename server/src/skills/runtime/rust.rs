//! `Cargo.toml` with `src/main.rs`: built once for each content, then kept.

mod build;
mod crates;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::FlockOperation;

use super::{
    Program, Setup, missing,
    programs::{Found, Programs, Runtime, Wanted},
    version::Version,
};
use crate::error::Result;
use crate::skills::{
    drafts::{Scratch, unwritable},
    snapshot,
};
use build::Build;

const RUST: Wanted = Wanted {
    name: "rust",
    programs: &["rustc"],
    questions: &[&["--print", "sysroot"], &["--version"]],
    oldest: Version(1, 85),
};

/// A program that no run used for so long is removed.
const KEPT: Duration = Duration::from_secs(30 * 24 * 3600);

/// How often a run looks whether another daemon's build is done.
const LOOK: Duration = Duration::from_millis(100);

/// Tests, ready to be run.
pub struct BuiltTests {
    /// What built them, such as `rust 1.95`.
    pub runtime: String,
    /// The programs of tests.
    pub programs: Vec<PathBuf>,
    /// Where they begin: a copy of the skill.
    pub source: PathBuf,
    /// What holds all of that.
    pub place: Scratch,
}

/// The Rust of this machine.
///
/// # Errors
/// `RUNTIME_MISSING`.
pub async fn find(programs: &Programs) -> Result<Runtime> {
    match programs.find(&RUST).await {
        Found::Ready(runtime) => Ok(runtime),
        Found::TooOld(runtime) => Err(missing("rust 1.85 or later", Some(&runtime))),
        Found::Nothing => Err(missing("rust 1.85 or later", None)),
    }
}

/// Where the program of a skill is kept.
fn kept(cache: &Path, name: &str, hash: &str) -> PathBuf {
    cache.join("rust").join(format!("{name}-{}", &hash[..32]))
}

pub async fn prepare(setup: &Setup<'_>) -> Result<Program> {
    let path = kept(setup.cache, &setup.skill.name, setup.hash);
    if !path.is_file() {
        build_once(setup, &path).await?;
    }
    touch(&path);
    Ok(Program { readable: vec![path.clone()], path, ..Program::default() })
}

/// Builds, unless another run is at it: then that one's program will do.
async fn build_once(setup: &Setup<'_>, path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(setup.cache);
    let failed = |error: io::Error| unwritable(folder, &error);
    fs::create_dir_all(folder).map_err(failed)?;
    let locked = path.with_extension("lock");
    let lock = File::create(&locked).map_err(failed)?;
    let mut waits = false;
    while rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        if !std::mem::replace(&mut waits, true) {
            setup.voice.say("note: another build runs; this one waits for it\n").await;
        }
        tokio::time::sleep(LOOK).await;
        if path.is_file() {
            return Ok(());
        }
    }
    if path.is_file() {
        return Ok(());
    }
    let note = format!("note: building `{}`, once for this content\n", setup.skill.name);
    setup.voice.say(note).await;
    let built = async {
        // What is kept under a hash is built from what has it.
        let source = snapshot::of(setup.skill, setup.hash, setup.cache)?;
        let build = Build::new(setup, &source.folder).await?;
        keep(&build.program().await?, path).map_err(failed)
    };
    let built = built.await;
    // Whoever waits for it has it open, and finds the program or builds again.
    let _ = fs::remove_file(locked);
    built?;
    if let Err(error) = remove_old(folder) {
        tracing::debug!(%error, "old programs of skills cannot be removed");
    }
    Ok(())
}

/// Builds the tests of a skill.
///
/// # Errors
/// `RUNTIME_MISSING`, `BUILD_FAILED`, `CRATES_UNAVAILABLE`.
pub async fn tests(setup: &Setup<'_>) -> Result<BuiltTests> {
    let runtime = find(setup.programs).await?.label();
    let build = Build::new(setup, &setup.skill.folder).await?;
    let programs = build.tests().await?;
    let (source, place) = build.into_parts();
    Ok(BuiltTests { runtime, programs, source, place })
}

/// Copies beside, then renames: a half-written program is never run.
fn keep(built: &Path, wanted: &Path) -> io::Result<()> {
    let folder = wanted.parent().unwrap_or(Path::new("."));
    let beside = tempfile::Builder::new().prefix(".new-").tempfile_in(folder)?;
    io::copy(&mut File::open(built)?, &mut beside.as_file())?;
    beside.as_file().set_permissions(fs::metadata(built)?.permissions())?;
    beside.as_file().sync_all()?;
    // A file that is open for writing cannot be executed.
    beside.into_temp_path().persist(wanted)?;
    Ok(())
}

fn touch(path: &Path) {
    let touched = File::open(path).and_then(|file| file.set_modified(SystemTime::now()));
    if let Err(error) = touched {
        tracing::debug!(%error, "a program cannot be touched");
    }
}

fn remove_old(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let old = entry.metadata()?.modified()?.elapsed().is_ok_and(|age| age > KEPT);
        if old && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
