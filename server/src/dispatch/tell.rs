//! What the caller is told besides the response, in its metadata.

use std::collections::{BTreeMap, BTreeSet};

use browse_proto::{metadata, render::Untrusted};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tonic::metadata::MetadataMap;

use super::Context;
use crate::content::{Delivery, nonce};
use crate::engine::{SHOWN, UNCHECKED};

/// Says that there is page-derived content, where it comes from, and what its
/// reader is to know; answers the warnings.
pub fn untrusted(cx: &Context, derived: bool, entries: &mut MetadataMap) -> Vec<String> {
    if (derived || cx.is_page_derived()) && cx.delivery() == Delivery::Guarded {
        return put_untrusted(cx, cx.warnings(), entries);
    }
    Vec::new()
}

fn put_untrusted(cx: &Context, warnings: Vec<String>, entries: &mut MetadataMap) -> Vec<String> {
    let untrusted = Untrusted {
        nonce: nonce(),
        source: cx.sources().words(),
        warnings,
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
    untrusted.warnings
}

/// Takes back that there is page-derived content.
pub fn forget_untrusted(entries: &mut MetadataMap) {
    entries.remove(metadata::UNTRUSTED);
}

/// Says what the handler had to say, and, to the first root caller who wants
/// something of the browser, what became of the tabs of the last daemon; answers it.
pub fn notice(cx: &Context, entries: &mut MetadataMap) -> Vec<String> {
    let mut notices = cx.said();
    notices.extend(unseen(&cx.unseen()));
    let wants_browser = cx.command().service == "BrowserService";
    if cx.is_root() && wants_browser {
        notices.extend(cx.daemon().take_notice());
    }
    if wants_browser && let Some(restarted) = restarted(cx) {
        notices.insert(0, restarted);
    }
    put_notices(&notices, entries);
    notices
}

fn put_notices(notices: &[String], entries: &mut MetadataMap) {
    if !notices.is_empty() {
        let encoded = utf8_percent_encode(&notices.join("; "), NON_ALPHANUMERIC).to_string();
        put(entries, metadata::NOTICE, &encoded);
    }
}

/// Says once to each client of a session that its browser ended and was started anew.
fn restarted(cx: &Context) -> Option<String> {
    let session = cx.known_session()?;
    let why = cx.daemon().sessions().slot().why();
    session.lost_since(cx.client()).then(|| {
        format!(
            "BROWSER_RESTARTED: the browser ended ({why}) and was started anew; a tab is loaded \
             again when a command uses it, refs from before are stale, and what `viewport`, \
             `header`, `useragent`, `emulate` and `network route` set is gone"
        )
    })
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

/// What the caller of a stream was told so far: its end says what came since.
#[derive(Debug, Default)]
pub struct Told {
    warnings: BTreeSet<String>,
    notices: BTreeSet<String>,
}

impl Told {
    /// Says at the beginning what is known by then.
    pub fn begin(&mut self, cx: &Context, entries: &mut MetadataMap) {
        // Page-derived content may come later; it is announced when the messages
        // have fields for it.
        let derived = cx.command().response.has_page();
        self.warnings.extend(untrusted(cx, derived, entries));
        self.notices.extend(notice(cx, entries));
    }

    /// The warnings about one message, which stand in it. The next message is judged anew.
    pub fn of_message(&mut self, cx: &Context) -> Vec<String> {
        if cx.delivery() == Delivery::Raw {
            return Vec::new();
        }
        let warnings = cx.warnings().into_iter();
        let news = warnings.filter(|warning| !self.warnings.contains(warning)).collect();
        cx.forget_found();
        news
    }

    /// The warnings that are new.
    fn news(&mut self, cx: &Context) -> Vec<String> {
        if cx.delivery() == Delivery::Raw {
            return Vec::new();
        }
        let warnings = cx.warnings().into_iter();
        warnings
            .filter(|warning| self.warnings.insert(warning.clone()))
            .take(MAX_WARNINGS)
            .collect()
    }

    /// Says at the end what is new; none when nothing is.
    pub fn end(&mut self, cx: &Context) -> Option<MetadataMap> {
        let mut entries = MetadataMap::new();
        let warnings = self.news(cx);
        if !warnings.is_empty() {
            put_untrusted(cx, warnings, &mut entries);
        }
        let notices: Vec<_> = cx.said().into_iter().chain(unseen(&cx.unseen())).collect();
        let is_new = |notice: &String| self.notices.insert(notice.clone());
        put_notices(&notices.into_iter().filter(is_new).collect::<Vec<_>>(), &mut entries);
        (!entries.is_empty()).then_some(entries)
    }
}

/// Warnings that one end of a stream, or one message of it, has: headers have a limit.
const MAX_WARNINGS: usize = 20;

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
