//! `run`: anything that the system can execute, tested by executables.

use std::path::Path;

use browse_proto::v1::ScaffoldLanguage;
use futures::future::{BoxFuture, FutureExt as _};

use super::{
    Runtime, RuntimeCommand, RuntimeFinder, Scaffold, Setup, TestStep, TestSuite, invalid,
    runtime_finder::is_executable,
    test_suite::{test_environment, test_files, untested},
};
use crate::skills::{program::ProgramWriter, sdk::SdkBundle};
use browse_base::Result;

/// The runtime of executables: none.
pub struct Executable;

static SCAFFOLD: Scaffold = Scaffold {
    manifest: include_str!("executable/scaffold/SKILL.md"),
    files: &[
        ("run", include_str!("executable/scaffold/run"), true),
        ("tests/run", include_str!("executable/scaffold/test"), true),
    ],
    has_fixture: false,
};

impl Runtime for Executable {
    fn name(&self) -> &'static str {
        "executable"
    }

    fn purpose(&self) -> &'static str {
        "executable skills"
    }

    fn detect(&self, folder: &Path) -> bool {
        folder.join("run").is_file()
    }

    fn find<'a>(&'a self, _: &'a RuntimeFinder) -> BoxFuture<'a, Result<String>> {
        async { Ok(self.name().to_owned()) }.boxed()
    }

    fn check<'a>(&'a self, setup: &'a Setup<'_>) -> BoxFuture<'a, Result<()>> {
        async { command(setup).map(drop) }.boxed()
    }

    fn prepare<'a>(&'a self, setup: &'a Setup<'_>) -> BoxFuture<'a, Result<RuntimeCommand>> {
        async { command(setup) }.boxed()
    }

    fn tests<'a>(&'a self, setup: &'a Setup<'_>) -> BoxFuture<'a, Result<TestSuite>> {
        async { tests(setup) }.boxed()
    }

    fn scaffold_language(&self) -> ScaffoldLanguage {
        ScaffoldLanguage::Run
    }

    fn scaffold(&self) -> &'static Scaffold {
        &SCAFFOLD
    }

    fn sdk(&self) -> Option<&'static SdkBundle> {
        None
    }

    fn program_writer(&self) -> Option<&'static dyn ProgramWriter> {
        None
    }
}

fn command(setup: &Setup<'_>) -> Result<RuntimeCommand> {
    let path = setup.skill.folder.join("run");
    if !is_executable(&path) {
        return Err(invalid(
            setup.skill,
            Path::new("run"),
            "`run` is not executable: `chmod +x` it",
        ));
    }
    Ok(RuntimeCommand { path, ..RuntimeCommand::default() })
}

/// The executable files in `tests`, each by itself.
fn tests(setup: &Setup<'_>) -> Result<TestSuite> {
    let skill = setup.skill;
    let tests = test_files(skill, |file| {
        file.starts_with("tests") && is_executable(&skill.folder.join(file))
    })?;
    if tests.is_empty() {
        return Err(untested(skill, Path::new("tests/run")));
    }
    let steps = tests.into_iter().map(|test| {
        let path = skill.folder.join(&test);
        let program = RuntimeCommand { path, ..RuntimeCommand::default() };
        TestStep {
            name: test.display().to_string(),
            environment: test_environment(&program),
            program,
            folder: skill.folder.clone(),
            count_passed: |_| None,
        }
    });
    Ok(TestSuite { runtime: "executable".to_owned(), steps: steps.collect(), scratch: None })
}
