//! The programs that test a skill, and what those of all runtimes have in common.

use std::path::{Path, PathBuf};

use browse_proto::Reason;

use super::RuntimeCommand;
use crate::skills::{
    drafts::ScratchFolder,
    environment::{self, Environment},
    hash,
    skill_folder::SkillFolder,
};
use browse_base::{Error, Result};

/// The tests of a skill, in order.
pub struct TestSuite {
    /// What runs them, such as `node 24`.
    pub runtime: String,
    /// One program after the other.
    pub steps: Vec<TestStep>,
    /// Where they lie, when that is not the folder of the skill.
    pub scratch: Option<ScratchFolder>,
}

/// One program of tests.
pub struct TestStep {
    /// What it is called in an error.
    pub name: String,
    /// What to run.
    pub program: RuntimeCommand,
    /// Where it begins.
    pub folder: PathBuf,
    /// All of its variables.
    pub environment: Environment,
    /// How many tests passed, by what was printed; none when that does not say.
    pub count_passed: fn(&str) -> Option<u64>,
}

/// A skill without tests.
pub fn untested(skill: &SkillFolder, file: &Path) -> Error {
    let message = format!("the skill `{}` has no tests", skill.name);
    Error::new(Reason::SkillUntested, message)
        .with("skill", &skill.name)
        .with("file", skill.folder.join(file).display())
}

/// The files of a skill that are tests: at its top, and in `tests`.
///
/// # Errors
/// `SKILL_INVALID`.
pub fn test_files(skill: &SkillFolder, is_test: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>> {
    let files = hash::files(&skill.folder).map_err(|error| skill.unreadable(&error))?;
    let in_place = |file: &PathBuf| file.components().count() == 1 || file.starts_with("tests");
    Ok(files.into_iter().filter(in_place).filter(|file| is_test(file)).collect())
}

/// Nothing of the caller, and no token: tests need no daemon.
pub fn test_environment(program: &RuntimeCommand) -> Environment {
    let mut environment = environment::scrubbed();
    environment.extend(program.environment.clone());
    // What they say goes into logs and to models.
    environment.insert("NO_COLOR".to_owned(), "1".to_owned());
    environment
}

/// The sum of what cargo (`test result: ok. 2 passed; …`) and deno
/// (`ok | 2 passed | …`) say.
pub fn passed_tests(printed: &str) -> Option<u64> {
    let sums = printed
        .lines()
        .filter(|line| line.starts_with("test result: ") || line.starts_with("ok | "));
    let passed = sums.filter_map(|line| {
        let before = line.split_once(" passed")?.0;
        before.rsplit(' ').next()?.parse::<u64>().ok()
    });
    passed.fold(None, |sum, passed| Some(sum.unwrap_or(0) + passed))
}

/// The names of tests, for an error.
pub fn test_names(tests: &[PathBuf]) -> String {
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
