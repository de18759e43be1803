//! Reads why a call failed from `grpc-status-details-bin`: a `google.rpc.Status`
//! whose details hold a `google.rpc.ErrorInfo`, and what a page chose in a
//! `browse.v1.ErrorPage`.
//! Messages: <https://github.com/googleapis/googleapis/tree/master/google/rpc>.

use std::collections::BTreeMap;

use super::read::{FieldReader, WireValue, text};

const ERROR_INFO_TYPE: &str = "type.googleapis.com/google.rpc.ErrorInfo";

const ERROR_PAGE_TYPE: &str = "type.googleapis.com/browse.v1.ErrorPage";

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
    let body = find_detail(status, ERROR_INFO_TYPE)?;
    let mut info = ErrorInfo::default();
    for field in FieldReader::new(body) {
        match field.ok()? {
            (1, WireValue::Bytes(bytes)) => info.reason = text(bytes).ok()?.to_owned(),
            (2, WireValue::Bytes(bytes)) => info.domain = text(bytes).ok()?.to_owned(),
            (3, WireValue::Bytes(entry)) => info.metadata.extend(pair(entry)),
            _ => {}
        }
    }
    Some(info)
}

/// What a page chose, of the first `browse.v1.ErrorPage` among the details of an encoded
/// `google.rpc.Status`: pairs of what it is and what it says.
pub fn error_page(status: &[u8]) -> Vec<(String, String)> {
    let quotes = FieldReader::new(find_detail(status, ERROR_PAGE_TYPE).unwrap_or_default());
    let quote = |field: Result<(u32, WireValue<'_>), _>| match field.ok()? {
        (1, WireValue::Bytes(quote)) => pair(quote),
        _ => None,
    };
    quotes.filter_map(quote).collect()
}

/// The first detail of this type.
fn find_detail<'a>(status: &'a [u8], wanted: &str) -> Option<&'a [u8]> {
    FieldReader::new(status).find_map(|field| {
        let (3, WireValue::Bytes(any)) = field.ok()? else { return None };
        let (mut name, mut body) = ("", &[][..]);
        for field in FieldReader::new(any) {
            match field.ok()? {
                (1, WireValue::Bytes(bytes)) => name = text(bytes).ok()?,
                (2, WireValue::Bytes(bytes)) => body = bytes,
                _ => {}
            }
        }
        (name == wanted).then_some(body)
    })
}

fn pair(entry: &[u8]) -> Option<(String, String)> {
    let (mut key, mut value) = ("", "");
    for field in FieldReader::new(entry) {
        match field.ok()? {
            (1, WireValue::Bytes(bytes)) => key = text(bytes).ok()?,
            (2, WireValue::Bytes(bytes)) => value = text(bytes).ok()?,
            _ => {}
        }
    }
    Some((key.to_owned(), value.to_owned()))
}
