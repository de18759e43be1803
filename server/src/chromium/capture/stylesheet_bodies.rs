//! Which requests brought the style sheets of a document, so that their text
//! can be had as it was applied.
//!
//! Asking Chromium for a resource by its address would not do: it loads the
//! address anew, and a server may answer something else the second time.

use std::collections::{HashMap, HashSet, VecDeque};

use futures::future::join_all;

use super::body::{self, ResponseBody};
use crate::chromium::error::Result;
use crate::chromium::ids::{FrameId, LoaderId};
use crate::chromium::page::frames::Frame;
use crate::chromium::page::page::Page;

/// Requests of one tab that are remembered; the oldest are forgotten first.
const MAX_REQUESTS: usize = 500;

/// With more than this, those of documents that are gone are dropped.
const PRUNE_THRESHOLD: usize = 100;

/// Bytes of an address that is remembered; `data:` ones can be megabytes. What
/// came from a longer one counts where all sheets of a document do.
const MAX_URL_BYTES: usize = 8_000;

/// What is known of a style sheet by its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum StylesheetText {
    /// All that came from the address: nothing when loading it failed. For one
    /// that imports others, all sheets of the document.
    Known(Vec<String>),
    /// A request is under way.
    Pending,
    /// The browser has not told of a request, or has no text any more, or what
    /// it has may be that of a later request.
    Unknown,
}

/// The requests for style sheets of one tab.
#[derive(Debug, Default)]
pub(crate) struct StylesheetRequests {
    requests: HashMap<String, StylesheetRequest>,
    order: VecDeque<String>,
    /// Documents of which requests were forgotten.
    forgotten_documents: HashSet<LoaderId>,
}

#[derive(Debug)]
struct StylesheetRequest {
    loader: LoaderId,
    /// The address that was asked for, and those that it was sent on to, but
    /// for those that are too long.
    urls: Vec<String>,
    state: StylesheetLoadState,
    /// It was answered out of the memory of the renderer.
    is_cached: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StylesheetLoadState {
    Loading,
    Loaded,
    Failed,
}

impl StylesheetRequests {
    /// A request was sent by the document of `loader`, or sent on.
    pub(super) fn record_sent(&mut self, id: &str, loader: &LoaderId, url: &str) {
        let urls = Vec::from_iter((url.len() <= MAX_URL_BYTES).then(|| url.to_owned()));
        if let Some(known) = self.requests.get_mut(id) {
            known.urls.extend(urls);
            known.state = StylesheetLoadState::Loading;
            return;
        }
        let (loader, state) = (loader.clone(), StylesheetLoadState::Loading);
        let requested = StylesheetRequest { loader, urls, state, is_cached: false };
        self.requests.insert(id.to_owned(), requested);
        self.order.push_back(id.to_owned());
        if self.order.len() > MAX_REQUESTS
            && let Some(oldest) = self.order.pop_front()
            && let Some(oldest) = self.requests.remove(&oldest)
        {
            self.forgotten_documents.insert(oldest.loader);
        }
    }

    /// A request was answered out of the memory of the renderer.
    pub(super) fn mark_cached(&mut self, id: &str) {
        if let Some(known) = self.requests.get_mut(id) {
            known.is_cached = true;
        }
    }

    /// Whether documents that are gone should be dropped by
    /// [`SheetRequests::keep`].
    pub(super) fn needs_pruning(&self) -> bool {
        self.order.len() > PRUNE_THRESHOLD || self.forgotten_documents.len() > PRUNE_THRESHOLD
    }

    /// Only these documents are there.
    pub(super) fn retain_documents(&mut self, documents: &HashSet<LoaderId>) {
        self.forgotten_documents.retain(|loader| documents.contains(loader));
        self.requests.retain(|_, one| documents.contains(&one.loader));
        self.order.retain(|id| self.requests.contains_key(id));
    }

