//! Console lines and uncaught exceptions.

use serde::Deserialize;

/// Characters kept of a line.
const MAX_TEXT_CHARS: usize = 4000;

/// One line.
#[derive(Debug, Clone, PartialEq)]
pub struct ConsoleEntry {
    /// `log`, `warning`, `error`, `exception` and so on, as V8 names them.
    pub kind: String,
    /// The text, cut at 4,000 characters.
    pub text: String,
    /// Script and line (from 1), where known.
    pub location: Option<(String, u64)>,
    /// Milliseconds since 1970.
    pub time: f64,
}

/// `Runtime.consoleAPICalled`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ConsoleApiCalled {
    #[serde(rename = "type")]
    kind: String,
    #[serde(default)]
    args: Vec<ConsoleArgument>,
    #[serde(default)]
    timestamp: f64,
    #[serde(default)]
    stack_trace: Option<StackTrace>,
}

/// `Runtime.exceptionThrown`.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExceptionThrown {
    #[serde(default)]
    timestamp: f64,
    exception_details: ExceptionDetails,
}

/// The part of V8's exception details that people read.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct ExceptionDetails {
    #[serde(default)]
    text: String,
    #[serde(default, deserialize_with = "crate::url_credentials::deserialize_optional_url")]
    url: Option<String>,
    #[serde(default)]
    line_number: u64,
    #[serde(default)]
    exception: Option<ConsoleArgument>,
}

/// `Log.entryAdded`: what the browser itself reports about a page.
#[derive(Deserialize)]
pub(crate) struct LogEntryAdded {
    entry: LogEntry,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct LogEntry {
    level: String,
    text: String,
    #[serde(default)]
    timestamp: f64,
    #[serde(default, deserialize_with = "crate::url_credentials::deserialize_optional_url")]
    url: Option<String>,
    #[serde(default)]
    line_number: u64,
}

#[derive(Debug, Deserialize)]
struct ConsoleArgument {
    /// `null` is a value, unlike `undefined`.
    #[serde(default, deserialize_with = "present")]
    value: Option<serde_json::Value>,
    #[serde(default)]
    description: Option<String>,
    #[serde(default, rename = "unserializableValue")]
    unserializable: Option<String>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct StackTrace {
    #[serde(default)]
    call_frames: Vec<CallFrame>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct CallFrame {
    #[serde(default)]
    #[serde(deserialize_with = "crate::url_credentials::deserialize_url")]
    url: String,
    #[serde(default)]
    line_number: u64,
}

impl ConsoleArgument {
    fn text(&self) -> String {
        match (&self.value, &self.unserializable, &self.description) {
            (Some(serde_json::Value::String(text)), _, _) => text.clone(),
            (_, Some(text), _) | (None, None, Some(text)) => text.clone(),
            (Some(value), None, _) => value.to_string(),
            (None, None, None) => "undefined".to_owned(),
        }
    }
}

impl ExceptionDetails {
    /// Message and stack in V8's words.
    pub(crate) fn message(&self) -> String {
        match &self.exception {
            Some(exception) if exception.description.is_some() => {
                exception.description.clone().unwrap_or_default()
            }
            Some(exception) => format!("{} {}", self.text, exception.text()),
            None => self.text.clone(),
        }
    }
}

impl From<ConsoleApiCalled> for ConsoleEntry {
    fn from(event: ConsoleApiCalled) -> Self {
        let mut text = String::new();
        for argument in &event.args {
            if !text.is_empty() {
                text.push(' ');
            }
            text.push_str(&argument.text());
            if text.len() > 4 * MAX_TEXT_CHARS {
                break;
            }
        }
        let frame = event.stack_trace.and_then(|stack| stack.call_frames.into_iter().next());
        Self {
            kind: event.kind,
            text: truncate(text),
            location: frame.map(|frame| (frame.url, frame.line_number + 1)),
            time: event.timestamp,
        }
    }
}

impl From<ExceptionThrown> for ConsoleEntry {
    fn from(event: ExceptionThrown) -> Self {
        let details = event.exception_details;
        Self {
            kind: "exception".to_owned(),
            text: truncate(details.message()),
            location: details.url.map(|url| (url, details.line_number + 1)),
            time: event.timestamp,
        }
    }
}

impl From<LogEntryAdded> for ConsoleEntry {
    fn from(event: LogEntryAdded) -> Self {
        let entry = event.entry;
        Self {
            kind: entry.level,
            text: truncate(entry.text),
            location: entry.url.map(|url| (url, entry.line_number + 1)),
            time: entry.timestamp,
        }
    }
}

fn present<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<serde_json::Value>, D::Error> {
    serde_json::Value::deserialize(deserializer).map(Some)
}

/// Keeps lines of a bearable length.
fn truncate(text: String) -> String {
    match text.char_indices().nth(MAX_TEXT_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}
