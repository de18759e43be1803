//! The one error of the SDK, and how it is read from an answer.

use std::collections::BTreeMap;
use std::fmt;

use super::wire::{Raw, entries};

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

    /// The same of one elsewhere.
    pub(crate) fn remote_unreachable(address: &str, why: impl fmt::Display) -> Self {
        let hint = "Check the network, and ask the owner whether the pairing still is";
        Self { hint: hint.to_owned(), ..Self::unreachable(address, why) }
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

    /// What a client says when what answers elsewhere is no daemon.
    pub(crate) fn unexpected_peer(address: &str, what: &str) -> Self {
        let message = format!("what answers at `{address}` is no daemon of browse: {what}");
        let hint = "Ask the owner to look at `browse tunnel status`, and for a new block; the call may have been carried out";
        Self::new("REMOTE_FOREIGN", message, hint, FAILED_PRECONDITION)
    }

    /// What a client says of arguments that fit no command.
    pub(crate) fn argument(message: impl Into<String>) -> Self {
        Self::new("ARGUMENT_INVALID", message, "See docs/commands.md", INVALID_ARGUMENT)
    }

    /// Reads the error of an answer; `None` when the status is OK.
    pub(crate) fn from_trailers(trailers: &BTreeMap<String, String>) -> Option<Self> {
        let get = |name: &str| trailers.get(name).map_or("", String::as_str);
        let code = get("grpc-status").parse().unwrap_or(UNKNOWN);
        if code == 0 {
            return None;
        }
        let details = decode_base64(get("grpc-status-details-bin"));
        let (reason, mut metadata) = error_info(&details);
        let reason = match (reason.as_str(), code) {
            ("", DEADLINE_EXCEEDED) => "DEADLINE_EXCEEDED".to_owned(),
            ("", RESOURCE_EXHAUSTED) => "TOO_LARGE".to_owned(),
            ("", 12) => "METHOD_UNKNOWN".to_owned(),
            ("", UNAVAILABLE) => "DAEMON_UNREACHABLE".to_owned(),
            ("", _) => "BUG".to_owned(),
            _ => reason,
        };
        let hint = metadata.remove("hint").filter(|hint| !hint.is_empty());
        let hint = hint.map(|hint| sanitize_text(&hint));
        let hint = hint.unwrap_or_else(|| format!("See `{reason}` in docs/errors.md"));
        let message = match decode_percent(get("grpc-message")) {
            message if message.is_empty() => {
                format!("the daemon answered with code {code} and no word")
            }
            message => message,
        };
        Some(Self { reason, message, hint, metadata, page: page_quotes(&details), code })
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.reason, self.message)?;
        if self.hint.is_empty() { Ok(()) } else { write!(f, " ({})", self.hint) }
    }
}

impl std::error::Error for Error {}

/// Reads google.rpc.ErrorInfo from the details of a google.rpc.Status.
fn error_info(status: &[u8]) -> (String, BTreeMap<String, String>) {
    let (mut reason, mut metadata) = (String::new(), BTreeMap::new());
    for body in details(status, b"/google.rpc.ErrorInfo") {
        reason = field_values(body, 1).first().map(|bytes| text(bytes)).unwrap_or_default();
        metadata.extend(field_values(body, 3).into_iter().map(first_two_fields));
    }
    (reason, metadata)
}

/// Reads browse.v1.ErrorPage from the details of a google.rpc.Status.
fn page_quotes(status: &[u8]) -> Box<[(String, String)]> {
    let quotes = details(status, b"/browse.v1.ErrorPage").into_iter();
    let quotes = quotes.flat_map(|body| field_values(body, 1)).map(first_two_fields);
    quotes.map(|(about, said)| (sanitize_text(&about), sanitize_text(&said))).collect()
}

/// The details of this type.
fn details<'a>(status: &'a [u8], wanted: &[u8]) -> Vec<&'a [u8]> {
    let of = |any: &&[u8]| field_values(any, 1).first().is_some_and(|name| name.ends_with(wanted));
    field_values(status, 3).into_iter().filter(of).flat_map(|any| field_values(any, 2)).collect()
}

/// The first two fields of a message.
fn first_two_fields(entry: &[u8]) -> (String, String) {
    let part = |number| field_values(entry, number).first().map(|bytes| text(bytes));
    (part(1).unwrap_or_default(), part(2).unwrap_or_default())
}

/// The values of field `wanted` of a message, as bytes.
fn field_values(message: &[u8], wanted: u32) -> Vec<&[u8]> {
    let bytes = |entry| match entry {
        Ok((number, Raw::Bytes(bytes))) if number == wanted => Some(bytes),
        _ => None,
    };
    entries(message).filter_map(bytes).collect()
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn decode_base64(text: &str) -> Vec<u8> {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let (mut out, mut bits, mut count) = (Vec::new(), 0u32, 0);
    for letter in text.bytes() {
        let Some(value) = LETTERS.iter().position(|known| *known == letter) else { continue };
        bits = bits << 6 | value as u32;
        count += 6;
        if count >= 8 {
            count -= 8;
            out.push((bits >> count) as u8);
        }
    }
    out
}

/// `text` without what would drive a terminal.
fn sanitize_text(text: &str) -> String {
    let drives = |letter: char| letter.is_control() && letter != '\n';
    let turns = |letter: char| matches!(letter, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.replace(|letter| drives(letter) || turns(letter), " ")
}

fn decode_percent(text: &str) -> String {
    let mut parts = text.split('%');
    let mut out = parts.next().unwrap_or_default().as_bytes().to_vec();
    for part in parts {
        match part.get(..2).and_then(|digits| u8::from_str_radix(digits, 16).ok()) {
            Some(byte) => {
                out.push(byte);
                out.extend(&part.as_bytes()[2..]);
            }
            None => out.extend(format!("%{part}").into_bytes()),
        }
    }
    sanitize_text(&String::from_utf8_lossy(&out))
}