    /// A request ended.
    pub(super) fn mark_ended(&mut self, id: &str, failed: bool) {
        if let Some(known) = self.requests.get_mut(id) {
            known.state =
                if failed { StylesheetLoadState::Failed } else { StylesheetLoadState::Loaded };
        }
    }

    /// The requests that brought something from `url`, or from anywhere, to the
    /// document of `loader`; what is known without asking, where that is all.
    /// The renderer has one text for an address: after a second request over
    /// the network that may be the later one.
    fn requests_for(
        &self,
        loader: &LoaderId,
        url: Option<&str>,
    ) -> std::result::Result<Vec<String>, StylesheetText> {
        if self.forgotten_documents.contains(loader) {
            return Err(StylesheetText::Unknown);
        }
        let mut loaded: HashSet<&str> = HashSet::new();
        let (mut came, mut awaited, mut is_known) = (Vec::new(), false, false);
        for (id, one) in self.order.iter().filter_map(|id| self.requests.get_key_value(id)) {
            let is_meant = url.is_none_or(|url| one.urls.iter().any(|known| known == url));
            if one.loader != *loader || !is_meant {
                continue;
            }
            is_known = true;
            for url in one.urls.iter().filter(|_| !one.is_cached) {
                if !loaded.insert(url) {
                    return Err(StylesheetText::Unknown);
                }
            }
            awaited |= one.state == StylesheetLoadState::Loading;
            if one.state == StylesheetLoadState::Loaded {
                came.push(id.clone());
            }
        }
        match (is_known, awaited) {
            (false, _) => Err(StylesheetText::Unknown),
            (true, true) => Err(StylesheetText::Pending),
            (true, false) => Ok(came),
        }
    }
}

/// Whether a sheet may import others. The name of a rule may be written with
/// escapes.
fn may_import(text: &str) -> bool {
    let name = |rest: &str| {
        let end = rest.find(|it: char| it.is_whitespace() || "\"'(;{/".contains(it));
        let name = &rest[..end.unwrap_or(rest.len())];
        name.contains('\\') || name.eq_ignore_ascii_case("import")
    };
    text.match_indices('@').any(|(at, _)| name(&text[at + 1..]))
}

/// A document of the page has sent a request for a sheet.
pub(super) fn record_request(page: &Page, id: &str, loader: &LoaderId, url: &str) {
    let mut requests = page.stylesheet_requests.lock();
    requests.record_sent(id, loader, url);
    if requests.needs_pruning() {
        drop(requests);
        let mut documents: HashSet<_> = page.frames().into_iter().map(|it| it.loader).collect();
        // Its commit may not have been told of yet.
        documents.insert(loader.clone());
        page.stylesheet_requests.lock().retain_documents(&documents);
    }
}

impl Page {
    /// The text of the style sheet that the document of `frame` has from `url`.
    pub async fn stylesheet_text(&self, frame: &FrameId, url: &str) -> StylesheetText {
        let Ok(frame) = self.frame(frame) else { return StylesheetText::Unknown };
        let url = url.split_once('#').map_or(url, |(before, _)| before);
        match self.loaded_text(&frame, Some(url)).await {
            StylesheetText::Known(texts) if texts.iter().any(|text| may_import(text)) => {
                self.loaded_text(&frame, None).await
            }
            known => known,
        }
    }

