//! Asks node whether it can run the modules of a skill, before it does: what
//! type stripping cannot take, and imports that lead nowhere, are reported with
//! file and line. Nothing of the skill is run, and the process is confined as
//! the skill is.
//!
//! The same process fills node's compile cache, so that a run takes neither the
//! time of stripping nor that of compiling.

use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use browse_proto::Reason;
use serde::Deserialize;
use url::Url;

use super::{
    InstalledRuntime, Setup, invalid, js_engine,
    modules::{touch, typescript_files},
};
use crate::skills::{
    drafts::unwritable_error,
    environment,
    process::{self, ProcessError},
    process_plan::{Limits, ProcessPlan, Purpose},
    skill_folder::SkillFolder,
};
use browse_base::{Error, HINT_KEY, Result};

/// Longest time that a check may take.
const CHECK_TIMEOUT: Duration = Duration::from_secs(20);

/// Most bytes that a check may print.
const MAX_ANSWER_BYTES: u64 = 1 << 20;

/// What node runs.
const CHECK_SCRIPT: &str = include_str!("check.mjs");

/// What is wrong with a module.
#[derive(Debug, Default, Deserialize, PartialEq, Eq)]
#[serde(default)]
struct Finding {
    /// Within the folder of the skill.
    file: String,
    /// From 1.
    line: Option<u32>,
    /// The code or the name of node's error.
    code: String,
    /// What node says; for an import, what it leads to.
    text: String,
    /// What to import instead.
    instead: Option<String>,
}

/// Syntax that needs code in its place: a word of node's message, what it is
/// called, and what to write instead.
const UNSUPPORTED: [(&str, &str, &str); 6] = [
    ("enum", "an `enum`", "a `const` object with `as const`"),
    (
        "parameter property",
        "a parameter property",
        "a field of the class that its constructor assigns",
    ),
    ("namespace", "a `namespace`", "a module of its own, with exports"),
    ("`module` keyword", "a `module`", "a module of its own, with exports"),
    ("import equals", "`import … =`", "`import … from '…'`"),
    ("export assignment", "`export =`", "`export default`"),
];

/// Checks the program of a skill, unless node did with this content, and
/// answers the folder of its compile cache.
///
/// # Errors
/// `SKILL_INVALID`, `SANDBOX_UNAVAILABLE`, and `FILE_UNWRITABLE` for the cache.
pub async fn check_once(
    setup: &Setup<'_>,
    node: &InstalledRuntime,
    modules: &Path,
) -> Result<PathBuf> {
    let compiled = compiled_folder(setup, node, modules);
    if !compiled.is_dir() {
        let root = modules.parent().unwrap_or(setup.cache);
        let failed = |error| unwritable_error(root, &error);
        let draft = tempfile::Builder::new().prefix(".draft-").tempdir_in(root).map_err(failed)?;
        check(setup, node, modules, &[PathBuf::from("script.ts")], draft.path()).await?;
        match fs::rename(draft.path(), &compiled) {
            // Another run was quicker.
            Err(_) if compiled.is_dir() => {}
            done => done.map_err(failed)?,
        }
    }
    touch(&compiled);
    Ok(compiled)
}

/// Where the compile cache of a copy is. Another node has another one, and so
/// has a skill that is held to something else.
fn compiled_folder(setup: &Setup<'_>, node: &InstalledRuntime, modules: &Path) -> PathBuf {
    let installed = fs::metadata(&node.path).and_then(|node| node.modified()).ok();
    let mut key = DefaultHasher::new();
    (&node.path, installed, setup.trust_level as u8).hash(&mut key);
    let mut name = modules.file_name().unwrap_or_default().to_owned();
    name.push(format!(".node-{:016x}", key.finish()));
    modules.with_file_name(name)
}

/// Checks the modules in `folder`, which the `entries` import, and has node keep
/// what it compiles in `compiled`.
///
/// # Errors
/// `SKILL_INVALID`, `SANDBOX_UNAVAILABLE`.
pub async fn check(
    setup: &Setup<'_>,
    node: &InstalledRuntime,
    folder: &Path,
    entries: &[PathBuf],
    compiled: &Path,
) -> Result<()> {
    let skill = setup.skill;
    let files = typescript_files(folder).map_err(|error| skill.unreadable(&error))?;
    let order = serde_json::to_string(&(folder, files, entries))
        .map_err(|error| Error::new(Reason::Bug, error.to_string()))?;
    let mut program = node.command(&[
        "--disable-warning=ExperimentalWarning",
        "--input-type=module",
        "-e",
        CHECK_SCRIPT,
        &order,
    ]);
    program.readable.push(folder.to_owned());
    js_engine::use_compile_cache(&mut program, compiled.to_owned());
    let session = setup.sandbox.confine(Purpose::Build, setup.trust_level, &skill.name).await?;
    let mut environment = environment::scrubbed();
    environment.extend(program.environment);
    session.set_variables(&mut environment);
    let plan = ProcessPlan {
        purpose: Purpose::Build,
        program: program.path,
        words: program.arguments,
        environment,
        folder: folder.to_owned(),
        readable: program.readable,
        writable: vec![compiled.to_owned()],
        limits: Limits::for_purpose(Purpose::Build),
        confinement: session.confinement().clone(),
    };
    let script = Path::new("script.ts");
    let overlong =
        || invalid(skill, script, "its modules nest too deeply, or take too long to read");
    let ended = process::run_to_end(&plan, Instant::now() + CHECK_TIMEOUT, MAX_ANSWER_BYTES).await;
    let (exit, errors) = match ended {
        Ok(ended) => ended,
        Err(ProcessError::Io(problem)) => {
            let message = format!("the skill `{}` cannot be checked: {problem}", skill.name);
            return Err(Error::new(Reason::SkillFailed, message).with("skill", &skill.name));
        }
        Err(ProcessError::TimedOut | ProcessError::TooMuchOutput) => return Err(overlong()),
    };
    match serde_json::from_slice::<Finding>(&exit.stdout) {
        Ok(finding) if finding == Finding::default() => Ok(()),
        Ok(finding) => Err(finding.with_place(&errors, folder).error(skill)),
        Err(_) => {
            let output = String::from_utf8_lossy(&errors);
            tracing::debug!(skill = %skill.name, code = exit.code, %output, "node did not check it");
            Err(overlong())
        }
    }
}

