//! `script.py`, on Python 3.10 or later, tested by `unittest`.

mod bytecode;
mod program_writer;

use browse_base::Result;
use std::ffi::OsString;
use std::path::Path;

use browse_proto::v1::ScaffoldLanguage;
use futures::future::{BoxFuture, FutureExt as _};

use super::{
    InstalledRuntime, Runtime, RuntimeCommand, RuntimeFinder, Scaffold, Setup, TestStep, TestSuite,
    require,
    runtime_finder::RuntimeSpec,
    test_suite::{test_environment, test_files, test_names, untested},
    version::RuntimeVersion,
};
use crate::skills::{
    program::ProgramWriter,
    sdk::{SdkBundle, bundles},
};
use program_writer::PythonWriter;

/// The runtime of Python.
pub struct Python;

const SPEC: RuntimeSpec = RuntimeSpec {
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
    probe_arguments: &[&[
        "-c",
        "import sys; print(sys.executable, '%d.%d' % sys.version_info[:2], sys.prefix, \
         sys.base_prefix, sep='\\n')",
    ]],
    is_supported: |version| version >= RuntimeVersion(3, 10),
};

/// What to install.
const REQUIREMENT: &str = "python 3.10 or later";

/// Leaves out the user's site packages and environment, and writes no bytecode
/// into the folder of the skill: its content hash would change.
const FLAGS: [&str; 3] = ["-s", "-E", "-B"];

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

static SCAFFOLD: Scaffold = Scaffold {
    manifest: super::MANIFEST,
    files: &[
        ("script.py", include_str!("python/scaffold/script.py"), false),
        ("parser.py", include_str!("python/scaffold/parser.py"), false),
        ("test_script.py", include_str!("python/scaffold/test_script.py"), false),
    ],
    has_fixture: true,
};

static SDK: SdkBundle = SdkBundle { folder: "sdk-python", files: bundles::PYTHON };

impl Runtime for Python {
    fn name(&self) -> &'static str {
        "python"
    }

    fn purpose(&self) -> &'static str {
        "Python skills"
    }

    fn detect(&self, folder: &Path) -> bool {
        folder.join("script.py").is_file()
    }

    fn find<'a>(&'a self, programs: &'a RuntimeFinder) -> BoxFuture<'a, Result<String>> {
        async { find(programs).await.map(|python| python.label()) }.boxed()
    }

    fn prepare<'a>(&'a self, setup: &'a Setup<'_>) -> BoxFuture<'a, Result<RuntimeCommand>> {
        prepare(setup).boxed()
    }

    fn after_run<'a>(&'a self, setup: &'a Setup<'_>) -> BoxFuture<'a, ()> {
        bytecode::compile_bytecode(setup).boxed()
    }

    fn tests<'a>(&'a self, setup: &'a Setup<'_>) -> BoxFuture<'a, Result<TestSuite>> {
        tests(setup).boxed()
    }

    fn scaffold_language(&self) -> ScaffoldLanguage {
        ScaffoldLanguage::Py
    }

    fn scaffold(&self) -> &'static Scaffold {
        &SCAFFOLD
    }

    fn sdk(&self) -> Option<&'static SdkBundle> {
        Some(&SDK)
    }

    fn program_writer(&self) -> Option<&'static dyn ProgramWriter> {
        Some(&PythonWriter)
    }
}

/// The Python of this machine.
///
/// # Errors
/// `RUNTIME_MISSING`.
async fn find(programs: &RuntimeFinder) -> Result<InstalledRuntime> {
    require(programs.find(&SPEC).await, REQUIREMENT)
}

async fn prepare(setup: &Setup<'_>) -> Result<RuntimeCommand> {
    let python = find(setup.programs).await?;
    let mut program = python.command(if setup.trusted { &FLAGS[2..] } else { &FLAGS[..] });
    if let Some(bytecode) = bytecode::existing_bytecode(setup, &python) {
        program.arguments.extend(["-X".into(), bytecode::prefix(&bytecode)]);
        program.readable.push(bytecode);
    }
    program.arguments.push(setup.skill.folder.join("script.py").into());
    Ok(program)
}

async fn tests(setup: &Setup<'_>) -> Result<TestSuite> {
    let skill = setup.skill;
    let is_test = |file: &Path| {
        let name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
        name.starts_with("test") && name.ends_with(".py")
    };
    let tests = test_files(skill, is_test)?;
    if tests.is_empty() {
        return Err(untested(skill, Path::new("test_script.py")));
    }
    let python = find(setup.programs).await?;
    let mut program = python.command(&["-s", "-E", "-B", "-c", UNITTEST_SCRIPT]);
    // A package is found from above, and only once.
    let is_package = skill.folder.join("tests/__init__.py").is_file();
    let in_folder = tests.iter().any(|test| test.starts_with("tests")) && !is_package;
    let at_top = tests.iter().any(|test| !test.starts_with("tests")) || is_package;
    program.arguments.extend(at_top.then(|| OsString::from(".")));
    program.arguments.extend(in_folder.then(|| OsString::from("tests")));
    let step = TestStep {
        name: test_names(&tests),
        environment: test_environment(&program),
        program,
        folder: skill.folder.clone(),
        count_passed: |_| None,
    };
    Ok(TestSuite { runtime: python.label(), steps: vec![step], scratch: None })
}
