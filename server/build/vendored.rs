//! Writes the table of the canonical SDK bundles, which skills carry as `_lib`.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs, io};

/// Language and places of its bundle: a folder, or a single file.
const BUNDLES: [(&str, &[&str]); 3] = [
    ("TYPESCRIPT", &["../sdk-ts/vendor"]),
    ("PYTHON", &["../sdk-python/vendor"]),
    ("RUST", &["../sdk-rust/vendor"]),
];

pub fn write() -> io::Result<()> {
    let mut table = String::new();
    for (language, places) in BUNDLES {
        let place = places.iter().map(Path::new).find(|place| place.exists());
        let _ = write!(table, "pub const {language}: &[(&str, &[u8])] = &[");
        for (name, path) in place.map(files).transpose()?.unwrap_or_default() {
            let path = path.canonicalize()?;
            println!("cargo::rerun-if-changed={}", path.display());
            let _ = write!(table, "({name:?}, include_bytes!({path:?})), ");
        }
        table.push_str("];\n");
        for place in places {
            // A place that is not there yet would make every build a new one.
            let place = Path::new(place);
            let parent = place.parent().filter(|parent| parent.exists());
            if let Some(watched) = if place.exists() { Some(place) } else { parent } {
                println!("cargo::rerun-if-changed={}", watched.display());
            }
        }
    }
    let out = env::var_os("OUT_DIR").unwrap_or_default();
    fs::write(Path::new(&out).join("vendored.rs"), table)
}

/// The files of a bundle by their name in it, sorted.
fn files(place: &Path) -> io::Result<Vec<(String, PathBuf)>> {
    if place.is_file() {
        let name = place.file_name().unwrap_or_default().to_string_lossy().into_owned();
        return Ok(vec![(name, place.to_owned())]);
    }
    let (mut found, mut open) = (Vec::new(), vec![place.to_owned()]);
    while let Some(folder) = open.pop() {
        for entry in fs::read_dir(folder)? {
            let path = entry?.path();
            if path.is_dir() {
                open.push(path);
            } else {
                let name = path.strip_prefix(place).unwrap_or(&path);
                found.push((name.to_string_lossy().into_owned(), path));
            }
        }
    }
    found.sort();
    Ok(found)
}