impl Finding {
    /// Takes the place from node's own report, `file:///path:line`, where the
    /// finding has none.
    fn with_place(mut self, report: &[u8], folder: &Path) -> Self {
        let report = String::from_utf8_lossy(report);
        let place = report.lines().next().and_then(|line| {
            let (url, line) = line.rsplit_once(':')?;
            Some((Url::parse(url).ok()?.to_file_path().ok()?, line.parse().ok()?))
        });
        if let (None, Some((path, line))) = (self.line, place) {
            let folder = folder.canonicalize().unwrap_or_else(|_| folder.to_owned());
            if let Ok(file) = path.strip_prefix(&folder) {
                self.file = file.display().to_string();
                self.line = Some(line);
            }
        }
        self
    }

    fn error(&self, skill: &SkillFolder) -> Error {
        let place = match self.line {
            Some(line) => format!("`{}`, line {line}", self.file),
            None => format!("`{}`", self.file),
        };
        let (problem, hint) = self.describe();
        let error = invalid(skill, Path::new(&self.file), &format!("{place}: {problem}"));
        let error = match self.line {
            Some(line) => error.with("line", line),
            None => error,
        };
        match hint {
            Some(hint) => error.with(HINT_KEY, format!("{hint} in {place}")),
            None => error,
        }
    }

    /// What is wrong, and what to do about it, where more can be output than to
    /// fix it.
    fn describe(&self) -> (String, Option<String>) {
        match self.code.as_str() {
            "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX" => {
                match UNSUPPORTED.iter().find(|(word, ..)| self.text.contains(word)) {
                    Some((_, what, instead)) => {
                        let problem = format!(
                            "{what} needs more than stripping types, which is all that node does"
                        );
                        (problem, Some(format!("Write {instead}")))
                    }
                    None => (self.text.clone(), None),
                }
            }
            "ERR_MODULE_NOT_FOUND" => {
                let problem = format!("it imports `{}`, which is not there", self.text);
                let hint = self.instead.as_ref();
                (problem, hint.map(|instead| format!("Import `{instead}`")))
            }
            "SyntaxError" if self.text.contains("does not provide an export named") => {
                let hint = "Import a type with `import type`";
                (self.text.clone(), Some(hint.to_owned()))
            }
            "ERR_INTERNAL_ASSERTION" | "RangeError" => ("it nests too deeply".to_owned(), None),
            _ => (self.text.clone(), None),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Finding, Path};

    fn finding(code: &str, text: &str) -> Finding {
        Finding { code: code.to_owned(), text: text.to_owned(), ..Finding::default() }
    }

    #[test]
    fn unsupported_syntax_gets_a_replacement() {
        for (text, problem, hint) in [
            ("TypeScript enum is not supported in strip-only mode", "an `enum`", "`as const`"),
            (
                "TypeScript parameter property is not supported in strip-only mode",
                "a parameter property",
                "its constructor assigns",
            ),
            (
                "TypeScript namespace declaration is not supported in strip-only mode",
                "a `namespace`",
                "a module of its own",
            ),
            (
                "TypeScript import equals declaration is not supported in strip-only mode",
                "`import … =`",
                "`import … from",
            ),
            (
                "TypeScript export assignment is not supported in strip-only mode",
                "`export =`",
                "`export default`",
            ),
        ] {
            let found = finding("ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX", text).describe();
            assert!(found.0.starts_with(problem), "{found:?}");
            assert!(found.1.as_ref().is_some_and(|it| it.contains(hint)), "{found:?}");
        }
        let unplaced = finding("SyntaxError", "Identifier 'a' has already been declared");
        let report = b"file:///m/lib/b.ts:7\nconst a = 2;\n      ^\n";
        let placed = unplaced.with_place(report, Path::new("/m"));
        assert_eq!((placed.file.as_str(), placed.line), ("lib/b.ts", Some(7)));
        let other = finding("ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX", "something new");
        assert_eq!(other.describe(), ("something new".to_owned(), None));
    }
}
