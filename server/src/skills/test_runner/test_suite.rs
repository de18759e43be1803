//! The programs that test a skill: those of `node:test`, `unittest` or cargo,
//! or executables of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::untested;
use crate::skills::{
    drafts::{ScratchFolder, unwritable_error},
    environment::{self, Environment},
    hash,
    progress::ProgressSink,
    runtime::{self, RuntimeCommand, RuntimeKind},
    sandbox::TrustLevel,
    skill::Skill,
    typescript,
};
use crate::{dispatch::CallContext, error::Result};

/// The tests of a skill, in order.
pub struct Suite {
    /// What runs them, such as `node 20`.
    pub runtime: String,
    /// One program after the other.
    pub steps: Vec<TestStep>,
    /// Where they lie, when that is not the folder of the skill.
    _scratch: Option<ScratchFolder>,
}

/// One program of tests.
pub struct TestStep {
    /// What it is called in an error.
    pub name: String,
    pub program: RuntimeCommand,
    pub folder: PathBuf,
    pub environment: Environment,
    /// How many tests passed, by what was printed; none when that does not say.
    pub count_passed: fn(&str) -> Option<u64>,
}

/// Fails when node had nothing to run.
const RAN_REPORTER: &str = include_str!("ran.mjs");

/// Finds all tests of `folder`, and fails when there are none: a runner that
/// was given nothing to run is content.
const UNITTEST_SCRIPT: &str = "\
import sys, unittest
sys.path.insert(0, '.')
suite = unittest.TestSuite()
loader = unittest.TestLoader()
for place in sys.argv[1:]:
    suite.addTests(loader.discover(place, 'test*.py', place))
result = unittest.TextTestRunner(verbosity=2).run(suite)
ran = result.testsRun - len(result.skipped)
if not ran:
    print('error: no test ran', file=sys.stderr)
sys.exit(0 if result.wasSuccessful() and ran else 1)
";

/// The tests of `skill`.
///
/// # Errors
/// `SKILL_UNTESTED`, `RUNTIME_MISSING`, `SKILL_INVALID`, `BUILD_FAILED`.
pub async fn for_skill(
    cx: &CallContext,
    skill: &Skill,
    kind: RuntimeKind,
    how: (TrustLevel, &ProgressSink),
) -> Result<Suite> {
    match kind {
        RuntimeKind::TypeScript => typescript(cx, skill).await,
        RuntimeKind::Python => python(cx, skill).await,
        RuntimeKind::Rust => rust(cx, skill, how).await,
        RuntimeKind::Executable => executable(skill),
    }
}

async fn typescript(cx: &CallContext, skill: &Skill) -> Result<Suite> {
    let tests = test_files(skill, |file| file.to_string_lossy().ends_with(".test.ts"))?;
    if tests.is_empty() {
        return Err(untested(skill, Path::new("script.test.ts")));
    }
    let place = cx.daemon().skills().drafts().create_scratch()?;
    let (read, folder) = (skill.clone(), place.folder.path().to_owned());
    typescript::run_blocking(move || typescript::translate_all(&read, &folder)).await?;
    let engine = runtime::JsEngine::find(cx.daemon().skills().programs()).await?;
    let scripts = tests.iter().map(|test| test.with_extension("js")).collect::<Vec<_>>();
    let ran = place.folder.path().join(".ran.mjs");
    std::fs::write(&ran, RAN_REPORTER).map_err(|error| unwritable_error(&ran, &error))?;
    let mut program = engine.tests(&scripts, place.folder.path(), &ran);
    program.readable.push(place.folder.path().to_owned());
    let environment = environment(&program);
    let folder = place.folder.path().to_owned();
    let step =
        TestStep { name: words(&tests), program, folder, environment, count_passed: passed_tests };
    Ok(Suite { runtime: engine.label(), steps: vec![step], _scratch: Some(place) })
}

async fn python(cx: &CallContext, skill: &Skill) -> Result<Suite> {
    let is_test = |file: &Path| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("test") && name.ends_with(".py")
    };
    let tests = test_files(skill, is_test)?;
    if tests.is_empty() {
        return Err(untested(skill, Path::new("test_script.py")));
    }
    let python = runtime::find_python(cx.daemon().skills().programs()).await?;
    let mut program = python.command(&["-s", "-E", "-B", "-c", UNITTEST_SCRIPT]);
    // A package is found from above, and only once.
    let is_package = skill.folder.join("tests/__init__.py").is_file();
    let in_folder = tests.iter().any(|test| test.starts_with("tests")) && !is_package;
    let at_top = tests.iter().any(|test| !test.starts_with("tests")) || is_package;
    program.arguments.extend(at_top.then(|| OsString::from(".")));
    program.arguments.extend(in_folder.then(|| OsString::from("tests")));
    let environment = environment(&program);
    let (name, folder) = (words(&tests), skill.folder.clone());
    let step = TestStep { name, program, folder, environment, count_passed: |_| None };
    Ok(Suite { runtime: python.label(), steps: vec![step], _scratch: None })
}

