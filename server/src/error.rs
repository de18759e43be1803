//! The one error of the daemon, and its one conversion to a gRPC status.

use std::collections::{BTreeMap, HashMap};

use browse_proto::Reason;
use tonic::{Code, Status};
use tonic_types::{ErrorDetails, StatusExt};

/// Why a call failed: a reason of `errors.proto`, a message that says what is
/// wrong, and the values that the message and the hint are made of.
#[derive(Clone, Debug, thiserror::Error)]
#[error("{message}")]
pub struct Error {
    reason: Reason,
    message: String,
    metadata: BTreeMap<String, String>,
}

/// The result of a handler.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// The `domain` of every `google.rpc.ErrorInfo` that we send.
pub const DOMAIN: &str = "browse";

/// The metadata key that carries the filled hint, so that a client needs no
/// table of its own.
pub const HINT: &str = "hint";

/// The metadata key of a document that was left while it was asked.
pub const LEFT: &str = "left";

/// Page text in an error is cut at this many characters.
const QUOTE_CHARS: usize = 80;

/// The same for a question of a page, which is what the caller has to decide.
const QUESTION_CHARS: usize = 200;

impl Error {
    /// Makes an error; `message` has no full stop.
    pub fn new(reason: Reason, message: impl Into<String>) -> Self {
        Self { reason, message: message.into(), metadata: BTreeMap::new() }
    }

    /// Adds a value, for the hint and for programs.
    #[must_use]
    pub fn with(mut self, key: &str, value: impl ToString) -> Self {
        self.metadata.insert(key.to_owned(), value.to_string());
        self
    }

    /// Adds a value unless there is one.
    #[must_use]
    pub fn or_with(self, key: &str, value: impl ToString) -> Self {
        if self.metadata.contains_key(key) { self } else { self.with(key, value) }
    }

    /// Adds to the message.
    #[must_use]
    pub fn and(mut self, more: &str) -> Self {
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

    /// The values as they travel: what quotes the page is cleaned and cut.
    pub fn safe_metadata(&self) -> BTreeMap<String, String> {
        let page = self.reason.rule().page;
        let safe = |(key, value): (&String, &String)| {
            let length = if key == "question" { QUESTION_CHARS } else { QUOTE_CHARS };
            let value = match page.contains(&key.as_str()) {
                true => quote_to(value, length),
                false => value.clone(),
            };
            (key.clone(), value)
        };
        self.metadata.iter().map(safe).collect()
    }

    /// Whether the document of the call was left meanwhile, or is about to be. A
    /// ref that is stale stays so.
    pub fn is_under_way(&self) -> bool {
        match self.reason {
            Reason::NavigationPending => true,
            Reason::RefStale => self.metadata.contains_key(LEFT),
            _ => false,
        }
    }

    /// As it is told to one who only looks: no ref of theirs went stale when the
    /// documents that they looked at were left, each for the next one.
    #[must_use]
    pub fn of_look(self) -> Self {
        match self.reason {
            Reason::RefStale if self.is_under_way() => {
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
        let metadata = self.safe_metadata();
        if let Some(hint) = metadata.get(HINT) {
            return hint.clone();
        }
        self.reason.rule().hint_with(|key| metadata.get(key).cloned())
    }
}

/// Page text for an error: on one line, without control characters, cut.
pub fn quote(text: &str) -> String {
    quote_to(text, QUOTE_CHARS)
}

/// The same, cut at `length` characters.
pub fn quote_to(text: &str, length: usize) -> String {
    let cleaned = crate::content::clean(text);
    cut(&cleaned.split_whitespace().collect::<Vec<_>>().join(" "), length)
}

/// How long a text of an error may be, the longest first that lets it travel.
const LENGTHS: [usize; 5] = [usize::MAX, 2_000, 600, 200, 60];

/// An error travels in headers, of which clients take 8 KiB (the limit of gRPC).
const HEADERS: usize = 7_000;

impl From<Error> for Status {
    fn from(error: Error) -> Self {
        let code = Code::from_i32(error.reason.rule().code as i32);
        let mut metadata: HashMap<_, _> = error.safe_metadata().into_iter().collect();
        metadata.insert(HINT.to_owned(), error.hint());
        let mut message = error.message;
        for length in LENGTHS {
            message = cut(&message, length);
            metadata.values_mut().for_each(|value| *value = cut(value, length));
            if travels_as(&message, &metadata) <= HEADERS {
                break;
            }
        }
        let mut details = ErrorDetails::new();
        details.set_error_info(error.reason.name(), DOMAIN, metadata);
        Status::with_error_details(code, message, details)
    }
}

/// Bytes of a message, which is percent-encoded, and of the details, which hold it
/// again and are in base64.
fn travels_as(message: &str, metadata: &HashMap<String, String>) -> usize {
    let plain = |byte: &u8| byte.is_ascii_graphic() && *byte != b'%';
    let escaped: usize =
        message.as_bytes().iter().map(|byte| if plain(byte) { 1 } else { 3 }).sum();
    let values: usize = metadata.iter().map(|(key, value)| key.len() + value.len() + 8).sum();
    escaped + (message.len() + values + 200) * 4 / 3
}

/// A text of at most so many characters.
fn cut(text: &str, length: usize) -> String {
    match text.char_indices().nth(length) {
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
            (stale().with(LEFT, "document"), Reason::NavigationPending),
            (stale(), Reason::RefStale),
            (Error::new(Reason::TabHung, "hangs").with(LEFT, "document"), Reason::TabHung),
        ];
        for (error, expected) in table {
            assert_eq!(error.of_look().reason(), expected);
        }
    }

    #[test]
    fn an_error_of_long_words_travels_all_the_same() {
        for long in ["x".repeat(100_000), "ü ".repeat(50_000)] {
            let told = format!("no element matches `{long}`");
            let error = Error::new(Reason::ElementNotFound, told).with("target", &long);
            let status = Status::from(error);
            let info = status.get_error_details().error_info().cloned().expect("the reason");
            let headers = travels_as(status.message(), &info.metadata);
            assert!((200..=HEADERS).contains(&headers), "{headers}");
            assert!(status.message().starts_with("no element matches"), "{}", status.message());
            assert_eq!(info.reason, "ELEMENT_NOT_FOUND");
        }
        let short = Status::from(Error::new(Reason::ElementNotFound, "ü".repeat(700)));
        assert_eq!(short.message().chars().count(), 700);
    }
}
