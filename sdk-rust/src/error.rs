//! The one error of the SDK, and how it is read from an answer.

use std::collections::BTreeMap;
use std::fmt;

use super::json::Json;

/// Why a call failed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Reason, as `docs/errors.md` lists them: `REF_STALE`.
    pub reason: String,
    /// What is wrong.
    pub message: String,
    /// What to do next.
    pub hint: String,
    /// The values that the message is made of.
    pub metadata: BTreeMap<String, String>,
    /// What a page chose, as pairs of what it is and what it says: untrusted.
    pub page: Box<[(String, String)]>,
    /// The gRPC status code.
    pub code: i32,
}

/// What a call answers with, or why it failed.
pub type Result<T, E = Error> = std::result::Result<T, E>;

const UNKNOWN: i32 = 2;
const INVALID_ARGUMENT: i32 = 3;
const DEADLINE_EXCEEDED: i32 = 4;
const RESOURCE_EXHAUSTED: i32 = 8;
const FAILED_PRECONDITION: i32 = 9;
const UNAVAILABLE: i32 = 14;

impl Error {
    /// An error of this reason and gRPC status code.
    pub fn new(reason: &str, message: impl Into<String>, hint: &str, code: i32) -> Self {
        let (message, metadata) = (message.into(), BTreeMap::new());
        let (reason, hint, page) = (reason.to_owned(), hint.to_owned(), Box::default());
        Self { reason, message, hint, metadata, page, code }
    }

    /// Whether the same call may succeed later, and did nothing so far.
    pub fn retryable(&self) -> bool {
        let is_final = self.metadata.get("retryable").is_some_and(|value| value == "false");
        self.metadata.contains_key("retry_ms") || self.code == UNAVAILABLE && !is_final
    }

    /// The same error with another hint.
    pub(crate) fn with_hint(self, hint: &str) -> Self {
        Self { hint: hint.to_owned(), ..self }
    }

    /// The same error with one more value.
    pub(crate) fn with_metadata(mut self, key: &str, value: impl Into<String>) -> Self {
        self.metadata.insert(key.to_owned(), value.into());
        self
    }

    /// What a client says when nobody answers.
    pub(crate) fn unreachable(address: &str, why: impl fmt::Display) -> Self {
        let message = format!("`{address}` does not answer: {why}");
        Self::new("DAEMON_UNREACHABLE", message, "Run `browse status`", UNAVAILABLE)
    }

    /// What a client says when the answer does not come in time.
    pub(crate) fn deadline_exceeded(milliseconds: u64) -> Self {
        let message = format!("no answer within {milliseconds} ms");
        Self::new("DEADLINE_EXCEEDED", message, "Raise the timeout", DEADLINE_EXCEEDED)
    }

    /// What a client says of an answer beyond `limit` MiB.
    pub(crate) fn too_large(limit: usize) -> Self {
        let message = format!("a message of the answer is larger than {limit} MiB");
        let hint = "Ask for less, such as one part of the page";
        Self::new("TOO_LARGE", message, hint, RESOURCE_EXHAUSTED)
            .with_metadata("limit", format!("{limit} MiB"))
    }

    /// What a client says when the remote server is not a daemon.
    pub(crate) fn unexpected_peer(address: &str, what: &str, hint: &str) -> Self {
        let message = format!("what answers at `{address}` is not a daemon of browse: {what}");
        Self::new("REMOTE_FOREIGN", message, hint, FAILED_PRECONDITION)
    }

    /// What a client says of arguments that fit no command.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new("ARGUMENT_INVALID", message, "See docs/commands.md", INVALID_ARGUMENT)
    }

    /// Reads an error of the Connect protocol.
    pub(crate) fn from_json(document: &Json) -> Self {
        let text = |value: &Json| sanitize_text(value.as_str().unwrap_or_default());
        let known = CODES.iter().position(|code| document["code"].as_str() == Some(code));
        let code = known.map_or(UNKNOWN, |at| at as i32 + 1);
        let info = detail(document, "google.rpc.ErrorInfo");
        let reason = match (text(&info["reason"]).replace('\n', " "), code) {
            (reason, DEADLINE_EXCEEDED) if reason.is_empty() => "DEADLINE_EXCEEDED".to_owned(),
            (reason, RESOURCE_EXHAUSTED) if reason.is_empty() => "TOO_LARGE".to_owned(),
            (reason, 12) if reason.is_empty() => "METHOD_UNKNOWN".to_owned(),
            (reason, UNAVAILABLE) if reason.is_empty() => "DAEMON_UNREACHABLE".to_owned(),
            (reason, _) if reason.is_empty() => "BUG".to_owned(),
            (reason, _) => reason,
        };
        let or = |text: String, other: String| if text.is_empty() { other } else { text };
        let hint = or(text(&info["hint"]), format!("See `{reason}` in docs/errors.md"));
        let silent = format!("the daemon answered with code {code} and no word");
        let message = or(text(&document["message"]), silent);
        let mut error = Self::new(&reason, message, &hint, code);
        if let Json::Object(members) = &info["metadata"] {
            let pair =
                |(key, value): &(String, Json)| Some((key.clone(), value.as_str()?.to_owned()));
            error.metadata = members.iter().filter_map(pair).collect();
        }
        let quotes = detail(document, "browse.v1.ErrorPage")["page"].items().iter();
        error.page = quotes.map(|quote| (text(&quote["about"]), text(&quote["text"]))).collect();
        error
    }

    /// Whether an error says its reason, as a daemon's always does.
    pub(crate) fn gives_reason(document: &Json) -> bool {
        detail(document, "google.rpc.ErrorInfo")["reason"].as_str().is_some_and(|r| !r.is_empty())
    }
}

/// The names of the codes in the Connect protocol, in the order of their numbers.
const CODES: [&str; 16] = [
    "canceled",
    "unknown",
    "invalid_argument",
    "deadline_exceeded",
    "not_found",
    "already_exists",
    "permission_denied",
    "resource_exhausted",
    "failed_precondition",
    "aborted",
    "out_of_range",
    "unimplemented",
    "internal",
    "unavailable",
    "data_loss",
    "unauthenticated",
];

/// What the first detail of this type says; `null` where there is none.
fn detail<'a>(document: &'a Json, kind: &str) -> &'a Json {
    static NONE: Json = Json::Null;
    let mut details = document["details"].items().iter();
    let found = details.find(|detail| detail["type"].as_str() == Some(kind));
    found.map_or(&NONE, |detail| &detail["debug"])
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason, self.message)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, " ({})", self.hint) }
    }
}

impl std::error::Error for Error {}

/// `text` without what would drive a terminal.
pub(crate) fn sanitize_text(text: &str) -> String {
    let drives = |letter: char| letter.is_control() && letter != '\n';
    let turns = |letter: char| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.replace(|letter| drives(letter) || turns(letter), " ")
}
