//! The SDK that skills carry as `_lib`: whether theirs is the one of this
//! version or of an older one, byte by byte, and how they get it.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::io;
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::{hash, store::OpenFolder};

/// The files of the SDKs, by language.
pub mod bundles {
    include!(concat!(env!("OUT_DIR"), "/vendored.rs"));
}

/// The folder of a skill that holds it.
pub const LIB_FOLDER: &str = "_lib";

/// The SDK of a language.
pub struct SdkBundle {
    /// The folder of this tree that it comes from, which is its name in the table
    /// of what was released.
    pub folder: &'static str,
    /// Its files, by their names in `_lib`.
    pub files: &'static [(&'static str, &'static [u8])],
}

/// The files of the SDK for programs of this kind. An executable has none.
pub fn files(bundle: Option<&'static SdkBundle>) -> &'static [(&'static str, &'static [u8])] {
    bundle.map_or(&[], |bundle| bundle.files)
}

/// The files of `_lib` that are not those of the SDK: changed, missing or of
/// something else. A skill without `_lib` does without the SDK.
///
/// # Errors
/// A file cannot be read.
pub fn unexpected_files(
    skill: &Path,
    bundle: Option<&'static SdkBundle>,
) -> io::Result<Vec<PathBuf>> {
    let folder = skill.join(LIB_FOLDER);
    let bundle = files(bundle);
    if bundle.is_empty() || folder.symlink_metadata().is_err() {
        return Ok(Vec::new());
    }
    let found: BTreeSet<PathBuf> = hash::files(&folder)?.into_iter().collect();
    let mut strange = BTreeSet::new();
    for (name, content) in bundle {
        let same = found.contains(Path::new(name))
            && std::fs::read(folder.join(name)).is_ok_and(|bytes| bytes == *content);
        if !same {
            strange.insert(PathBuf::from(name));
        }
    }
    let ours = |file: &PathBuf| bundle.iter().any(|(name, _)| file == Path::new(name));
    strange.extend(found.into_iter().filter(|file| !ours(file) && !is_python_cache(file)));
    Ok(strange.into_iter().map(|file| Path::new(LIB_FOLDER).join(file)).collect())
}

/// The files of every SDK that was ever released.
const RELEASED_HASHES: &str = include_str!("released.txt");

/// The older version whose SDK the skill carries, with nothing changed; none
/// when it is of no version.
///
/// # Errors
/// A file cannot be read.
pub fn released_version(
    skill: &Path,
    bundle: Option<&'static SdkBundle>,
) -> io::Result<Option<String>> {
    matching_version(RELEASED_HASHES, skill, bundle)
}

fn matching_version(
    table: &str,
    skill: &Path,
    bundle: Option<&'static SdkBundle>,
) -> io::Result<Option<String>> {
    let Some(bundle) = bundle else { return Ok(None) };
    let mut versions: BTreeMap<&str, BTreeSet<(String, String)>> = BTreeMap::new();
    for line in table.lines().filter(|line| !line.starts_with('#')) {
        let mut words = line.split(' ');
        let (version, of) = (words.next().unwrap_or_default(), words.next());
        let (Some(name), Some(hash)) = (words.next(), words.next()) else { continue };
        if of == Some(bundle.folder) {
            versions.entry(version).or_default().insert((name.to_owned(), hash.to_owned()));
        }
    }
    let folder = skill.join(LIB_FOLDER);
    let mut found = BTreeSet::new();
    for file in hash::files(&folder)?.into_iter().filter(|file| !is_python_cache(file)) {
        let digest = Sha256::digest(std::fs::read(folder.join(&file))?);
        let hash: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
        found.insert((file.to_string_lossy().into_owned(), hash));
    }
    let same = versions.into_iter().find(|(_, files)| *files == found);
    Ok(same.map(|(version, _)| version.to_owned()))
}

/// What Python leaves behind.
fn is_python_cache(file: &Path) -> bool {
    file.components().any(|part| part.as_os_str() == "__pycache__")
}

/// Puts the SDK into the folder of a skill, in place of the one that it has.
///
/// # Errors
/// The folder cannot be written.
pub fn install(skill: &OpenFolder, bundle: Option<&'static SdkBundle>) -> io::Result<()> {
    let bundle = files(bundle);
    if bundle.is_empty() {
        return Ok(());
    }
    skill.remove(OsStr::new(LIB_FOLDER))?;
    let lib = skill.create_child(OsStr::new(LIB_FOLDER), 0o755)?;
    let mut below: Vec<(PathBuf, OpenFolder)> = Vec::new();
    for (name, content) in bundle {
        let path = Path::new(name);
        let (parent, file) = (path.parent().unwrap_or(Path::new("")), path.file_name());
        let folder = child_folder(&lib, &mut below, parent)?;
        folder.write(file.unwrap_or_default(), content, false)?;
    }
    for (_, folder) in below.iter().rev() {
        folder.sync()?;
    }
    lib.sync()?;
    skill.sync()
}

/// The folder `path` below `lib`, made when it is not there.
fn child_folder<'a>(
    lib: &'a OpenFolder,
    below: &'a mut Vec<(PathBuf, OpenFolder)>,
    path: &Path,
) -> io::Result<&'a OpenFolder> {
    let mut inner = PathBuf::new();
    for part in path.components() {
        let parent = inner.clone();
        inner.push(part);
        if below.iter().any(|(path, _)| *path == inner) {
            continue;
        }
        let made = match below.iter().find(|(path, _)| *path == parent) {
            Some((_, folder)) => folder.create_child(part.as_os_str(), 0o755)?,
            None => lib.create_child(part.as_os_str(), 0o755)?,
        };
        below.push((inner.clone(), made));
    }
    Ok(below.iter().find(|(found, _)| found == path).map_or(lib, |(_, folder)| folder))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::path::{Path, PathBuf};

    use super::{
        OpenFolder, SdkBundle, files, install, matching_version, released_version, unexpected_files,
    };
    use crate::skills::runtime::{ALL, detect};

    fn named(name: &str) -> Option<&'static SdkBundle> {
        ALL.into_iter().find(|runtime| runtime.name() == name).expect("a runtime").sdk()
    }

    #[test]
    fn the_skills_of_this_tree_carry_the_sdk_of_this_build() {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let mut seen = 0;
        for shelf in ["browser-skills", "deploy/bench/skills"] {
            for entry in fs::read_dir(root.join(shelf)).expect("a folder").flatten() {
                let kind = detect(&entry.path()).expect("a program").sdk();
                assert!(!files(kind).is_empty());
                assert!(entry.path().join("_lib").is_dir(), "{:?}", entry.path());
                let unexpected = unexpected_files(&entry.path(), kind).expect("read");
                assert!(
                    unexpected.is_empty(),
                    "{:?}: {unexpected:?}: run `make gen`",
                    entry.path()
                );
                seen += 1;
            }
        }
        assert!(seen >= 6);
    }

    #[test]
    fn an_older_sdk_is_known_by_its_hash() {
        let skill = tempfile::tempdir().expect("a folder");
        install(&OpenFolder::open(skill.path()).expect("open"), named("python")).expect("put");
        let own = released_version(skill.path(), named("python")).expect("read");
        assert_eq!(own.as_deref(), Some(env!("CARGO_PKG_VERSION")), "run `make gen`");
        // SHA-256 of `abc`.
        let hash = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        let table = format!(
            "# head\n0.0.1 sdk-ts browse.ts 00\n0.0.2 sdk-ts browse.ts {hash}\n0.0.3 sdk-ts browse.ts {hash}\n0.0.3 sdk-ts b.ts 00\n"
        );
        let lib = skill.path().join("_lib");
        fs::remove_dir_all(&lib).expect("removed");
        fs::create_dir(&lib).expect("made");
        fs::write(lib.join("browse.ts"), "abc").expect("written");
        let of = |kind| matching_version(&table, skill.path(), kind).expect("read");
        assert_eq!(of(named("typescript")).as_deref(), Some("0.0.2"));
        assert_eq!((of(named("python")), of(named("executable"))), (None, None));
        fs::write(lib.join("more.ts"), "").expect("written");
        assert_eq!(of(named("typescript")), None);
    }

    #[test]
    fn a_bundle_is_small() {
        for kind in ALL.into_iter().filter(|runtime| runtime.sdk().is_some()) {
            let bytes: usize = files(kind.sdk()).iter().map(|(_, content)| content.len()).sum();
            assert!((1..=180 << 10).contains(&bytes), "{kind:?}: {bytes}");
        }
    }

    #[test]
    fn every_byte_of_the_sdk_counts() {
        let skill = tempfile::tempdir().expect("a folder");
        let found = || unexpected_files(skill.path(), named("typescript")).expect("read");
        assert!(found().is_empty(), "without an SDK there is none to differ");
        let folder = OpenFolder::open(skill.path()).expect("open");
        install(&folder, named("typescript")).expect("put");
        assert!(found().is_empty());
        let (name, content) = files(named("typescript"))[0];
        let file = skill.path().join("_lib").join(name);
        let mut bytes = content.to_vec();
        bytes[0] ^= 1;
        fs::write(&file, bytes).expect("written");
        assert_eq!(found(), [Path::new("_lib").join(name)]);
        fs::remove_file(&file).expect("removed");
        assert_eq!(found(), [Path::new("_lib").join(name)]);
        fs::write(&file, content).expect("written");
        fs::write(skill.path().join("_lib/more.ts"), "").expect("written");
        assert_eq!(found(), [PathBuf::from("_lib/more.ts")]);
        install(&folder, named("typescript")).expect("put");
        assert!(found().is_empty());
    }
}
