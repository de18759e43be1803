//! Copies the modules of a skill: `$BROWSE_HOME/cache/ts/<skill>-<hash>/`.
//!
//! A copy is made beside and renamed, and never written to afterwards.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::time::SystemTime;

use super::invalid;
use crate::skills::{drafts::unwritable_error, hash, skill_folder::SkillFolder, snapshot};
use browse_base::Result;

/// Changes with what is copied, so that an older copy is not used.
const CACHE_VERSION: u32 = 2;

/// Makes all files below it ES modules, and keeps node from looking for the
/// `package.json` of a project that the skill lies in.
const PACKAGE_JSON: &str = r#"{"type":"module"}"#;

/// The folder with the modules of a skill.
///
/// # Errors
/// `SKILL_INVALID`, and `FILE_UNWRITABLE` for the cache.
pub fn copy_once(skill: &SkillFolder, hash: &str, cache: &Path) -> Result<PathBuf> {
    let root = cache.join("ts");
    let folder = root.join(format!("{}-{CACHE_VERSION}-{}", skill.name, &hash[..32]));
    if !folder.join("script.ts").is_file() {
        // What is kept under a hash is made from what has it.
        create_copy(&snapshot::verified_copy(skill, hash, cache)?, &root, &folder)?;
        let _ = snapshot::remove_unused(&root);
    }
    touch(&folder);
    Ok(folder)
}

/// Copies all files of a skill into `folder`, as its tests want it.
///
/// # Errors
/// `SKILL_INVALID`, and `FILE_UNWRITABLE`.
pub fn copy_all(skill: &SkillFolder, folder: &Path) -> Result<()> {
    copy(skill, folder, |_| true)
}

fn create_copy(skill: &SkillFolder, root: &Path, folder: &Path) -> Result<()> {
    let unwritable = |error: io::Error| unwritable_error(root, &error);
    fs::create_dir_all(root).map_err(unwritable)?;
    let draft = tempfile::Builder::new().prefix(".draft-").tempdir_in(root).map_err(unwritable)?;
    copy(skill, draft.path(), is_program)?;
    match fs::rename(draft.path(), folder) {
        // Another daemon was quicker, with the same content.
        Err(_) if folder.join("script.ts").is_file() => Ok(()),
        done => done.map_err(unwritable),
    }
}

fn copy(skill: &SkillFolder, folder: &Path, is_wanted: fn(&Path) -> bool) -> Result<()> {
    let unwritable = |error: io::Error| unwritable_error(folder, &error);
    fs::create_dir_all(folder).map_err(unwritable)?;
    let files = hash::files(&skill.folder).map_err(|error| skill.unreadable(&error))?;
    for file in files.iter().filter(|file| is_wanted(file)) {
        let (from, to) = (skill.folder.join(file), folder.join(file));
        fs::create_dir_all(to.parent().unwrap_or(folder)).map_err(unwritable)?;
        fs::copy(&from, &to).map_err(|error| {
            let problem = format!("`{}` cannot be copied: {error}", file.display());
            invalid(skill, file, &problem)
        })?;
    }
    fs::write(folder.join("package.json"), PACKAGE_JSON).map_err(unwritable)
}

/// Whether a file is a module of the program.
fn is_program(file: &Path) -> bool {
    let Some(name) = file.file_name().and_then(|name| name.to_str()) else { return false };
    let hidden =
        file.components().any(|part| part.as_os_str().as_encoded_bytes().starts_with(b"."));
    if name.contains(".test.") || name.ends_with(".d.ts") || hidden || file.starts_with("fixtures")
    {
        return false;
    }
    let extension = file.extension().and_then(|extension| extension.to_str());
    matches!(extension, Some("ts" | "mts" | "cts" | "js" | "mjs" | "cjs" | "json"))
}

/// The files below `folder` whose types node strips. The SDK is large and left
/// out: linking strips it as well.
pub fn typescript_files(folder: &Path) -> io::Result<Vec<PathBuf>> {
    let mut files = hash::files(folder)?;
    files.retain(|file| {
        let extension = file.extension().and_then(|extension| extension.to_str());
        let is_declaration = file.to_string_lossy().ends_with(".d.ts");
        let is_own = !file.starts_with(crate::skills::sdk::LIB_FOLDER);
        matches!(extension, Some("ts" | "mts" | "cts"))
            && !is_declaration
            && is_own
            && !file.starts_with("fixtures")
    });
    Ok(files)
}

/// Remembers that a folder of the cache is in use.
pub fn touch(folder: &Path) {
    let touched = fs::File::open(folder).and_then(|file| file.set_modified(SystemTime::now()));
    if let Err(error) = touched {
        tracing::debug!(%error, "a folder of the cache cannot be touched");
    }
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::{SkillFolder, copy_once, typescript_files};
    use crate::skills::{hash::hash, tier::Tier};

    fn write(folder: &Path, file: &str, text: &str) {
        fs::create_dir_all(folder.join(file).parent().expect("a folder")).expect("made");
        fs::write(folder.join(file), text).expect("written");
    }

    fn copied(folder: &Path, cache: &Path) -> PathBuf {
        let skill = SkillFolder::new(Tier::Global, folder.to_owned());
        let hash = hash(folder).expect("hashed");
        copy_once(&skill, &hash, cache).expect("copied")
    }

    #[test]
    fn modules_keep_their_places_and_the_rest_stays_behind() {
        let (skill, cache) = (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
        let script = "import { a } from './lib/a.ts';\nconst b: number = a;";
        write(skill.path(), "script.ts", script);
        write(skill.path(), "lib/a.ts", "export const a: 1 = 1;");
        write(skill.path(), "_lib/browse.ts", "");
        write(skill.path(), "data.json", "{}");
        write(skill.path(), "package.json", "{\"type\":\"commonjs\"}");
        write(skill.path(), "script.test.ts", "let a: 1;");
        write(skill.path(), "types.d.ts", "");
        write(skill.path(), "fixtures/a.html", "<p>");
        write(skill.path(), ".env", "A=1");
        let folder = copied(skill.path(), cache.path());
        assert_eq!(fs::read_to_string(folder.join("script.ts")).expect("read"), script);
        assert_eq!(
            fs::read_to_string(folder.join("package.json")).expect("read"),
            r#"{"type":"module"}"#
        );
        let mut names: Vec<_> = fs::read_dir(&folder)
            .expect("read")
            .map(|entry| entry.expect("an entry").file_name())
            .collect();
        names.sort();
        assert_eq!(names, ["_lib", "data.json", "lib", "package.json", "script.ts"]);
        let mut checked = typescript_files(&folder).expect("read");
        checked.sort();
        assert_eq!(checked, [Path::new("lib/a.ts"), Path::new("script.ts")]);
    }

    #[test]
    fn another_content_is_another_copy() {
        let (skill, cache) = (tempfile::tempdir().expect("one"), tempfile::tempdir().expect("two"));
        write(skill.path(), "script.ts", "1");
        let first = copied(skill.path(), cache.path());
        assert_eq!(copied(skill.path(), cache.path()), first);
        write(skill.path(), "script.ts", "2");
        assert_ne!(copied(skill.path(), cache.path()), first);
    }
}
