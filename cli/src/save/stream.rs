//! An answer that comes in pieces: one file, or a folder of them.

use std::cell::RefCell;

use browse_proto::{Reason, wire};
use bytes::Bytes;
use serde_json::{Map, Value};

use super::{
    OutputWriter,
    folder::FolderSink,
    single::{self, SingleFileSink},
};
use crate::{
    call::{self, ResponseNotices},
    execute,
    failure::{Failure, Result},
    globals::Globals,
    parse::Invocation,
    request::PreparedRequest,
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
    fn finish(&mut self, notes: &ResponseNotices) -> Result<u8>;
}

/// Fails when what `invocation` saves cannot be written: before the page is asked
/// to do anything for it.
pub fn check_output(invocation: &Invocation, globals: &Globals) -> Result<()> {
    let output = OutputWriter::new(invocation, globals)?;
    let is_file = matches!(invocation.command.place, "path" | "-o");
    match invocation.path.as_deref().filter(|_| is_file) {
        Some(path) => single::check_path(path, &output),
        None => Ok(()),
    }
}

/// Makes the call of `request`, and writes what it answers.
pub fn call(request: &PreparedRequest, globals: &Globals) -> Result<u8> {
    let command = request.invocation.command;
    check_output(&request.invocation, globals)?;
    execute::with_daemon(command, globals, |daemon| {
        // A failure drops it, and with it what is half written.
        let mut sink: Box<dyn FileSink> = match command.takes_path() {
            true => Box::new(SingleFileSink::new(&request.invocation, globals)?),
            false => Box::new(FolderSink::open(&request.invocation, globals)?),
        };
        let notes = RefCell::new(ResponseNotices::default());
        let context = execute::context(request, globals, &daemon)?;
        execute::runtime()?.block_on(call::streaming(
            daemon,
            command,
            request.body.clone(),
            &context,
            |said| {
                execute::print_notices(&said);
                *notes.borrow_mut() = said;
                Ok(())
            },
            |message| dispatch_part(sink.as_mut(), &message, command),
            |end| {
                execute::print_notices(&end);
                notes.borrow_mut().merge(end);
            },
        ))?;
        Ok(sink.finish(&notes.borrow())?)
    })
}

fn dispatch_part(
    sink: &mut dyn FileSink,
    message: &Bytes,
    command: &browse_proto::Command,
) -> Result<()> {
    let data = wire::bytes_field(message, DATA_FIELD).map_err(|error| malformed_failure(&error))?;
    if !data.is_empty() {
        // Without the detour over base64 that decoding would take.
        let file =
            wire::number_field(message, FILE_FIELD).map_err(|error| malformed_failure(&error))?;
        return sink.data(file, data);
    }
    let part = execute::decode(command, message)?;
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
