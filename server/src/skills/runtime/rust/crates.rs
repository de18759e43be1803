//! What a manifest of cargo asks for. The crates of the registry are fetched
//! outside the sandbox, so a manifest may name nothing else: a repository
//! would be cloned from wherever it says.

use std::path::{Component, Path};

use toml::{Table, Value};

/// Where the crates of a package come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CrateSource {
    /// It has none but those in its own folder.
    None,
    /// The registry.
    Registry,
}

/// Tables that list crates.
const DEPENDENCY_TABLES: [&str; 3] = ["dependencies", "dev-dependencies", "build-dependencies"];

/// Reads the manifest `text`, which lies in `folder` of the skill.
///
/// # Errors
/// What it may not ask for.
pub fn check_manifest(text: &str, folder: &Path) -> Result<CrateSource, String> {
    let table: Table = text.parse().map_err(|error: toml::de::Error| error.message().to_owned())?;
    for key in ["patch", "replace"] {
        if table.contains_key(key) {
            return Err(format!("`[{key}]` is not taken: name the crate as a dependency"));
        }
    }
    if let Some(Value::String(path)) = table.get("package").and_then(|it| it.get("workspace")) {
        check_path(path, folder)?;
    }
    let mut crates = CrateSource::None;
    check_tables(&table, folder, &mut crates)?;
    Ok(crates)
}

/// Looks at the lists of crates in `table`, those of targets and workspaces
/// below it included.
fn check_tables(table: &Table, folder: &Path, crates: &mut CrateSource) -> Result<(), String> {
    for (key, value) in table {
        let Value::Table(inner) = value else { continue };
        if DEPENDENCY_TABLES.contains(&key.replace('_', "-").as_str()) {
            for (name, wanted) in inner {
                dependency(name, wanted, folder, crates)?;
            }
        } else if key != "metadata" {
            check_tables(inner, folder, crates)?;
        }
    }
    Ok(())
}

fn dependency(
    name: &str,
    wanted: &Value,
    folder: &Path,
    crates: &mut CrateSource,
) -> Result<(), String> {
    let Value::Table(wanted) = wanted else {
        *crates = CrateSource::Registry;
        return Ok(());
    };
    for key in ["git", "registry", "registry-index"] {
        if wanted.contains_key(key) {
            return Err(format!(
                "`{name}` is asked for by `{key}`: use crates.io, or put it into `vendor`"
            ));
        }
    }
    match wanted.get("path") {
        Some(Value::String(path)) => check_path(path, folder),
        Some(_) => Err(format!("`{name}` has a bad `path`")),
        None if wanted.get("workspace").is_some() => Ok(()),
        None => {
            *crates = CrateSource::Registry;
            Ok(())
        }
    }
}

/// Checks that `path` does not lead out of the skill.
fn check_path(path: &str, folder: &Path) -> Result<(), String> {
    let mut depth: Vec<()> = folder.components().map(|_| ()).collect();
    for part in Path::new(path).components() {
        let inside = match part {
            Component::Normal(_) => {
                depth.push(());
                true
            }
            Component::CurDir => true,
            Component::ParentDir => depth.pop().is_some(),
            Component::RootDir | Component::Prefix(_) => false,
        };
        if !inside {
            return Err(format!("the path `{path}` leads out of the skill"));
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{CrateSource, check_manifest};

    #[test]
    fn own_crates_and_those_of_the_registry_pass() {
        let crates = |text| check_manifest(text, Path::new(""));
        assert_eq!(crates("[package]\nname = 'a'"), Ok(CrateSource::None));
        assert_eq!(crates("[dependencies]\nb = { path = './_lib/b/../b' }"), Ok(CrateSource::None));
        for text in [
            "[dependencies]\nb = '1'",
            "[dev-dependencies]\nb = { version = '1' }",
            "[dependencies.b]\nversion = '1'",
            "[target.'cfg(unix)'.dependencies]\nb = '1'",
            "[target.x86_64-unknown-linux-gnu.build-dependencies]\nb = '1'",
            "[workspace.dependencies]\nb = '1'",
        ] {
            assert_eq!(crates(text), Ok(CrateSource::Registry), "{text}");
        }
        assert_eq!(
            check_manifest("[dependencies]\nb = { path = '../b' }", Path::new("_lib/a")),
            Ok(CrateSource::None)
        );
    }

    #[test]
    fn nothing_else_is_fetched_or_read() {
        for text in [
            "[dependencies]\nb = { git = 'https://169.254.169.254/b' }",
            "[dependencies]\nb = { version = '1', registry = 'x' }",
            "[dependencies]\nb = { version = '1', registry-index = 'http://127.0.0.1/' }",
            "[target.'cfg(unix)'.dependencies]\nb = { git = 'file:///b' }",
            "[target.x86_64-unknown-linux-gnu.dependencies]\nb = { git = 'file:///b' }",
            "[workspace.dependencies]\nb = { git = 'ssh://b' }",
            "[build_dependencies]\nb = { git = 'ssh://b' }",
            "[dependencies]\nb = { path = '../b' }",
            "[dependencies]\nb = { path = '_lib/../../b' }",
            "[dependencies]\nb = { path = '/etc' }",
            "[package]\nworkspace = '../..'",
            "[patch.crates-io]\nb = { git = 'ssh://b' }",
            "[dependencies",
        ] {
            assert!(check_manifest(text, Path::new("")).is_err(), "{text}");
        }
    }
}
