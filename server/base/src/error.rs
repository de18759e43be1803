//! The one error of the daemon, and its one conversion to a gRPC status.

use std::collections::{BTreeMap, HashMap};

use browse_proto::{
    Reason, metadata,
    render::Untrusted,
    v1::{ErrorPage, PageQuote},
};
use prost::Message as _;
use prost_types::Any;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, Status as RichStatus, StatusExt};

/// Why a call failed: a reason of `errors.proto`, a message that says what is
/// wrong, the values that the message and the hint are made of, and apart from
/// them what a page chose.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    reason: Reason,
    message: String,
    metadata: BTreeMap<String, String>,
    page_quotes: Vec<PageQuote>,
}

/// The result of a handler.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The `domain` of every `google.rpc.ErrorInfo` that we send.
pub const ERROR_DOMAIN: &str = "browse";

/// The metadata key that carries the filled hint, so that a client needs no
/// table of its own.
pub const HINT_KEY: &str = "hint";

/// The metadata key of a document that was left while it was asked.
pub const DOCUMENT_LEFT_KEY: &str = "left";

/// Characters of a quote in an error.
const MAX_QUOTE_CHARS: usize = 80;

/// Quotes of an error, and their characters in all.
const MAX_QUOTES: usize = 5;
const MAX_QUOTED_CHARS: usize = 400;

impl Error {
    /// Makes an error; `message` has no full stop, and no word that a page chose.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), metadata: BTreeMap::new(), page_quotes: Vec::new() }
    }

    /// Adds a value, for the hint and for programs. One that the contract marks as
    /// chosen by a page becomes a quote.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl ToString) -> Self {
        if self.reason.rule().page.contains(&key) {
            return self.with_quote(key, value);
        }
        self.metadata.insert(key.to_owned(), value.to_string());
        self
    }

    /// Adds words that a page chose; `about` says what they are. None are added
    /// where there are none.
    #[must_use]
    pub fn with_quote(mut self, about: &str, text: impl ToString) -> Self {
        let text = text.to_string();
        if !text.trim().is_empty() {
            self.page_quotes.push(PageQuote { about: about.to_owned(), text });
        }
        self
    }

    /// What a page chose, as it travels: cleaned, each on one line, and as much as an
    /// error may hold.
    pub fn page_quotes(&self) -> Vec<PageQuote> {
        let mut left = MAX_QUOTED_CHARS;
        let mut quotes = Vec::new();
        for PageQuote { about, text } in self.page_quotes.iter().take(MAX_QUOTES) {
            let text = quote_up_to(text, MAX_QUOTE_CHARS.min(left));
            left -= text.chars().count();
            if !text.is_empty() {
                quotes.push(PageQuote { about: about.clone(), text });
            }
        }
        quotes
    }

    /// Adds a value unless there is one.
    #[must_use]
    pub fn with_default(self, key: &str, value: impl ToString) -> Self {
        if self.metadata.contains_key(key) { self } else { self.with(key, value) }
    }

    /// Adds to the message.
    #[must_use]
    pub fn append_message(mut self, more: &str) -> Self {
        self.message.push_str(more);
        self
    }

    /// The reason.
    pub fn reason(&self) -> Reason {
        self.reason
    }

    /// The values.
    pub fn metadata(&self) -> &BTreeMap<String, String> {
        &self.metadata
    }

    /// Whether the document of the call was left meanwhile, or is about to be. A
    /// ref that is stale stays so.
    pub fn is_navigation_in_progress(&self) -> bool {
        match self.reason {
            Reason::NavigationPending => true,
            Reason::RefStale => self.metadata.contains_key(DOCUMENT_LEFT_KEY),
            _ => false,
        }
    }

    /// As it is asked to one who only looks: no ref of theirs went stale when the
    /// documents that they looked at were left, each for the next one.
    #[must_use]
    pub fn for_read_only(self) -> Self {
        match self.reason {
            Reason::RefStale if self.is_navigation_in_progress() => {
                let message = "the tab goes on from document to document";
                Self::new(Reason::NavigationPending, message)
            }
            _ => self,
        }
    }

    /// The next step for the caller.
    ///
    /// It is the one of the reason, unless the caller needs another.
    pub fn hint(&self) -> String {
        match self.metadata.get(HINT_KEY) {
            Some(hint) => hint.clone(),
            None => self.reason.rule().hint_with(|key| self.metadata.get(key).cloned()),
        }
    }
}

/// Page text for an error: on one line, without control characters, cut.
pub fn quote(text: &str) -> String {
    quote_up_to(text, MAX_QUOTE_CHARS)
}

/// The same, cut at `length` characters.
pub fn quote_up_to(text: &str, length: usize) -> String {
    let cleaned = browse_guard::clean(text);
    truncate_chars(&cleaned.split_whitespace().collect::<Vec<_>>().join(" "), length)
}

/// How long a text of an error may be, the longest first that lets it travel.
const MAX_TEXT_CHARS_STEPS: [usize; 5] = [usize::MAX, 2_000, 600, 200, 60];

