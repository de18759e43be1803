//! `manifest.json` of a folder: which file came from where, and what its bytes
//! were. A second run leaves out what it proves to be there.

use std::{
    fs,
    path::{Path, PathBuf},
};

use browse_proto::Reason;
use serde_json::{Map, Value, json};

use super::{NamedBy, OutputWriter, incoming_file::is_whole, name, sink::text_field};
use crate::failure::{Failure, Result};

/// Name of the manifest, which no file of the page gets.
pub const MANIFEST_NAME: &str = "manifest.json";

/// Bytes that a manifest may have; a larger one is not ours.
const MAX_MANIFEST_BYTES: u64 = 32 << 20;

/// The manifest of a folder.
#[derive(Debug, Default)]
pub struct SaveManifest {
    path: PathBuf,
    /// Files that are there and whole.
    files: Vec<Map<String, Value>>,
    failed: Vec<Value>,
}

impl SaveManifest {
    /// Reads the manifest of `folder`, and keeps what is true of it.
    ///
    /// # Errors
    /// `FILE_UNWRITABLE` where a file of that name is not a manifest of ours, which
    /// would be lost.
    pub fn read(folder: &Path) -> Result<Self> {
        let path = folder.join(MANIFEST_NAME);
        let Ok(about) = fs::metadata(&path) else {
            return Ok(Self { path, ..Self::default() });
        };
        let is_small = about.is_file() && about.len() <= MAX_MANIFEST_BYTES;
        let text = if is_small { fs::read(&path).unwrap_or_default() } else { Vec::new() };
        let document: Value = serde_json::from_slice(&text).unwrap_or_default();
        let Some(rows) = document["files"].as_array() else {
            return Err(foreign_manifest(&path));
        };
        let rows = rows.iter().filter_map(Value::as_object);
        let files = rows.filter(|row| is_row_valid(folder, row)).cloned().collect();
        Ok(Self { files, path, failed: Vec::new() })
    }

    /// Where it lies.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The addresses of the files that are there.
    pub fn known_urls(&self) -> Vec<String> {
        self.files.iter().map(|row| text_field(row, "url").to_owned()).collect()
    }

    /// A file that failed.
    pub fn add_failed(&mut self, url: &str, reason: &str, message: &str) {
        self.failed.push(json!({"url": url, "reason": reason, "message": message}));
    }

    /// A file that came.
    pub fn add(&mut self, row: Map<String, Value>) {
        self.files.retain(|other| text_field(other, "url") != text_field(&row, "url"));
        self.files.push(row);
    }

    /// Writes it.
    pub fn write(&self, output: &OutputWriter) -> Result<()> {
        let document = json!({"version": 1, "files": self.files, "failed": self.failed});
        let text = serde_json::to_string_pretty(&document).unwrap_or_default();
        output.write(&self.path, NamedBy::Caller, format!("{text}\n").as_bytes()).map(drop)
    }
}

fn foreign_manifest(path: &Path) -> Failure {
    let shown = path.display().to_string();
    let message = format!("`{shown}` is there, and is not a list of saved files");
    Failure::with_values(Reason::FileUnwritable, message, [("path", shown)])
        .with_hint("Give another folder, or move that file away")
}

/// Whether a row speaks of a plain file in the folder that is as it says. A
/// manifest may come from anywhere.
fn is_row_valid(folder: &Path, row: &Map<String, Value>) -> bool {
    let file = text_field(row, "file");
    let bytes = row.get("bytes").and_then(Value::as_u64);
    name::sanitize(file) == file
        && file != MANIFEST_NAME
        && bytes.is_some_and(|bytes| is_whole(&folder.join(file), bytes, text_field(row, "sha256")))
}

#[cfg(test)]
mod tests {
    use super::*;

    const HI: &str = "8f434346648f6b96df89dda901c5176b10a6d83961dd3c1ac88b59b2dc327aa4";

    #[test]
    fn only_what_is_true_is_known() {
        let place = tempfile::tempdir().expect("a temp dir");
        let folder = place.path().join("in");
        fs::create_dir(&folder).expect("a folder");
        for path in [folder.join("a.txt"), place.path().join("out.txt")] {
            fs::write(path, "hi").expect("a file");
        }
        let row = |file: &str, bytes: u64, sha256: &str| json!({"url": format!("http://x/{file}"), "file": file, "bytes": bytes, "sha256": sha256});
        let rows = [
            row("a.txt", 2, HI),
            row("a.txt", 3, HI),
            row("a.txt", 2, "00"),
            row("../out.txt", 2, HI),
            row("none.txt", 2, HI),
        ];
        fs::write(folder.join(MANIFEST_NAME), json!({"files": rows}).to_string())
            .expect("a manifest");
        let known = SaveManifest::read(&folder).expect("a manifest").known_urls();
        assert_eq!(known, ["http://x/a.txt"]);
        let none = SaveManifest::read(place.path()).expect("there is none").known_urls();
        assert_eq!(none, [""; 0]);
    }

    #[test]
    fn a_file_that_is_not_ours_is_refused() {
        let folder = tempfile::tempdir().expect("a temp dir");
        for text in ["{half", "", r#"{"manifest_version": 3}"#, r#"{"files": 3}"#] {
            fs::write(folder.path().join(MANIFEST_NAME), text).expect("a file");
            let refused = SaveManifest::read(folder.path()).expect_err("it is not ours");
            assert_eq!(refused.reason, "FILE_UNWRITABLE", "{text}");
        }
    }
}
