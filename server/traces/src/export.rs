//! A trace as one file.

use browse_base::{Error, Result};
use browse_proto::Reason;

use super::{
    har, playwright,
    step::{ResourceName, TraceHeader, TracedStep},
};

/// Bytes that a file may have: it goes through one message.
const MAX_FILE_BYTES: usize = 60 << 20;

/// What a trace is written as.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TraceFile {
    /// A zip file that Playwright's trace viewer opens.
    PlaywrightZip,
    /// The requests, as an HTTP Archive.
    Har,
}

impl TraceFile {
    /// Its MIME type.
    pub fn mime(self) -> &'static str {
        match self {
            Self::PlaywrightZip => "application/zip",
            Self::Har => "application/json",
        }
    }
}

/// Reads a file of the trace.
pub(crate) type ReadResource<'a> = &'a dyn Fn(&ResourceName) -> Option<Vec<u8>>;

pub(crate) fn write(
    kind: TraceFile,
    header: &TraceHeader,
    steps: &[TracedStep],
    read: ReadResource<'_>,
) -> Result<Vec<u8>> {
    let file = match kind {
        TraceFile::PlaywrightZip => playwright::zip(header, steps, read)?,
        TraceFile::Har => har::log(header, steps).to_string().into_bytes(),
    };
    match file.len() > MAX_FILE_BYTES {
        true => Err(too_large(file.len())),
        false => Ok(file),
    }
}

pub(crate) fn too_large(bytes: usize) -> Error {
    let message = format!("the file has {bytes} bytes");
    Error::new(Reason::TooLarge, message).with("limit", "60 MiB")
}
