//! The programs that test a skill: those of `node:test`, `unittest` or cargo,
//! or executables of its own.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use super::untested;
use crate::skills::{
    drafts::{Scratch, unwritable},
    environment::{self, Environment},
    events::Voice,
    hash,
    runtime::{self, Kind, Program},
    sandbox::Trust,
    skill::Skill,
    typescript,
};
use crate::{dispatch::Context, error::Result};

/// The tests of a skill, in order.
pub struct Suite {
    /// What runs them, such as `node 20`.
    pub runtime: String,
    /// One program after the other.
    pub steps: Vec<Step>,
    /// Where they lie, when that is not the folder of the skill.
    _place: Option<Scratch>,
}

/// One program of tests.
pub struct Step {
    /// What it is called in an error.
    pub name: String,
    pub program: Program,
    pub folder: PathBuf,
    pub environment: Environment,
    /// How many tests passed, by what was printed; none when that does not say.
    pub passed: fn(&str) -> Option<u64>,
}

/// Fails when node had nothing to run.
const RAN: &str = include_str!("ran.mjs");

/// Finds all tests of `folder`, and fails when there are none: a runner that
/// was given nothing to run is content.
const UNITTEST: &str = "\
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
pub async fn of(cx: &Context, skill: &Skill, kind: Kind, how: (Trust, &Voice)) -> Result<Suite> {
    match kind {
        Kind::TypeScript => typescript(cx, skill).await,
        Kind::Python => python(cx, skill).await,
        Kind::Rust => rust(cx, skill, how).await,
        Kind::Executable => executable(skill),
    }
}

async fn typescript(cx: &Context, skill: &Skill) -> Result<Suite> {
    let tests = tests(skill, |file| file.to_string_lossy().ends_with(".test.ts"))?;
    if tests.is_empty() {
        return Err(untested(skill, Path::new("script.test.ts")));
    }
    let place = cx.daemon().skills().drafts().scratch()?;
    typescript::translate_all(skill, place.folder.path())?;
    let engine = runtime::Engine::find(cx.daemon().skills().programs()).await?;
    let scripts = tests.iter().map(|test| test.with_extension("js")).collect::<Vec<_>>();
    let ran = place.folder.path().join(".ran.mjs");
    std::fs::write(&ran, RAN).map_err(|error| unwritable(&ran, &error))?;
    let mut program = engine.tests(&scripts, place.folder.path(), &ran);
    program.readable.push(place.folder.path().to_owned());
    let environment = environment(&program);
    let folder = place.folder.path().to_owned();
    let step = Step { name: words(&tests), program, folder, environment, passed: counted };
    Ok(Suite { runtime: engine.label(), steps: vec![step], _place: Some(place) })
}

async fn python(cx: &Context, skill: &Skill) -> Result<Suite> {
    let is_test = |file: &Path| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("test") && name.ends_with(".py")
    };
    let tests = tests(skill, is_test)?;
    if tests.is_empty() {
        return Err(untested(skill, Path::new("test_script.py")));
    }
    let python = runtime::find_python(cx.daemon().skills().programs()).await?;
    let mut program = python.program(&["-s", "-E", "-B", "-c", UNITTEST]);
    // A package is found from above, and only once.
    let is_package = skill.folder.join("tests/__init__.py").is_file();
    let in_folder = tests.iter().any(|test| test.starts_with("tests")) && !is_package;
    let at_top = tests.iter().any(|test| !test.starts_with("tests")) || is_package;
    program.words.extend(at_top.then(|| OsString::from(".")));
    program.words.extend(in_folder.then(|| OsString::from("tests")));
    let environment = environment(&program);
    let (name, folder) = (words(&tests), skill.folder.clone());
    let step = Step { name, program, folder, environment, passed: |_| None };
    Ok(Suite { runtime: python.label(), steps: vec![step], _place: None })
}

async fn rust(cx: &Context, skill: &Skill, (wish, voice): (Trust, &Voice)) -> Result<Suite> {
    let skills = cx.daemon().skills();
    let setup = runtime::Setup {
        skill,
        hash: "",
        cache: skills.cache(),
        programs: skills.programs(),
        address: "",
        trusted: false,
        sandbox: skills.sandbox(),
        wish,
        drafts: skills.drafts(),
        voice,
    };
    let built = runtime::build_tests(&setup).await?;
    if built.programs.is_empty() {
        return Err(untested(skill, Path::new("tests/script.rs")));
    }
    let steps = built.programs.into_iter().map(|path| {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let program = Program {
            readable: vec![built.place.folder.path().to_owned()],
            path,
            ..Program::default()
        };
        let environment = environment(&program);
        Step { name, program, folder: built.source.clone(), environment, passed: counted }
    });
    Ok(Suite { runtime: built.runtime, steps: steps.collect(), _place: Some(built.place) })
}

/// The executable files in `tests`, each by itself.
fn executable(skill: &Skill) -> Result<Suite> {
    let tests = tests(skill, |file| {
        file.starts_with("tests") && runtime::is_executable(&skill.folder.join(file))
    })?;
    if tests.is_empty() {
        return Err(untested(skill, Path::new("tests/run")));
    }
    let steps = tests.into_iter().map(|test| {
        let program = Program { path: skill.folder.join(&test), ..Program::default() };
        let environment = environment(&program);
        let name = test.display().to_string();
        Step { name, program, folder: skill.folder.clone(), environment, passed: |_| None }
    });
    Ok(Suite { runtime: "executable".to_owned(), steps: steps.collect(), _place: None })
}

/// The files of a skill that are tests: at its top, and in `tests`.
fn tests(skill: &Skill, is_test: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let files = hash::files(&skill.folder).map_err(|error| super::unreadable(skill, &error))?;
    let in_place = |file: &PathBuf| file.components().count() == 1 || file.starts_with("tests");
    Ok(files.into_iter().filter(in_place).filter(|file| is_test(file)).collect())
}

/// Nothing of the caller, and no token: tests need no daemon.
fn environment(program: &Program) -> Environment {
    let mut environment = environment::scrubbed();
    environment.extend(program.environment.clone());
    // What they say goes into logs and to models.
    environment.insert("NO_COLOR".to_owned(), "1".to_owned());
    environment
}

/// The sum of what cargo (`test result: ok. 2 passed; …`) and deno
/// (`ok | 2 passed | …`) say.
fn counted(printed: &str) -> Option<u64> {
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
    use super::counted;

    #[test]
    fn what_ran_is_counted() {
        let cargo =
            "running 2 tests\ntest a ... ok\n\ntest result: ok. 2 passed; 0 failed; 0 ignored\n";
        assert_eq!(counted(cargo), Some(2));
        assert_eq!(counted("test result: ok. 0 passed; 0 failed; 1 ignored\n"), Some(0));
        assert_eq!(counted("ok | 3 passed (1 step) | 0 failed (5ms)\n"), Some(3));
        assert_eq!(counted("a harness of its own, 3 passed\n"), None);
    }
}
