//! What the caller is told besides the response, in its metadata.

use browse_proto::{metadata, render::Untrusted};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tonic::metadata::MetadataMap;

use super::Context;
use crate::content::{Delivery, nonce};

/// Says that there is page-derived content, where it comes from, and what its
/// reader is to know.
pub fn untrusted(cx: &Context, derived: bool, entries: &mut MetadataMap) {
    if (derived || cx.is_page_derived()) && cx.delivery() == Delivery::Guarded {
        let untrusted = Untrusted {
            nonce: nonce(),
            source: cx.sources().words(),
            warnings: cx.warnings(),
            unseen: cx.unseen().into_iter().collect(),
        };
        put(entries, metadata::UNTRUSTED, &untrusted.entry());
        if !untrusted.warnings.is_empty() {
            let lines = untrusted.warnings.join("\n");
            let encoded = utf8_percent_encode(&lines, NON_ALPHANUMERIC).to_string();
            put(entries, metadata::WARNINGS, &encoded);
        }
        if !untrusted.unseen.is_empty() {
            put(entries, metadata::UNSEEN, &untrusted.unseen_entry());
        }
    }
}

/// Says what the handler had to say, and, to the first root caller who wants
/// something of the browser, what became of the tabs of the last daemon.
pub fn notice(cx: &Context, entries: &mut MetadataMap) {
    let mut notices = cx.said();
    notices.extend(unseen(cx));
    let wants_browser = cx.command().service == "BrowserService";
    if cx.is_root() && wants_browser {
        notices.extend(cx.daemon().take_notice());
    }
    if !notices.is_empty() {
        let notices = notices.join("; ");
        let encoded = utf8_percent_encode(&notices, NON_ALPHANUMERIC).to_string();
        put(entries, metadata::NOTICE, &encoded);
    }
}

/// What was left out, in few words: every reader of an honest page gets it.
fn unseen(cx: &Context) -> Option<String> {
    let unseen = cx.unseen();
    let parts = unseen.iter().map(|(means, count)| format!("{count} by {means}"));
    let parts = parts.collect::<Vec<_>>().join(", ");
    (!parts.is_empty()).then(|| format!("no person sees parts of the page: {parts}"))
}

fn put(entries: &mut MetadataMap, name: &'static str, value: &str) {
    if let Ok(value) = value.parse() {
        entries.insert(name, value);
    }
}