async fn rust(
    cx: &CallContext,
    skill: &Skill,
    (wish, voice): (TrustLevel, &ProgressSink),
) -> Result<Suite> {
    let skills = cx.daemon().skills();
    let setup = runtime::Setup {
        skill,
        hash: "",
        cache: skills.cache(),
        programs: skills.programs(),
        address: "",
        trusted: false,
        sandbox: skills.sandbox(),
        trust_level: wish,
        drafts: skills.drafts(),
        progress: voice,
    };
    let built = runtime::build_tests(&setup).await?;
    if built.programs.is_empty() {
        return Err(untested(skill, Path::new("tests/script.rs")));
    }
    let steps = built.programs.into_iter().map(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let program = RuntimeCommand {
            readable: vec![built.scratch.folder.path().to_owned()],
            path,
            ..RuntimeCommand::default()
        };
        let environment = environment(&program);
        TestStep {
            name,
            program,
            folder: built.source.clone(),
            environment,
            count_passed: passed_tests,
        }
    });
    Ok(Suite { runtime: built.runtime, steps: steps.collect(), _scratch: Some(built.scratch) })
}

/// The executable files in `tests`, each by itself.
fn executable(skill: &Skill) -> Result<Suite> {
    let tests = test_files(skill, |file| {
        file.starts_with("tests") && runtime::is_executable(&skill.folder.join(file))
    })?;
    if tests.is_empty() {
        return Err(untested(skill, Path::new("tests/run")));
    }
    let steps = tests.into_iter().map(|test| {
        let program =
            RuntimeCommand { path: skill.folder.join(&test), ..RuntimeCommand::default() };
        let environment = environment(&program);
        let name = test.display().to_string();
        TestStep {
            name,
            program,
            folder: skill.folder.clone(),
            environment,
            count_passed: |_| None,
        }
    });
    Ok(Suite { runtime: "executable".to_owned(), steps: steps.collect(), _scratch: None })
}

/// The files of a skill that are tests: at its top, and in `tests`.
fn test_files(skill: &Skill, is_test: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let files = hash::files(&skill.folder).map_err(|error| super::unreadable(skill, &error))?;
    let in_place = |file: &PathBuf| file.components().count() == 1 || file.starts_with("tests");
    Ok(files.into_iter().filter(in_place).filter(|file| is_test(file)).collect())
}

/// Nothing of the caller, and no token: tests need no daemon.
fn environment(program: &RuntimeCommand) -> Environment {
    let mut environment = environment::scrubbed();
    environment.extend(program.environment.clone());
    // What they say goes into logs and to models.
    environment.insert("NO_COLOR".to_owned(), "1".to_owned());
    environment
}

/// The sum of what cargo (`test result: ok. 2 passed; …`) and deno
/// (`ok | 2 passed | …`) say.
fn passed_tests(printed: &str) -> Option<u64> {
    let sums = printed
        .lines()
        .filter(|line| line.starts_with("test result: ") || line.starts_with("ok | "));
    let passed = sums.filter_map(|line| {
        let before = line.split_once(" passed")?.0;
        before.rsplit(' ').next()?.parse::<u64>().ok()
    });
    passed.fold(None, |sum, passed| Some(sum.unwrap_or(0) + passed))
}

fn words(tests: &[PathBuf]) -> String {
    let names: Vec<_> = tests.iter().map(|test| format!("`{}`", test.display())).collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::passed_tests;

    #[test]
    fn what_ran_is_counted() {
        let cargo =
            "running 2 tests\ntest a ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored\n";
        assert_eq!(passed_tests(cargo), Some(2));
        assert_eq!(passed_tests("test result: ok. 0 passed; 0 failed; 1 ignored\n"), Some(0));
        assert_eq!(passed_tests("ok | 3 passed (1 step) | 0 failed (5ms)\n"), Some(3));
        assert_eq!(passed_tests("a harness of its own, 3 passed\n"), None);
    }
}
