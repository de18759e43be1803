//! `Cargo.toml` with `src/main.rs`: built once for each content, then kept.

mod build;
mod crates;
mod program_writer;

use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use browse_proto::v1::ScaffoldLanguage;
use futures::future::{BoxFuture, FutureExt as _};
use rustix::fs::FlockOperation;

use super::{
    InstalledRuntime, Runtime, RuntimeCommand, RuntimeFinder, Scaffold, Setup, TestStep, TestSuite,
    require,
    runtime_finder::RuntimeSpec,
    test_suite::{passed_tests, test_environment, untested},
    version::RuntimeVersion,
};
use crate::skills::{
    drafts::unwritable_error,
    program::ProgramWriter,
    sdk::{SdkBundle, bundles},
    snapshot,
};
use browse_base::Result;
use build::Build;
use program_writer::RustWriter;

/// The runtime of Rust.
pub struct Rust;

const SPEC: RuntimeSpec = RuntimeSpec {
    name: "rust",
    programs: &["rustc"],
    probe_arguments: &[&["--print", "sysroot"], &["--version"]],
    is_supported: |version| version >= RuntimeVersion(1, 85),
};

/// What to install.
const REQUIREMENT: &str = "rust 1.85 or later";

static SCAFFOLD: Scaffold = Scaffold {
    manifest: super::MANIFEST,
    files: &[
        ("Cargo.toml", include_str!("rust/scaffold/Cargo.toml"), false),
        ("Cargo.lock", include_str!("rust/scaffold/Cargo.lock"), false),
        ("src/main.rs", include_str!("rust/scaffold/src/main.rs"), false),
        ("src/parser.rs", include_str!("rust/scaffold/src/parser.rs"), false),
    ],
    has_fixture: true,
};

static SDK: SdkBundle = SdkBundle { folder: "sdk-rust", files: bundles::RUST };

/// A program that no run used for so long is removed.
const MAX_UNUSED_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// How often a run looks whether another daemon's build is done.
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(100);

impl Runtime for Rust {
    fn name(&self) -> &'static str {
        "rust"
    }

    fn purpose(&self) -> &'static str {
        "Rust skills"
    }

    fn detect(&self, folder: &Path) -> bool {
        folder.join("Cargo.toml").is_file() && folder.join("src/main.rs").is_file()
    }

    fn find<'a>(&'a self, programs: &'a RuntimeFinder) -> BoxFuture<'a, Result<String>> {
        async { find(programs).await.map(|rust| rust.label()) }.boxed()
    }

    fn prepare<'a>(&'a self, setup: &'a Setup<'_>) -> BoxFuture<'a, Result<RuntimeCommand>> {
        prepare(setup).boxed()
    }

    fn tests<'a>(&'a self, setup: &'a Setup<'_>) -> BoxFuture<'a, Result<TestSuite>> {
        tests(setup).boxed()
    }

    fn scaffold_language(&self) -> ScaffoldLanguage {
        ScaffoldLanguage::Rust
    }

    fn scaffold(&self) -> &'static Scaffold {
        &SCAFFOLD
    }

    fn sdk(&self) -> Option<&'static SdkBundle> {
        Some(&SDK)
    }

    fn program_writer(&self) -> Option<&'static dyn ProgramWriter> {
        Some(&RustWriter)
    }
}

/// The Rust of this machine.
///
/// # Errors
/// `RUNTIME_MISSING`.
async fn find(programs: &RuntimeFinder) -> Result<InstalledRuntime> {
    require(programs.find(&SPEC).await, REQUIREMENT)
}

/// Where the program of a skill is kept.
fn program_path(cache: &Path, name: &str, hash: &str) -> PathBuf {
    cache.join("rust").join(format!("{name}-{}", &hash[..32]))
}

async fn prepare(setup: &Setup<'_>) -> Result<RuntimeCommand> {
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
async fn tests(setup: &Setup<'_>) -> Result<TestSuite> {
    let runtime = find(setup.programs).await?.label();
    let build = Build::new(setup, &setup.skill.folder).await?;
    let programs = build.tests().await?;
    if programs.is_empty() {
        return Err(untested(setup.skill, Path::new("tests/script.rs")));
    }
    let (source, scratch) = build.into_parts();
    let steps = programs.into_iter().map(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let readable = vec![scratch.folder.path().to_owned()];
        let program = RuntimeCommand { readable, path, ..RuntimeCommand::default() };
        TestStep {
            name,
            environment: test_environment(&program),
            program,
            folder: source.clone(),
            count_passed: passed_tests,
        }
    });
    Ok(TestSuite { runtime, steps: steps.collect(), scratch: Some(scratch) })
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
