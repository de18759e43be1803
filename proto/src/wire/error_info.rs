//! Reads why a call failed from `grpc-status-details-bin`: a `google.rpc.Status`
//! whose details hold a `google.rpc.ErrorInfo`.
//! Messages: <https://github.com/googleapis/googleapis/tree/master/google/rpc>.

use std::collections::BTreeMap;

use super::read::{Raw, Reader, text};

const ERROR_INFO: &str = "type.googleapis.com/google.rpc.ErrorInfo";

/// A `google.rpc.ErrorInfo`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ErrorInfo {
    /// Name of the reason: `REF_STALE`.
    pub reason: String,
    /// `browse` when the daemon wrote it.
    pub domain: String,
    /// Values of the error.
    pub metadata: BTreeMap<String, String>,
}

/// The first `ErrorInfo` among the details of an encoded `google.rpc.Status`.
pub fn error_info(status: &[u8]) -> Option<ErrorInfo> {
    Reader::new(status).find_map(|field| match field.ok()? {
        (3, Raw::Bytes(any)) => of_any(any),
        _ => None,
    })
}

fn of_any(any: &[u8]) -> Option<ErrorInfo> {
    let (mut name, mut body) = ("", &[][..]);
    for field in Reader::new(any) {
        match field.ok()? {
            (1, Raw::Bytes(bytes)) => name = text(bytes).ok()?,
            (2, Raw::Bytes(bytes)) => body = bytes,
            _ => {}
        }
    }
    if name != ERROR_INFO {
        return None;
    }
    let mut info = ErrorInfo::default();
    for field in Reader::new(body) {
        match field.ok()? {
            (1, Raw::Bytes(bytes)) => info.reason = text(bytes).ok()?.to_owned(),
            (2, Raw::Bytes(bytes)) => info.domain = text(bytes).ok()?.to_owned(),
            (3, Raw::Bytes(entry)) => info.metadata.extend(pair(entry)),
            _ => {}
        }
    }
    Some(info)
}

fn pair(entry: &[u8]) -> Option<(String, String)> {
    let (mut key, mut value) = ("", "");
    for field in Reader::new(entry) {
        match field.ok()? {
            (1, Raw::Bytes(bytes)) => key = text(bytes).ok()?,
            (2, Raw::Bytes(bytes)) => value = text(bytes).ok()?,
            _ => {}
        }
    }
    Some((key.to_owned(), value.to_owned()))
}
