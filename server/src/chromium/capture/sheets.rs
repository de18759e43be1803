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
const MOST: usize = 500;

/// With more than this, those of documents that are gone are dropped.
const MANY: usize = 100;

/// Bytes of an address that is remembered; `data:` ones can be megabytes. What
/// came from a longer one counts where all sheets of a document do.
const LONGEST: usize = 8_000;

/// What is known of a style sheet by its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SheetText {
    /// All that came from the address: nothing when loading it failed. For one
    /// that imports others, all sheets of the document.
    Known(Vec<String>),
    /// A request is under way.
    Awaited,
    /// The browser has not told of a request, or has no text any more, or what
    /// it has may be that of a later request.
    Unknown,
}

/// The requests for style sheets of one tab.
#[derive(Debug, Default)]
pub(crate) struct SheetRequests {
    known: HashMap<String, Requested>,
    order: VecDeque<String>,
    /// Documents of which requests were forgotten.
    forgotten: HashSet<LoaderId>,
}

#[derive(Debug)]
struct Requested {
    loader: LoaderId,
    /// The address that was asked for, and those that it was sent on to, but
    /// for those that are too long.
    urls: Vec<String>,
    state: State,
    /// It was answered out of the memory of the renderer.
    is_cached: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    UnderWay,
    Came,
    Failed,
}

impl SheetRequests {
    /// A request was sent by the document of `loader`, or sent on.
    pub(super) fn sent(&mut self, id: &str, loader: &LoaderId, url: &str) {
        let urls = Vec::from_iter((url.len() <= LONGEST).then(|| url.to_owned()));
        if let Some(known) = self.known.get_mut(id) {
            known.urls.extend(urls);
            known.state = State::UnderWay;
            return;
        }
        let (loader, state) = (loader.clone(), State::UnderWay);
        let requested = Requested { loader, urls, state, is_cached: false };
        self.known.insert(id.to_owned(), requested);
        self.order.push_back(id.to_owned());
        if self.order.len() > MOST
            && let Some(oldest) = self.order.pop_front()
            && let Some(oldest) = self.known.remove(&oldest)
        {
            self.forgotten.insert(oldest.loader);
        }
    }

    /// A request was answered out of the memory of the renderer.
    pub(super) fn cached(&mut self, id: &str) {
        if let Some(known) = self.known.get_mut(id) {
            known.is_cached = true;
        }
    }

    /// Whether documents that are gone should be dropped by
    /// [`SheetRequests::keep`].
    pub(super) fn is_crowded(&self) -> bool {
        self.order.len() > MANY || self.forgotten.len() > MANY
    }

    /// Only these documents are there.
    pub(super) fn keep(&mut self, documents: &HashSet<LoaderId>) {
        self.forgotten.retain(|loader| documents.contains(loader));
        self.known.retain(|_, one| documents.contains(&one.loader));
        self.order.retain(|id| self.known.contains_key(id));
    }

    /// A request ended.
    pub(super) fn ended(&mut self, id: &str, failed: bool) {
        if let Some(known) = self.known.get_mut(id) {
            known.state = if failed { State::Failed } else { State::Came };
        }
    }

