//! Keeps translations: `$BROWSE_HOME/cache/ts/<skill>-<hash>/`.
//!
//! A translation is the skill's modules in their places, so that one finds
//! another by the same relative path. It is made beside and renamed, and never
//! written to afterwards.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use browse_proto::Reason;

use super::erase_process::erase_all;
use crate::error::{Error, Result};
use crate::skills::{hash, skill::Skill, snapshot};

/// A translation that no run used for so long is removed.
const MAX_UNUSED_AGE: Duration = Duration::from_secs(30 * 24 * 3600);

/// Changes with the translation, so that an older one is not used.
const CACHE_VERSION: u32 = 1;

/// The translated `script.ts` of a skill.
///
/// # Errors
/// `SKILL_INVALID`, and `FILE_UNWRITABLE` for the cache.
pub fn translate(skill: &Skill, hash: &str, cache: &Path) -> Result<PathBuf> {
    let root = cache.join("ts");
    let folder = root.join(format!("{}-{CACHE_VERSION}-{}", skill.name, &hash[..32]));
    if !folder.join("script.js").is_file() {
        // What is kept under a hash is made from what has it.
        create_translation(&snapshot::verified_copy(skill, hash, cache)?, &root, &folder)?;
        let _ = remove_unused(&root);
    }
    touch(&folder);
    Ok(folder.join("script.js"))
}

/// Translates all modules of a skill into `folder`, and puts all its other files
/// beside them, as its tests want it.
///
/// # Errors
/// `SKILL_INVALID`, and `FILE_UNWRITABLE`.
pub fn translate_all(skill: &Skill, folder: &Path) -> Result<()> {
    write_modules(skill, folder, |file| Some(test_target(file)))
}

fn create_translation(skill: &Skill, root: &Path, folder: &Path) -> Result<()> {
    let unwritable = |error: io::Error| unwritable(root, &error);
    fs::create_dir_all(root).map_err(unwritable)?;
    let draft = tempfile::Builder::new().prefix(".draft-").tempdir_in(root).map_err(unwritable)?;
    write_modules(skill, draft.path(), program_target)?;
    match fs::rename(draft.path(), folder) {
        // Another daemon was quicker, with the same content.
        Err(_) if folder.join("script.js").is_file() => Ok(()),
        done => done.map_err(unwritable),
    }
}

fn unwritable(path: &Path, error: &io::Error) -> Error {
    let message = format!("`{}` cannot be written: {error}", path.display());
    Error::new(Reason::FileUnwritable, message).with("path", path.display())
}

/// Writes each file of a skill to where `place` wants it, translated when that
/// is another name.
fn write_modules(skill: &Skill, folder: &Path, place: fn(&Path) -> Option<PathBuf>) -> Result<()> {
    let unwritable = |error: io::Error| unwritable(folder, &error);
    let (mut modules, mut texts) = (Vec::new(), Vec::new());
    let files = hash::files(&skill.folder);
    for file in files.map_err(|error| unreadable(skill, &skill.folder, &error))? {
        let Some(target) = place(&file) else { continue };
        let from = skill.folder.join(&file);
        let to = folder.join(&target);
        fs::create_dir_all(to.parent().unwrap_or(folder)).map_err(unwritable)?;
        if target == file {
            fs::copy(&from, &to).map_err(unwritable)?;
            continue;
        }
        let text = fs::read_to_string(&from).map_err(|error| unreadable(skill, &from, &error))?;
        modules.push((file, to));
        texts.push(text);
    }
    if !texts.is_empty() {
        let main = Path::new("script.ts");
        let erased = erase_all(&texts).map_err(|error| invalid(skill, main, &error.to_string()))?;
        for ((file, to), text) in modules.iter().zip(erased) {
            let text = text.map_err(|error| invalid(skill, file, &error.to_string()))?;
            fs::write(to, text).map_err(unwritable)?;
        }
    }
    fs::write(folder.join("package.json"), r#"{"type":"module"}"#).map_err(unwritable)
}

/// Where a file goes for tests: modules are translated, all else stays as it is.
fn test_target(file: &Path) -> PathBuf {
    let is_declaration = file.to_string_lossy().ends_with(".d.ts");
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("ts") if !is_declaration && !file.starts_with("fixtures") => file.with_extension("js"),
        Some("mts") if !file.starts_with("fixtures") => file.with_extension("mjs"),
        _ => file.to_owned(),
    }
}

