//! A file that is coming in.

use std::{
    fs, io,
    io::Write as _,
    path::{Path, PathBuf},
};

use browse_proto::Reason;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::{NamedBy, OutputWriter, signal_safe_file::SignalSafeFile, sink::text_field};
use crate::{
    failure::{Failure, Result},
    io_failure::unwritable,
};

/// A draft, and what is known of it so far.
pub struct IncomingFile {
    /// Where it is to lie.
    pub path: PathBuf,
    /// Its metadata, sent before its bytes.
    pub head: Map<String, Value>,
    file: SignalSafeFile,
    hash: Sha256,
    bytes: u64,
}

impl IncomingFile {
    /// Begins the file for `path`.
    pub fn begin(
        output: &OutputWriter,
        path: PathBuf,
        named: NamedBy,
        head: &Map<String, Value>,
    ) -> Result<Self> {
        let draft = output.begin(&path, named)?;
        Ok(Self { path, head: head.clone(), file: draft, hash: Sha256::new(), bytes: 0 })
    }

    /// Adds bytes.
    pub fn add(&mut self, bytes: &[u8]) -> Result<()> {
        self.hash.update(bytes);
        self.bytes += bytes.len() as u64;
        self.file.write_all(bytes).map_err(|error| unwritable(&self.path, &error))
    }

    /// Gives it its name, when it is what was sent.
    pub fn finish(self, output: &OutputWriter, tail: &Map<String, Value>) -> Result<PathBuf> {
        let Self { path, file: draft, hash, bytes, .. } = self;
        let sent = tail.get("bytes").and_then(Value::as_u64).unwrap_or_default();
        if sent != bytes || text_field(tail, "sha256") != hex(hash) {
            let message = format!("`{}` did not arrive as it was sent", path.display());
            return Err(Failure::new(Reason::Bug, message));
        }
        output.finish(draft, &path)
    }

    /// Whether it goes to standard output.
    pub fn is_standard_output(&self) -> bool {
        self.file.is_standard_output()
    }
}

fn hex(hash: Sha256) -> String {
    hash.finalize().iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Whether the plain file at `path` has this size and this hash.
pub fn is_whole(path: &Path, bytes: u64, sha256: &str) -> bool {
    let plain = fs::symlink_metadata(path).is_ok_and(|file| file.is_file() && file.len() == bytes);
    let mut hash = Sha256::new();
    plain
        && fs::File::open(path).and_then(|mut file| io::copy(&mut file, &mut hash)).is_ok()
        && hex(hash) == sha256
}