/// An error travels in headers, of which clients take 8 KiB (the limit of gRPC).
const MAX_HEADER_BYTES: usize = 7_000;

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        let code = Code::from_i32(error.reason.rule().code as i32);
        let mut metadata: HashMap<_, _> = error.metadata.clone().into_iter().collect();
        metadata.insert(HINT_KEY.to_owned(), error.hint());
        let page = ErrorPage { page: error.page_quotes() };
        let mut message = error.message;
        for length in MAX_TEXT_CHARS_STEPS {
            message = truncate_chars(&message, length);
            metadata.values_mut().for_each(|value| *value = truncate_chars(value, length));
            if encoded_header_bytes(&message, &metadata) + page.encoded_len() * 4 / 3
                <= MAX_HEADER_BYTES
            {
                break;
            }
        }
        let mut details = ErrorDetails::new();
        details.set_error_info(error.reason.name(), ERROR_DOMAIN, metadata);
        let status = Status::with_error_details(code, &*message, details);
        if page.page.is_empty() {
            return status;
        }
        let page = Any { type_url: ERROR_PAGE_TYPE_URL.to_owned(), value: page.encode_to_vec() };
        let mut whole = RichStatus::decode(status.details()).unwrap_or_default();
        whole.details.push(page);
        let mut status = Status::with_details(code, message, whole.encode_to_vec().into());
        let untrusted = Untrusted {
            nonce: crate::nonce(),
            source: "the page".to_owned(),
            ..Untrusted::default()
        };
        if let Ok(entry) = untrusted.entry().parse() {
            status.metadata_mut().insert(metadata::UNTRUSTED, entry);
        }
        status
    }
}

/// The type of the detail with what a page chose.
const ERROR_PAGE_TYPE_URL: &str = "type.googleapis.com/browse.v1.ErrorPage";

/// Bytes of a message, which is percent-encoded, and of the details, which hold it
/// again and are in base64.
fn encoded_header_bytes(message: &str, metadata: &HashMap<String, String>) -> usize {
    let plain = |byte: &u8| byte.is_ascii_graphic() && *byte != b'%';
    let escaped: usize =
        message.as_bytes().iter().map(|byte| if plain(byte) { 1 } else { 3 }).sum();
    let values: usize = metadata.iter().map(|(key, value)| key.len() + value.len() + 8).sum();
    escaped + (message.len() + values + 200) * 4 / 3
}

/// A text of at most so many characters.
fn truncate_chars(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
        Some(_) if length == 0 => String::new(),
        Some(_) => text.chars().take(length - 1).chain(['…']).collect(),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_only_looks_is_told_of_the_tab_and_not_of_refs() {
        let stale = || Error::new(Reason::RefStale, "gone");
        let table = [
            (stale().with(DOCUMENT_LEFT_KEY, "document"), Reason::NavigationPending),
            (stale(), Reason::RefStale),
            (
                Error::new(Reason::TabHung, "hangs").with(DOCUMENT_LEFT_KEY, "document"),
                Reason::TabHung,
            ),
        ];
        for (error, expected) in table {
            assert_eq!(error.for_read_only().reason(), expected);
        }
    }

    #[test]
    fn an_error_of_long_words_travels_all_the_same() {
        for long in ["x".repeat(100_000), "ü ".repeat(50_000)] {
            let reported = format!("no element matches `{long}`");
            let error = Error::new(Reason::ElementNotFound, reported).with("target", &long);
            let status = Status::from(error);
            let info = status.get_error_details().error_info().cloned().expect("the reason");
            let headers = encoded_header_bytes(status.message(), &info.metadata);
            assert!((200..=MAX_HEADER_BYTES).contains(&headers), "{headers}");
            assert!(status.message().starts_with("no element matches"), "{}", status.message());
            assert_eq!(info.reason, "ELEMENT_NOT_FOUND");
        }
        let short = Status::from(Error::new(Reason::ElementNotFound, "ü".repeat(700)));
        assert_eq!(short.message().chars().count(), 700);
    }

    #[test]
    fn a_page_has_little_room_in_an_error() {
        let long = "\u{2003}word\u{1b}[31m".repeat(300);
        let error = Error::new(Reason::ElementCovered, "the button is covered by a dialog");
        let error = (0..9).fold(error, |error, _| error.with("cover", &long));
        let page = error.page_quotes();
        assert_eq!(page.len(), MAX_QUOTES);
        let letters: usize = page.iter().map(|quote| quote.text.chars().count()).sum();
        assert!(letters <= MAX_QUOTED_CHARS, "{letters}");
        for quote in &page {
            assert!(quote.text.chars().count() <= MAX_QUOTE_CHARS);
            assert!(!quote.text.contains(['\u{1b}', '\n', '\u{2003}']), "{quote:?}");
        }
        let status = Status::from(error);
        assert_eq!(browse_proto::wire::error_page(status.details()).len(), MAX_QUOTES);
        assert!(status.metadata().contains_key(metadata::UNTRUSTED));
    }
}