/// Where a module goes; none for what is no module of the program.
fn program_target(file: &Path) -> Option<PathBuf> {
    let name = file.file_name()?.to_str()?;
    let is_test = name.contains(".test.");
    let is_declaration = name.ends_with(".d.ts");
    let hidden =
        file.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."));
    if is_test || is_declaration || hidden || file.starts_with("fixtures") {
        return None;
    }
    match file.extension()?.to_str()? {
        "ts" => Some(file.with_extension("js")),
        "mts" => Some(file.with_extension("mjs")),
        "js" | "mjs" | "json" if name != "package.json" => Some(file.to_owned()),
        _ => None,
    }
}

fn unreadable(skill: &Skill, file: &Path, error: &io::Error) -> Error {
    invalid(skill, file, &format!("it cannot be read: {error}"))
}

fn invalid(skill: &Skill, file: &Path, problem: &str) -> Error {
    let message = format!("the skill `{}` cannot run: `{}`, {problem}", skill.name, file.display());
    Error::new(Reason::SkillInvalid, message)
        .with("skill", &skill.name)
        .with("file", skill.display_path.join(file).display())
}

/// Remembers that the translation is in use.
fn touch(folder: &Path) {
    let touched = fs::File::open(folder).and_then(|file| file.set_modified(SystemTime::now()));
    if let Err(error) = touched {
        tracing::debug!(%error, "a translation cannot be touched");
    }
}

fn remove_unused(root: &Path) -> io::Result<()> {
    for entry in fs::read_dir(root)? {
        let entry = entry?;
        let used = entry.metadata()?.modified()?;
        if used.elapsed().is_ok_and(|age| age > MAX_UNUSED_AGE) {
            fs::remove_dir_all(entry.path())?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::Path;

    use super::{Skill, translate};
    use crate::skills::{hash::hash, tier::Tier};

    fn write(folder: &Path, file: &str, text: &str) {
        fs::create_dir_all(folder.join(file).parent().expect("a folder")).expect("made");
        fs::write(folder.join(file), text).expect("written");
    }

    fn translated(folder: &Path, cache: &Path) -> Result<std::path::PathBuf, String> {
        let skill = Skill::read(Tier::Global, folder.to_owned());
        let hash = hash(folder).expect("hashed");
        translate(&skill, &hash, cache).map_err(|error| error.to_string())
    }

    #[test]
    fn modules_keep_their_places_and_the_rest_stays_behind() {
        let (skill, cache) = (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
        write(skill.path(), "script.ts", "import { a } from './lib/a.ts';\nconst b: number = a;");
        write(skill.path(), "lib/a.ts", "export const a: 1 = 1;");
        write(skill.path(), "data.json", "{}");
        write(skill.path(), "script.test.ts", "let a: 1;");
        write(skill.path(), "fixtures/a.html", "<p>");
        write(skill.path(), ".env", "A=1");
        let script = translated(skill.path(), cache.path()).expect("translated");
        let folder = script.parent().expect("a folder");
        assert_eq!(
            fs::read_to_string(&script).expect("read"),
            "import { a } from './lib/a.js';\nconst b         = a;"
        );
        assert_eq!(
            fs::read_to_string(folder.join("lib/a.js")).expect("read"),
            "export const a    = 1;"
        );
        let mut names: Vec<_> = fs::read_dir(folder)
            .expect("read")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["data.json", "lib", "package.json", "script.js"]);
    }

    #[test]
    fn another_content_is_another_translation() {
        let (skill, cache) = (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
        write(skill.path(), "script.ts", "1");
        let first = translated(skill.path(), cache.path()).expect("translated");
        assert_eq!(translated(skill.path(), cache.path()).expect("translated"), first);
        write(skill.path(), "script.ts", "2");
        assert_ne!(translated(skill.path(), cache.path()).expect("translated"), first);
    }

    #[test]
    fn what_cannot_be_translated_is_named_with_its_line() {
        let (skill, cache) = (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
        write(skill.path(), "script.ts", "\nenum A { B }");
        let problem = translated(skill.path(), cache.path()).expect_err("it has an enum");
        assert!(
            problem.ends_with("`script.ts`, line 2: `enum` needs more than leaving types out"),
            "{problem}"
        );
        assert_eq!(fs::read_dir(cache.path().join("ts")).expect("read").count(), 0);
    }
}
