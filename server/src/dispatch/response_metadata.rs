//! What the caller gets besides the response, in its metadata.

use std::collections::{BTreeMap, BTreeSet};

use browse_proto::{metadata, render::Untrusted};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};
use tonic::metadata::MetadataMap;

use super::CallContext;
use browse_base::nonce;
use browse_engine::SHOWN_SUFFIX;
use browse_policy::Delivery;

/// Says that there is page-derived content, where it comes from, and what its
/// reader is to know; answers the warnings.
pub fn add_untrusted(cx: &CallContext, derived: bool, entries: &mut MetadataMap) -> Vec<String> {
    if (derived || cx.is_page_derived()) && cx.delivery() == Delivery::Guarded {
        return insert_untrusted(cx, cx.warnings(), entries);
    }
    Vec::new()
}

fn insert_untrusted(
    cx: &CallContext,
    warnings: Vec<String>,
    entries: &mut MetadataMap,
) -> Vec<String> {
    let untrusted = Untrusted {
        nonce: nonce(),
        source: cx.sources().display(),
        warnings,
        unseen: cx.hidden_counts().into_iter().collect(),
    };
    insert_ascii(entries, metadata::UNTRUSTED, &untrusted.entry());
    if !untrusted.warnings.is_empty() {
        let lines = untrusted.warnings.join("\n");
        insert_ascii(entries, metadata::WARNINGS, &encode_up_to(&lines));
    }
    if !untrusted.unseen.is_empty() {
        insert_ascii(entries, metadata::UNSEEN, &untrusted.unseen_entry());
    }
    untrusted.warnings
}

/// Takes back that there is page-derived content.
pub fn remove_untrusted(entries: &mut MetadataMap) {
    entries.remove(metadata::UNTRUSTED);
}

/// Says what the handler had to say, and, to the first root caller who wants
/// something of the browser, what became of the tabs of the last daemon; answers it.
pub fn add_notices(cx: &CallContext, entries: &mut MetadataMap) -> Vec<String> {
    let mut notices = cx.notices();
    notices.extend(hidden_notices(&cx.hidden_counts()));
    let wants_browser = cx.command().service == "BrowserService";
    if cx.is_root() && wants_browser {
        notices.extend(cx.daemon().take_notice());
    }
    if wants_browser {
        notices.extend(cx.take_person_notices());
    }
    if wants_browser && let Some(restarted) = restart_notice(cx) {
        notices.insert(0, restarted);
    }
    notices.extend(cx.take_restored_notice());
    insert_notices(&notices, entries);
    notices
}

fn insert_notices(notices: &[String], entries: &mut MetadataMap) {
    if !notices.is_empty() {
        insert_ascii(entries, metadata::NOTICE, &encode_up_to(&notices.join("; ")));
    }
}

/// Says once to each client of a session that its browser ended and was started anew.
fn restart_notice(cx: &CallContext) -> Option<String> {
    let session = cx.existing_session()?;
    let why = cx.daemon().sessions().browser_handle().exit_reason();
    session.take_browser_loss(cx.client()).then(|| {
        format!(
            "BROWSER_RESTARTED: the browser ended ({why}) and was started anew; a tab is loaded \
             again when a command uses it, refs from before are stale, and what `viewport`, \
             `header`, `useragent`, `emulate` and `network route` set is gone"
        )
    })
}

/// What was left out, and what is in the answer although it may be hidden, in
/// few words: every reader of an honest page gets it.
fn hidden_notices(unseen: &BTreeMap<String, u32>) -> Vec<String> {
    let words = |is_shown: bool, says: &str| {
        let parts = unseen.iter().filter(|(means, _)| means.ends_with(SHOWN_SUFFIX) == is_shown);
        let parts = parts.map(|(means, count)| {
            format!("{count} by {}", means.strip_suffix(SHOWN_SUFFIX).unwrap_or(means))
        });
        let parts = parts.collect::<Vec<_>>().join(", ");
        (!parts.is_empty()).then(|| format!("{says}: {parts}"))
    };
    let left_out = words(false, "no person sees parts of the page");
    let shown = words(true, "the answer holds parts that a person may not see");
    left_out.into_iter().chain(shown).collect()
}

