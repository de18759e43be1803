//! Writes the names and hashes of the bundled skills: a build trusts exactly
//! those that it was made with. First it puts the SDK into each skill of this tree:
//! those copies are not in git, and skills run and are tested where they lie.

#[path = "../src/skills/hash.rs"]
mod hash;

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

/// The folders of skills in this tree: what is bundled, and what the benchmark runs.
const SKILL_FOLDERS: [&str; 2] = ["../browser-skills", "../deploy/bench/skills"];

/// The program of a skill, by which its language is known, and the SDK of that.
const SDKS: [(&str, &str); 3] = [
    ("script.ts", "../sdk-ts/vendor"),
    ("script.py", "../sdk-python/vendor"),
    ("Cargo.toml", "../sdk-rust/vendor"),
];

/// Copies the SDK of its language into each skill, where it is not the same.
fn copy_sdks() -> io::Result<()> {
    for (program, sdk) in SDKS {
        println!("cargo::rerun-if-changed={sdk}");
        for folder in SKILL_FOLDERS {
            for entry in fs::read_dir(folder).into_iter().flatten() {
                let skill = entry?.path();
                if skill.join(program).is_file() {
                    copy_sdk(Path::new(sdk), &skill.join("_lib"))?;
                }
            }
        }
    }
    Ok(())
}

fn copy_sdk(sdk: &Path, lib: &Path) -> io::Result<()> {
    fs::create_dir_all(lib)?;
    for entry in fs::read_dir(sdk)? {
        let file = entry?;
        let content = fs::read(file.path())?;
        let copy = lib.join(file.file_name());
        if fs::read(&copy).ok().as_deref() == Some(&*content) {
            continue;
        }
        fs::write(&copy, content)?;
        // What is newer than this build makes the next one run again.
        let modified = file.metadata()?.modified()?;
        for path in [Some(&*copy), Some(lib), lib.parent()].into_iter().flatten() {
            fs::File::open(path)?.set_modified(modified)?;
        }
    }
    Ok(())
}

pub fn write() -> io::Result<()> {
    copy_sdks()?;
    let folder = Path::new("../browser-skills");
    println!("cargo::rerun-if-changed={}", folder.display());
    let mut skills = Vec::new();
    for entry in fs::read_dir(folder).into_iter().flatten() {
        let path = entry?.path();
        if path.join("SKILL.md").is_file() {
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            skills.push((name, hash::hash(&path)?));
        }
    }
    skills.sort();
    let mut table = String::from("&[");
    for (name, hash) in skills {
        let _ = write!(table, "({name:?}, {hash:?}), ");
    }
    table.push(']');
    let out = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&out).join("bundled.rs"), table)
}
