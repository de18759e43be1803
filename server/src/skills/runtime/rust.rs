//! `Cargo.toml` with `src/main.rs`: built once for each content, then kept.

mod build;
mod crates;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use rustix::fs::FlockOperation;

use super::{
    RuntimeCommand, Setup, missing,
    runtime_finder::{Runtime, RuntimeFinder, RuntimeSearch, RuntimeSpec},
    version::RuntimeVersion,
};
use crate::error::Result;
use crate::skills::{
    drafts::{ScratchFolder, unwritable_error},
    snapshot,
};
use build::Build;

const RUST: RuntimeSpec = RuntimeSpec {
    name: "rust",
    programs: &["rustc"],
    probe_arguments: &[&["--print", "sysroot"], &["--version"]],
    min_version: RuntimeVersion(1, 85),
};

/// A program that no run used for so long is removed.
const MAX_UNUSED_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// How often a run looks whether another daemon's build is done.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(100);

/// Tests, ready to be run.
pub struct BuiltTests {
    /// What built them, such as `rust 1.95`.
    pub runtime: String,
    /// The programs of tests.
    pub programs: Vec<PathBuf>,
    /// Where they begin: a copy of the skill.
    pub source: PathBuf,
    /// What holds all of that.
    pub scratch: ScratchFolder,
}

/// The Rust of this machine.
///
/// # Errors
/// `RUNTIME_MISSING`.
pub async fn find(programs: &RuntimeFinder) -> Result<Runtime> {
    match programs.find(&RUST).await {
        RuntimeSearch::Ready(runtime) => Ok(runtime),
        RuntimeSearch::TooOld(runtime) => Err(missing("rust 1.85 or later", Some(&runtime))),
        RuntimeSearch::NotFound => Err(missing("rust 1.85 or later", None)),
    }
}

/// Where the program of a skill is kept.
fn program_path(cache: &Path, name: &str, hash: &str) -> PathBuf {
    cache.join("rust").join(format!("{name}-{}", &hash[..32]))
}

pub async fn prepare(setup: &Setup<'_>) -> Result<RuntimeCommand> {
    let path = program_path(setup.cache, &setup.skill.name, setup.hash);
    if !path.is_file() {
        build_once(setup, &path).await?;
    }
    touch(&path);
    Ok(RuntimeCommand { readable: vec![path.clone()], path, ..RuntimeCommand::default() })
}

/// Builds, unless another run is at it: then that one's program will do.
async fn build_once(setup: &Setup<'_>, path: &Path) -> Result<()> {
    let folder = path.parent().unwrap_or(setup.cache);
    let failed = |error: io::Error| unwritable_error(folder, &error);
    fs::create_dir_all(folder).map_err(failed)?;
    let locked = path.with_extension("lock");
    let lock = File::create(&locked).map_err(failed)?;
    let mut waits = false;
    while rustix::fs::flock(&lock, FlockOperation::NonBlockingLockExclusive).is_err() {
        if !std::mem::replace(&mut waits, true) {
            setup.progress.write("note: another build runs; this one waits for it\n").await;
        }
        tokio::time::sleep(LOCK_POLL_INTERVAL).await;
        if path.is_file() {
            return Ok(());
        }
    }
    if path.is_file() {
        return Ok(());
    }
    let note = format!("note: building `{}`, once for this content\n", setup.skill.name);
    setup.progress.write(note).await;
    let built = async {
        // What is kept under a hash is built from what has it.
        let source = snapshot::verified_copy(setup.skill, setup.hash, setup.cache)?;
        let build = Build::new(setup, &source.folder).await?;
        store_program(&build.program().await?, path).map_err(failed)
    };
    let built = built.await;
    // Whoever waits for it has it open, and finds the program or builds again.
    let _ = fs::remove_file(locked);
    built?;
    if let Err(error) = remove_unused(folder) {
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
    Ok(BuiltTests { runtime, programs, source, scratch: place })
}

/// Copies beside, then renames: a half-written program is never run.
fn store_program(built: &Path, wanted: &Path) -> io::Result<()> {
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

fn remove_unused(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        let old = entry.metadata()?.modified()?.elapsed().is_ok_and(|age| age > MAX_UNUSED_AGE);
        if old && entry.file_type()?.is_file() {
            fs::remove_file(entry.path())?;
        }
    }
    Ok(())
}