    async fn loaded_text(&self, frame: &Frame, url: Option<&str>) -> StylesheetText {
        let ids = match self.stylesheet_requests.lock().requests_for(&frame.loader, url) {
            Ok(ids) => ids,
            Err(known) => return known,
        };
        let bodies =
            join_all(ids.iter().map(|id| body::fetch_response_body(&frame.session, id))).await;
        let text =
            |body: Result<ResponseBody>| body.ok().filter(|it| !it.is_base64).map(|it| it.text);
        let texts: Option<Vec<_>> = bodies.into_iter().map(text).collect();
        texts.map_or(StylesheetText::Unknown, StylesheetText::Known)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{MAX_REQUESTS, MAX_URL_BYTES, StylesheetRequests, StylesheetText, may_import};
    use crate::chromium::ids::LoaderId;

    #[test]
    fn what_came_from_an_address_is_known_by_its_document() {
        let (one, other) = (LoaderId::from("1"), LoaderId::from("2"));
        let mut requests = StylesheetRequests::default();
        assert_eq!(requests.requests_for(&one, Some("a")), Err(StylesheetText::Unknown));
        requests.record_sent("r1", &one, "a");
        assert_eq!(requests.requests_for(&one, Some("a")), Err(StylesheetText::Pending));
        requests.mark_ended("r1", false);
        requests.record_sent("r2", &one, "before");
        requests.record_sent("r2", &one, "b");
        requests.mark_ended("r2", true);
        let ids = |ids: &[&str]| Ok(ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>());
        assert_eq!(requests.requests_for(&one, Some("a")), ids(&["r1"]));
        assert_eq!(requests.requests_for(&one, Some("before")), ids(&[]));
        assert_eq!(requests.requests_for(&one, None), ids(&["r1"]));
        assert_eq!(requests.requests_for(&other, Some("a")), Err(StylesheetText::Unknown));
    }

    #[test]
    fn a_second_request_may_have_brought_something_else() {
        let one = LoaderId::from("1");
        let mut requests = StylesheetRequests::default();
        for id in ["r1", "r2"] {
            requests.record_sent(id, &one, "a");
            requests.mark_ended(id, false);
        }
        assert_eq!(requests.requests_for(&one, Some("a")), Err(StylesheetText::Unknown));
        requests.mark_cached("r2");
        assert!(requests.requests_for(&one, Some("a")).is_ok());
    }

    #[test]
    fn a_document_whose_requests_were_forgotten_is_not_known() {
        let (one, other) = (LoaderId::from("1"), LoaderId::from("2"));
        let mut requests = StylesheetRequests::default();
        for number in 0..=MAX_REQUESTS {
            requests.record_sent(&format!("r{number}"), &one, &format!("u{number}"));
        }
        requests.record_sent("r", &other, "u1");
        assert_eq!(requests.requests_for(&one, Some("u1")), Err(StylesheetText::Unknown));
        assert_eq!(requests.requests_for(&other, Some("u1")), Err(StylesheetText::Pending));
        assert_eq!(requests.requests.len(), MAX_REQUESTS);
        requests.retain_documents(&HashSet::from([one.clone()]));
        assert_eq!(requests.requests_for(&one, Some("u2")), Err(StylesheetText::Unknown));
    }

    #[test]
    fn documents_that_are_gone_and_long_addresses_take_no_room() {
        let (one, other) = (LoaderId::from("1"), LoaderId::from("2"));
        let mut requests = StylesheetRequests::default();
        let long = format!("data:text/css,{}", "x".repeat(MAX_URL_BYTES));
        for (id, loader, url) in [("r1", &one, "a"), ("r2", &other, &*long)] {
            requests.record_sent(id, loader, url);
            requests.mark_ended(id, false);
        }
        requests.retain_documents(&HashSet::from([other.clone()]));
        assert_eq!(requests.requests_for(&one, Some("a")), Err(StylesheetText::Unknown));
        assert_eq!((requests.requests.len(), requests.order.len()), (1, 1));
        assert!(requests.requests["r2"].urls.is_empty());
        assert_eq!(requests.requests_for(&other, Some(&long)), Err(StylesheetText::Unknown));
        assert_eq!(requests.requests_for(&other, None), Ok(vec!["r2".to_owned()]));
    }

    #[test]
    fn imports_are_known_however_they_are_written() {
        for text in ["@import 'a'", "a{}@IMPORT\"a\"", "@\\69mport url(a)", "@i\\6d port 'a'"] {
            assert!(may_import(text), "{text}");
        }
        for text in ["@media print{}", "a{content:'import'}", "@layer a;", ""] {
            assert!(!may_import(text), "{text}");
        }
    }
}
