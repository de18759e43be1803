//! What the caller is told besides the response, in its metadata.

use std::collections::BTreeMap;

use browse_proto::{metadata, render::Untrusted};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tonic::metadata::MetadataMap;

use super::Context;
use crate::content::{Delivery, nonce};
use crate::engine::{SHOWN, UNCHECKED};

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

/// Takes back that there is page-derived content.
pub fn forget_untrusted(entries: &mut MetadataMap) {
    entries.remove(metadata::UNTRUSTED);
}

/// Says what the handler had to say, and, to the first root caller who wants
/// something of the browser, what became of the tabs of the last daemon.
pub fn notice(cx: &Context, entries: &mut MetadataMap) {
    let mut notices = cx.said();
    notices.extend(unseen(&cx.unseen()));
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

/// What was left out, and what is in the answer although it may be hidden, in
/// few words: every reader of an honest page gets it.
fn unseen(unseen: &BTreeMap<String, u32>) -> Vec<String> {
    let words = |is_shown: bool, says: &str| {
        let parts = unseen
            .iter()
            .filter(|(means, _)| means.ends_with(SHOWN) == is_shown && means.as_str() != UNCHECKED);
        let parts = parts.map(|(means, count)| {
            format!("{count} by {}", means.strip_suffix(SHOWN).unwrap_or(means))
        });
        let parts = parts.collect::<Vec<_>>().join(", ");
        (!parts.is_empty()).then(|| format!("{says}: {parts}"))
    };
    let left_out = words(false, "no person sees parts of the page");
    let shown = words(true, "the answer holds parts that a person may not see");
    let unchecked = unseen.contains_key(UNCHECKED).then(|| {
        "the answer may hold more that a person does not see: not all of the page could be checked"
            .to_owned()
    });
    left_out.into_iter().chain(shown).chain(unchecked).collect()
}

fn put(entries: &mut MetadataMap, name: &'static str, value: &str) {
    if let Ok(value) = value.parse() {
        entries.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_shown_all_the_same_is_said_apart() {
        let counts =
            |of: &[(&str, u32)]| of.iter().map(|(key, n)| ((*key).to_owned(), *n)).collect();
        assert_eq!(unseen(&counts(&[])), Vec::<String>::new());
        assert_eq!(
            unseen(&counts(&[("colour", 2), ("cover (shown)", 1), ("font", 3)])),
            [
                "no person sees parts of the page: 2 by colour, 3 by font",
                "the answer holds parts that a person may not see: 1 by cover",
            ]
        );
        assert_eq!(
            unseen(&counts(&[(UNCHECKED, 2)])),
            [
                "the answer may hold more that a person does not see: not all of the page could be checked"
            ]
        );
    }
}
