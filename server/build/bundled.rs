//! Writes the names and hashes of the bundled skills: a build trusts exactly
//! those that it was made with.

#[path = "../src/skills/hash.rs"]
mod hash;

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs, io};

pub fn write() -> io::Result<()> {
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
