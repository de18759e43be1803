//! How the program that runs came onto this machine.

use std::{
    fs,
    path::{Path, PathBuf},
};

/// A way of installing, and what upgrades it.
#[derive(Debug, PartialEq, Eq)]
pub enum Installation {
    /// install.sh, below this folder.
    Archive {
        /// What `--prefix` was.
        prefix: PathBuf,
    },
    /// A package of Debian.
    Deb,
    /// A wheel, for the Python at this path.
    Pip {
        /// The program `python` of the environment.
        python: PathBuf,
        /// The name of the package.
        package: String,
    },
    /// A package of npm.
    Npm {
        /// The package that carries the programs for all platforms.
        package: String,
        /// The folder with `node_modules`, of an installation for one project.
        project: Option<PathBuf>,
    },
    /// Built in a checkout.
    Checkout {
        /// Its folder.
        root: PathBuf,
    },
    /// Put there by hand.
    Unknown {
        /// The folder of the programs.
        folder: PathBuf,
    },
}

/// Where dpkg keeps the list of the files of our package.
const DPKG_LIST: &str = "/var/lib/dpkg/info/browse.list";

impl Installation {
    /// The installation that `program` belongs to, links resolved.
    pub fn of(program: &Path) -> Self {
        let program = fs::canonicalize(program).unwrap_or_else(|_| program.to_path_buf());
        let folder = program.parent().unwrap_or(Path::new("/")).to_path_buf();
        archive(&folder)
            .or_else(|| deb(&program))
            .or_else(|| npm(&program))
            .or_else(|| pip(&folder))
            .or_else(|| checkout(&folder))
            .unwrap_or(Self::Unknown { folder })
    }

    /// Its name in answers.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Archive { .. } => "archive",
            Self::Deb => "deb",
            Self::Pip { .. } => "pip",
            Self::Npm { .. } => "npm",
            Self::Checkout { .. } => "checkout",
            Self::Unknown { .. } => "unknown",
        }
    }

    /// What a person types to upgrade it.
    pub fn upgrade_command(&self) -> String {
        let quoted = |path: &Path| {
            let text = path.display().to_string();
            shlex::try_quote(&text).map(|quoted| quoted.into_owned()).unwrap_or(text)
        };
        match self {
            Self::Archive { .. } => "browse upgrade".to_owned(),
            Self::Deb => {
                "sudo apt-get update && sudo apt-get install --only-upgrade browse".to_owned()
            }
            Self::Pip { python, package } => {
                format!("{} -m pip install --upgrade {package}", quoted(python))
            }
            Self::Npm { package, project: None } => {
                format!("npm install --global {package}@latest")
            }
            Self::Npm { package, project: Some(folder) } => {
                format!("npm install --prefix {} {package}@latest", quoted(folder))
            }
            Self::Checkout { root } => {
                let root = quoted(root);
                format!("git -C {root} pull && make -C {root} build")
            }
            Self::Unknown { folder } => {
                format!("replace the programs in {} by those of a new release", quoted(folder))
            }
        }
    }
}

/// `PREFIX/lib/browse/VERSION/bin`, with the list that install.sh keeps.
fn archive(folder: &Path) -> Option<Installation> {
    let home = folder.parent()?.parent()?;
    let is_ours = home.ends_with("lib/browse") && home.join("installed.txt").is_file();
    let prefix = home.parent()?.parent()?;
    is_ours.then(|| Installation::Archive { prefix: prefix.to_path_buf() })
}

fn deb(program: &Path) -> Option<Installation> {
    let list = fs::read_to_string(DPKG_LIST).ok()?;
    list.lines().any(|line| Path::new(line) == program).then_some(Installation::Deb)
}