    /// The requests that brought something from `url`, or from anywhere, to the
    /// document of `loader`; what is known without asking, where that is all.
    /// The renderer has one text for an address: after a second request over
    /// the network that may be the later one.
    fn of(
        &self,
        loader: &LoaderId,
        url: Option<&str>,
    ) -> std::result::Result<Vec<String>, SheetText> {
        if self.forgotten.contains(loader) {
            return Err(SheetText::Unknown);
        }
        let mut loaded: HashSet<&str> = HashSet::new();
        let (mut came, mut awaited, mut is_known) = (Vec::new(), false, false);
        for (id, one) in self.order.iter().filter_map(|id| self.known.get_key_value(id)) {
            let is_meant = url.is_none_or(|url| one.urls.iter().any(|known| known == url));
            if one.loader != *loader || !is_meant {
                continue;
            }
            is_known = true;
            for url in one.urls.iter().filter(|_| !one.is_cached) {
                if !loaded.insert(url) {
                    return Err(SheetText::Unknown);
                }
            }
            awaited |= one.state == State::UnderWay;
            if one.state == State::Came {
                came.push(id.clone());
            }
        }
        match (is_known, awaited) {
            (false, _) => Err(SheetText::Unknown),
            (true, true) => Err(SheetText::Awaited),
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
pub(super) fn note(page: &Page, id: &str, loader: &LoaderId, url: &str) {
    let mut requests = page.sheet_requests.lock();
    requests.sent(id, loader, url);
    if requests.is_crowded() {
        drop(requests);
        let mut documents: HashSet<_> = page.frames().into_iter().map(|it| it.loader).collect();
        // Its commit may not have been told of yet.
        documents.insert(loader.clone());
        page.sheet_requests.lock().keep(&documents);
    }
}

impl Page {
    /// The text of the style sheet that the document of `frame` has from `url`.
    pub async fn sheet_text(&self, frame: &FrameId, url: &str) -> SheetText {
        let Ok(frame) = self.frame(frame) else { return SheetText::Unknown };
        let url = url.split_once('#').map_or(url, |(before, _)| before);
        match self.came(&frame, Some(url)).await {
            SheetText::Known(texts) if texts.iter().any(|text| may_import(text)) => {
                self.came(&frame, None).await
            }
            known => known,
        }
    }

    async fn came(&self, frame: &Frame, url: Option<&str>) -> SheetText {
        let ids = match self.sheet_requests.lock().of(&frame.loader, url) {
            Ok(ids) => ids,
            Err(known) => return known,
        };
        let bodies = join_all(ids.iter().map(|id| body::of(&frame.session, id))).await;
        let text =
            |body: Result<ResponseBody>| body.ok().filter(|it| !it.is_base64).map(|it| it.text);
        let texts: Option<Vec<_>> = bodies.into_iter().map(text).collect();
        texts.map_or(SheetText::Unknown, SheetText::Known)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{LONGEST, MOST, SheetRequests, SheetText, may_import};
    use crate::chromium::ids::LoaderId;

    #[test]
    fn what_came_from_an_address_is_known_by_its_document() {
        let (one, other) = (LoaderId::from("1"), LoaderId::from("2"));
        let mut requests = SheetRequests::default();
        assert_eq!(requests.of(&one, Some("a")), Err(SheetText::Unknown));
        requests.sent("r1", &one, "a");
        assert_eq!(requests.of(&one, Some("a")), Err(SheetText::Awaited));
        requests.ended("r1", false);
        requests.sent("r2", &one, "before");
        requests.sent("r2", &one, "b");
        requests.ended("r2", true);
        let ids = |ids: &[&str]| Ok(ids.iter().map(|id| (*id).to_owned()).collect::<Vec<_>>());
        assert_eq!(requests.of(&one, Some("a")), ids(&["r1"]));
        assert_eq!(requests.of(&one, Some("before")), ids(&[]));
        assert_eq!(requests.of(&one, None), ids(&["r1"]));
        assert_eq!(requests.of(&other, Some("a")), Err(SheetText::Unknown));
    }

    #[test]
    fn a_second_request_may_have_brought_something_else() {
        let one = LoaderId::from("1");
        let mut requests = SheetRequests::default();
        for id in ["r1", "r2"] {
            requests.sent(id, &one, "a");
            requests.ended(id, false);
        }
        assert_eq!(requests.of(&one, Some("a")), Err(SheetText::Unknown));
        requests.cached("r2");
        assert!(requests.of(&one, Some("a")).is_ok());
    }

    #[test]
    fn a_document_whose_requests_were_forgotten_is_not_known() {
        let (one, other) = (LoaderId::from("1"), LoaderId::from("2"));
        let mut requests = SheetRequests::default();
        for number in 0..=MOST {
            requests.sent(&format!("r{number}"), &one, &format!("u{number}"));
        }
        requests.sent("r", &other, "u1");
        assert_eq!(requests.of(&one, Some("u1")), Err(SheetText::Unknown));
        assert_eq!(requests.of(&other, Some("u1")), Err(SheetText::Awaited));
        assert_eq!(requests.known.len(), MOST);
        requests.keep(&HashSet::from([one.clone()]));
        assert_eq!(requests.of(&one, Some("u2")), Err(SheetText::Unknown));
    }

    #[test]
    fn documents_that_are_gone_and_long_addresses_take_no_room() {
        let (one, other) = (LoaderId::from("1"), LoaderId::from("2"));
        let mut requests = SheetRequests::default();
        let long = format!("data:text/css,{}", "x".repeat(LONGEST));
        for (id, loader, url) in [("r1", &one, "a"), ("r2", &other, &*long)] {
            requests.sent(id, loader, url);
            requests.ended(id, false);
        }
        requests.keep(&HashSet::from([other.clone()]));
        assert_eq!(requests.of(&one, Some("a")), Err(SheetText::Unknown));
        assert_eq!((requests.known.len(), requests.order.len()), (1, 1));
        assert!(requests.known["r2"].urls.is_empty());
        assert_eq!(requests.of(&other, Some(&long)), Err(SheetText::Unknown));
        assert_eq!(requests.of(&other, None), Ok(vec!["r2".to_owned()]));
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
