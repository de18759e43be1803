//! What an answer in JSON says besides the message: that a page wrote some of it,
//! what its reader is warned of, and notices. gRPC has it in headers and trailers;
//! here it stands in the body, too.

use browse_proto::{metadata, render::Untrusted};
use http::{HeaderMap, HeaderValue};
use percent_encoding::percent_decode_str;
use serde_json::{Value, json};

/// The entries of one block of metadata.
#[derive(Clone, Debug, Default)]
pub struct MetadataNotices {
    /// Nonce, source and warnings; none when no page wrote any of it.
    pub untrusted: Option<Untrusted>,
    /// Notices for the caller.
    pub notice: Option<String>,
}

impl MetadataNotices {
    /// Those of `headers`, which may be trailers.
    pub fn from_headers(headers: &HeaderMap) -> Self {
        let entry = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let decoded = |entry: &str| percent_decode_str(entry).decode_utf8_lossy().into_owned();
        let warnings = entry(metadata::WARNINGS).map(decoded);
        let untrusted = entry(metadata::UNTRUSTED)
            .and_then(Untrusted::parse)
            .map(|untrusted| untrusted.with(warnings.as_deref(), entry(metadata::UNSEEN)));
        Self { untrusted, notice: entry(metadata::NOTICE).map(decoded) }
    }

    /// `"untrusted":{…},"notices":[…]` with a comma behind each; nothing without either.
    pub fn members(&self) -> String {
        let mut out = String::new();
        if let Some(untrusted) = &self.untrusted {
            out += &format!("\"untrusted\":{},", untrusted.json());
        }
        if let Some(notice) = &self.notice {
            out += &format!("\"notices\":{},", json!([notice]));
        }
        out
    }
}

/// Our entries of `trailers` as the metadata of the end of a stream.
pub fn end_metadata(trailers: &HeaderMap) -> Value {
    let ours = trailers.iter().filter(|(name, _)| name.as_str().starts_with("browse-"));
    let entry = |(name, value): (&http::HeaderName, &HeaderValue)| {
        (name.as_str().to_owned(), json!([value.to_str().unwrap_or_default()]))
    };
    Value::Object(ours.map(entry).collect())
}