/// Notices that a stream has sent so far. Its end carries the later ones.
#[derive(Debug, Default)]
pub struct ReportedMetadata {
    warnings: BTreeSet<String>,
    notices: BTreeSet<String>,
}

impl ReportedMetadata {
    /// Says at the beginning what is known by then.
    pub fn add_initial(&mut self, cx: &CallContext, entries: &mut MetadataMap) {
        // Page-derived content may come later; it is announced when the messages
        // have fields for it.
        let derived = cx.command().response.has_page_content();
        self.warnings.extend(add_untrusted(cx, derived, entries));
        self.notices.extend(add_notices(cx, entries));
    }

    /// The warnings about one message, which stand in it. The next message is judged anew.
    pub fn message_warnings(&mut self, cx: &CallContext) -> Vec<String> {
        if cx.delivery() == Delivery::Raw {
            return Vec::new();
        }
        let warnings = cx.warnings().into_iter();
        let news = warnings.filter(|warning| !self.warnings.contains(warning)).collect();
        cx.clear_warnings();
        news
    }

    /// The warnings that are new.
    fn take_new_warnings(&mut self, cx: &CallContext) -> Vec<String> {
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
    pub fn trailers(&mut self, cx: &CallContext) -> Option<MetadataMap> {
        let mut entries = MetadataMap::new();
        let warnings = self.take_new_warnings(cx);
        if !warnings.is_empty() {
            insert_untrusted(cx, warnings, &mut entries);
        }
        let notices: Vec<_> =
            cx.notices().into_iter().chain(hidden_notices(&cx.hidden_counts())).collect();
        let is_new = |notice: &String| self.notices.insert(notice.clone());
        insert_notices(&notices.into_iter().filter(is_new).collect::<Vec<_>>(), &mut entries);
        (!entries.is_empty()).then_some(entries)
    }
}

/// Warnings that one end of a stream, or one message of it, has: headers have a limit.
const MAX_WARNINGS: usize = 20;

/// Bytes of one encoded text in the headers: clients close the connection above 16 KiB
/// in all.
const MAX_ENCODED_BYTES: usize = 6_000;

/// What stands for the rest of a text that was cut: `…`.
const ENCODED_ELLIPSIS: &str = "%E2%80%A6";

/// `text`, percent-encoded, and cut where it is too long for a header.
fn encode_up_to(text: &str) -> String {
    let encoded = utf8_percent_encode(text, NON_ALPHANUMERIC).to_string();
    if encoded.len() <= MAX_ENCODED_BYTES {
        return encoded;
    }
    let mut cut = String::new();
    for letter in text.chars() {
        let mut bytes = [0; 4];
        let letter = utf8_percent_encode(letter.encode_utf8(&mut bytes), NON_ALPHANUMERIC);
        let letter = letter.to_string();
        if cut.len() + letter.len() + ENCODED_ELLIPSIS.len() > MAX_ENCODED_BYTES {
            break;
        }
        cut.push_str(&letter);
    }
    cut + ENCODED_ELLIPSIS
}

fn insert_ascii(entries: &mut MetadataMap, name: &'static str, value: &str) {
    if let Ok(value) = value.parse() {
        entries.insert(name, value);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_for_the_header() {
        for long in ["x".repeat(20_000), "ü; ".repeat(9_000)] {
            let encoded = encode_up_to(&long);
            assert!((5_900..=MAX_ENCODED_BYTES).contains(&encoded.len()), "{}", encoded.len());
            let text = percent_encoding::percent_decode_str(&encoded).decode_utf8();
            let text = text.expect("whole letters");
            let start = text.strip_suffix('…').expect("it is cut");
            assert!(long.starts_with(start));
        }
        assert_eq!(encode_up_to("a b"), "a%20b");
    }

    #[test]
    fn what_is_shown_all_the_same_is_said_apart() {
        let counts =
            |of: &[(&str, u32)]| of.iter().map(|(key, n)| ((*key).to_owned(), *n)).collect();
        assert_eq!(hidden_notices(&counts(&[])), Vec::<String>::new());
        assert_eq!(
            hidden_notices(&counts(&[("colour", 2), ("cover (shown)", 1), ("font", 3)])),
            [
                "no person sees parts of the page: 2 by colour, 3 by font",
                "the answer holds parts that a person may not see: 1 by cover",
            ]
        );
    }
}
