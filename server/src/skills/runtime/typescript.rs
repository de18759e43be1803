//! `script.ts`, on bun, deno or node, which strip the types themselves; tested
//! by `node:test`.
//!
//! The modules of a skill are run from a copy that is kept by content, below a
//! `package.json` that makes them ES modules, whatever the folder of the skill
//! lies in. Where node runs them it has checked them before, and keeps what it
//! made of them: stripping the SDK takes 300 ms.

mod js_engine;
mod modules;
mod program_writer;
mod syntax_check;

use std::path::{Path, PathBuf};

use browse_proto::{Reason, v1::ScaffoldLanguage};
use futures::future::{BoxFuture, FutureExt as _};

use super::{
    InstalledRuntime, Runtime, RuntimeCommand, RuntimeFinder, Scaffold, Setup, TestStep, TestSuite,
    invalid, require, runtime_finder,
    test_suite::{passed_tests, test_environment, test_files, test_names, untested},
    version::RuntimeVersion,
};
use crate::skills::{
    drafts::unwritable_error,
    program::ProgramWriter,
    sdk::{SdkBundle, bundles},
};
use browse_base::{Error, Result};
use js_engine::{JsEngine, ScriptPermissions};
use program_writer::TypeScriptWriter;

/// The runtime of TypeScript.
pub struct TypeScript;

/// Fails when node had nothing to run.
const RAN_REPORTER: &str = include_str!("typescript/ran.mjs");

static SCAFFOLD: Scaffold = Scaffold {
    manifest: super::MANIFEST,
    files: &[
        ("script.ts", include_str!("typescript/scaffold/script.ts"), false),
        ("parser.ts", include_str!("typescript/scaffold/parser.ts"), false),
        ("script.test.ts", include_str!("typescript/scaffold/script.test.ts"), false),
    ],
    has_fixture: true,
};

static SDK: SdkBundle = SdkBundle { folder: "sdk-ts", files: bundles::TYPESCRIPT };

impl Runtime for TypeScript {
    fn name(&self) -> &'static str {
        "typescript"
    }

    fn purpose(&self) -> &'static str {
        "TypeScript skills"
    }

    fn detect(&self, folder: &Path) -> bool {
        folder.join("script.ts").is_file()
    }

    fn find<'a>(&'a self, programs: &'a RuntimeFinder) -> BoxFuture<'a, Result<String>> {
        async { JsEngine::find(programs).await.map(|engine| engine.label()) }.boxed()
    }

    fn check<'a>(&'a self, setup: &'a Setup<'_>) -> BoxFuture<'a, Result<()>> {
        async { prepare(setup).await.map(drop) }.boxed()
    }

    fn prepare<'a>(&'a self, setup: &'a Setup<'_>) -> BoxFuture<'a, Result<RuntimeCommand>> {
        prepare(setup).boxed()
    }

    fn tests<'a>(&'a self, setup: &'a Setup<'_>) -> BoxFuture<'a, Result<TestSuite>> {
        tests(setup).boxed()
    }

    fn scaffold_language(&self) -> ScaffoldLanguage {
        ScaffoldLanguage::Ts
    }

    fn scaffold(&self) -> &'static Scaffold {
        &SCAFFOLD
    }

    fn sdk(&self) -> Option<&'static SdkBundle> {
        Some(&SDK)
    }

    fn program_writer(&self) -> Option<&'static dyn ProgramWriter> {
        Some(&TypeScriptWriter)
    }
}

async fn prepare(setup: &Setup<'_>) -> Result<RuntimeCommand> {
    let engine = JsEngine::find(setup.programs).await?;
    let (skill, hash, cache) = (setup.skill.clone(), setup.hash.to_owned(), setup.cache.to_owned());
    let folder = run_blocking(move || modules::copy_once(&skill, &hash, &cache)).await?;
    let compiled = match engine.node() {
        Some(node) => Some(syntax_check::check_once(setup, node, &folder).await?),
        None => None,
    };
    let permissions = ScriptPermissions {
        trusted: setup.trusted,
        address: Some(setup.address),
        readable: &[&setup.skill.folder, &folder],
        cache: setup.cache,
    };
    let mut program = engine.run(folder.join("script.ts"), &permissions);
    program.readable.push(folder);
    if let Some(compiled) = compiled {
        js_engine::use_compile_cache(&mut program, compiled);
    }
    Ok(program)
}

async fn tests(setup: &Setup<'_>) -> Result<TestSuite> {
    let skill = setup.skill;
    let tests = test_files(skill, |file| file.to_string_lossy().ends_with(".test.ts"))?;
    if tests.is_empty() {
        return Err(untested(skill, Path::new("script.test.ts")));
    }
    let engine = JsEngine::find(setup.programs).await?;
    let scratch = setup.drafts.create_scratch()?;
    let folder = scratch.folder.path().join("modules");
    let (copied, place) = (skill.clone(), folder.clone());
    run_blocking(move || modules::copy_all(&copied, &place)).await?;
    let compiled = match engine.node() {
        Some(node) => {
            let compiled = scratch.folder.path().join("compiled");
            std::fs::create_dir(&compiled).map_err(|error| unwritable_error(&compiled, &error))?;
            let entries = [&[PathBuf::from("script.ts")], tests.as_slice()].concat();
            syntax_check::check(setup, node, &folder, &entries, &compiled).await?;
            Some(compiled)
        }
        None => None,
    };
    let ran = folder.join(".ran.mjs");
    std::fs::write(&ran, RAN_REPORTER).map_err(|error| unwritable_error(&ran, &error))?;
    let mut program = engine.tests(&tests, &folder, &ran);
    program.readable.push(folder.clone());
    if let Some(compiled) = compiled {
        js_engine::use_compile_cache(&mut program, compiled);
    }
    let step = TestStep {
        name: test_names(&tests),
        environment: test_environment(&program),
        program,
        folder,
        count_passed: passed_tests,
    };
    Ok(TestSuite { runtime: engine.label(), steps: vec![step], scratch: Some(scratch) })
}

/// Runs what reads and writes files, off the threads of the calls.
async fn run_blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T> + Send + 'static,
) -> Result<T> {
    let done = tokio::task::spawn_blocking(work).await;
    done.unwrap_or_else(|error| Err(Error::new(Reason::Bug, error.to_string())))
}
