//! What a daemon answers: the notices in its headers, and the message in its body.

use std::mem::take;

use browse_proto::{Command, Reason, metadata, render::Untrusted, wire};
use percent_encoding::percent_decode_str;
use serde_json::{Map, Value};
use tonic::metadata::MetadataMap;

use crate::{
    failure::{Failure, Result},
    print,
};

/// What the headers of an answer say.
#[derive(Clone, Debug, Default)]
pub struct ResponseNotices {
    /// Nonce and source of page-derived content.
    pub untrusted: Option<Untrusted>,
    /// A notice for the caller.
    pub notice: Option<String>,
}

impl ResponseNotices {
    /// Adds what the end of a stream says.
    pub fn merge(&mut self, end: Self) {
        match (&mut self.untrusted, end.untrusted) {
            (Some(begun), Some(ended)) => {
                begun.warnings.extend(ended.warnings);
                begun.unseen =
                    if ended.unseen.is_empty() { take(&mut begun.unseen) } else { ended.unseen };
            }
            (begun @ None, ended) => *begun = ended,
            (Some(_), None) => {}
        }
    }

    /// Reads what metadata says.
    pub fn from_metadata(headers: &MetadataMap) -> Self {
        let entry = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let decoded = |name| {
            entry(name).map(|value| percent_decode_str(value).decode_utf8_lossy().into_owned())
        };
        let warnings = decoded(metadata::WARNINGS);
        let untrusted = entry(metadata::UNTRUSTED).and_then(Untrusted::parse);
        let untrusted =
            untrusted.map(|known| known.with(warnings.as_deref(), entry(metadata::UNSEEN)));
        Self { untrusted, notice: decoded(metadata::NOTICE) }
    }

    /// Prints what the daemon says beside the answer.
    pub fn print(&self) {
        if let Some(notice) = &self.notice {
            print::note(notice);
        }
    }
}

/// Decodes an answer of `command`.
pub fn decode(command: &Command, body: &[u8]) -> Result<Map<String, Value>> {
    wire::decode(command.response, body).map_err(|error| {
        let message = format!("the answer to `{}` cannot be read: {error}", command.name);
        Failure::new(Reason::Bug, message)
    })
}