/// `…/node_modules/@scope/browse-linux-x64/bin/browse`; the launcher stands beside it.
fn npm(program: &Path) -> Option<Installation> {
    let modules = program.ancestors().find(|folder| folder.ends_with("node_modules"))?;
    let package = program.strip_prefix(modules).ok()?.parent()?.parent()?;
    let depends_on_it = |folder: &Path| -> Option<String> {
        let text = fs::read_to_string(folder.join("package.json")).ok()?;
        let manifest: serde_json::Value = serde_json::from_str(&text).ok()?;
        let platforms = manifest.get("optionalDependencies")?.as_object()?;
        platforms
            .contains_key(package.to_str()?)
            .then(|| manifest["name"].as_str().map(str::to_owned))?
    };
    let scope = modules.join(package).parent()?.to_path_buf();
    let launcher =
        fs::read_dir(scope).ok()?.flatten().find_map(|entry| depends_on_it(&entry.path()));
    let package = launcher.unwrap_or_else(|| package.display().to_string());
    // `npm install --global` has no package.json above.
    let project = modules.parent().filter(|folder| folder.join("package.json").is_file());
    Some(Installation::Npm { package, project: project.map(Path::to_path_buf) })
}

/// `bin` of an environment whose packages list a program of that name.
fn pip(folder: &Path) -> Option<Installation> {
    let environment = folder.parent()?;
    let python =
        ["python", "python3"].iter().map(|name| folder.join(name)).find(|path| path.exists())?;
    for version in fs::read_dir(environment.join("lib")).ok()?.flatten() {
        for packages in ["site-packages", "dist-packages"] {
            let Ok(entries) = fs::read_dir(version.path().join(packages)) else { continue };
            for entry in entries.flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                let Some(name) = name.strip_suffix(".dist-info") else { continue };
                let record = fs::read_to_string(entry.path().join("RECORD")).unwrap_or_default();
                if record.lines().any(|line| {
                    line.split(',').next().is_some_and(|path| path.ends_with("/bin/browsed"))
                }) {
                    let package = name.split('-').next().unwrap_or(name).replace('_', "-");
                    return Some(Installation::Pip { python, package });
                }
            }
        }
    }
    None
}

fn checkout(folder: &Path) -> Option<Installation> {
    let root = folder.ancestors().find(|above| above.join("deploy/build.sh").is_file())?;
    Some(Installation::Checkout { root: root.to_path_buf() })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(root: &Path, files: &[(&str, &str)]) {
        for (path, text) in files {
            let path = root.join(path);
            fs::create_dir_all(path.parent().expect("a parent")).expect("a folder");
            fs::write(path, text).expect("written");
        }
    }

    #[test]
    fn each_way_of_installing_is_recognised() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = &fs::canonicalize(folder.path()).expect("there");
        place(
            root,
            &[
                ("a/lib/browse/0.1.0/bin/browse", ""),
                ("a/lib/browse/installed.txt", ""),
                ("v/bin/browse", ""),
                ("v/bin/python3", ""),
                (
                    "v/lib/python3.11/site-packages/browse_cli-0.1.0.dist-info/RECORD",
                    "../../../bin/browsed,sha256=x,1\n",
                ),
                ("n/package.json", "{}"),
                ("n/node_modules/@s/browse-linux-x64/bin/browse", ""),
                (
                    "n/node_modules/@s/browse/package.json",
                    r#"{"name": "@s/browse", "optionalDependencies": {"@s/browse-linux-x64": "1"}}"#,
                ),
                ("c/deploy/build.sh", ""),
                ("c/target/release/browse", ""),
                ("o/browse", ""),
            ],
        );
        let of = |path: &str| {
            let found = Installation::of(&root.join(path));
            format!(
                "{}: {}",
                found.name(),
                found.upgrade_command().replace(&root.display().to_string(), "DIR")
            )
        };
        let paths = [
            "a/lib/browse/0.1.0/bin/browse",
            "v/bin/browse",
            "n/node_modules/@s/browse-linux-x64/bin/browse",
            "c/target/release/browse",
            "o/browse",
        ];
        let found: Vec<String> = paths.into_iter().map(of).collect();
        assert_eq!(
            found,
            [
                "archive: browse upgrade",
                "pip: DIR/v/bin/python3 -m pip install --upgrade browse-cli",
                "npm: npm install --prefix DIR/n @s/browse@latest",
                "checkout: git -C DIR/c pull && make -C DIR/c build",
                "unknown: replace the programs in DIR/o by those of a new release",
            ]
        );
    }
}
