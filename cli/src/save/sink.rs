//! The pieces of an answer: bytes of files, their metadata and how they ended.

use browse_proto::{Command, Reason, render::Untrusted, wire};
use serde_json::{Map, Value};

use crate::{
    failure::{Failure, Result},
    response,
};

/// Field of FilePart that holds bytes.
const DATA_FIELD: u32 = 3;

/// Field of FilePart that says which file a piece belongs to.
const FILE_FIELD: u32 = 1;

/// What pieces are given to.
pub trait FileSink {
    /// So many files are to come.
    fn expect(&mut self, _files: u64) {}
    /// A file begins.
    fn head(&mut self, file: u64, head: &Map<String, Value>) -> Result<()>;
    /// Its next bytes.
    fn data(&mut self, file: u64, bytes: &[u8]) -> Result<()>;
    /// It ends.
    fn tail(&mut self, file: u64, tail: &Map<String, Value>) -> Result<()>;
    /// All are there: prints what came, and answers the exit code.
    fn finish(&mut self, untrusted: Option<&Untrusted>) -> Result<u8>;
}

/// Gives the piece in `message`, of an answer to `command`, to `sink`.
pub fn write_part(sink: &mut dyn FileSink, message: &[u8], command: &Command) -> Result<()> {
    let data = wire::bytes_field(message, DATA_FIELD).map_err(|error| malformed_failure(&error))?;
    if !data.is_empty() {
        // Without the detour over base64 that decoding would take.
        let file =
            wire::number_field(message, FILE_FIELD).map_err(|error| malformed_failure(&error))?;
        return sink.data(file, data);
    }
    let part = response::decode(command, message)?;
    let file = part.get("file").and_then(Value::as_u64).unwrap_or_default();
    if let Some(files) = part.get("files").and_then(Value::as_u64) {
        sink.expect(files);
    }
    if let Some(head) = part.get("head").and_then(Value::as_object) {
        sink.head(file, head)?;
    }
    if let Some(tail) = part.get("tail").and_then(Value::as_object) {
        sink.tail(file, tail)?;
    }
    Ok(())
}

fn malformed_failure(error: &wire::WireError) -> Failure {
    Failure::new(Reason::Bug, format!("a piece of the answer cannot be read: {error}"))
}

/// A text field of a head or a tail.
pub fn text_field<'a>(part: &'a Map<String, Value>, name: &str) -> &'a str {
    part.get(name).and_then(Value::as_str).unwrap_or_default()
}
