//! What is kept of a step.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Names a file of a trace by what it holds: 40 hexadecimal digits of its SHA-256.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceName(pub(crate) String);

/// What is known of a trace before its first step.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct TraceHeader {
    /// Its number in the project.
    pub id: u64,
    /// The session whose steps it has.
    pub session: String,
    /// When it began, in milliseconds since 1970.
    pub started_ms: u64,
    /// What kept the pages, such as `HeadlessChrome/152.0`.
    pub browser: String,
}

/// A command that ran.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TracedStep {
    /// Its number in the trace, from 1, in the order in which steps began.
    pub number: u32,
    /// When it began, in milliseconds since 1970.
    pub time_ms: u64,
    /// How long it took, in milliseconds.
    pub duration_ms: f64,
    /// Who called.
    pub client: String,
    /// Its name.
    pub command: String,
    /// Its request, without secrets.
    pub arguments: Map<String, Value>,
    /// What its element is called.
    pub element: String,
    /// Its tab.
    pub tab: Option<u64>,
    /// Address of the page when it had ended.
    pub url: String,
    /// `ok`, or the reason of its error.
    pub outcome: String,
    /// What its error says.
    pub error: String,
    /// What was found in its answer.
    pub findings: Vec<String>,
    /// The page before it.
    pub before: Option<TracedPage>,
    /// The page after it.
    pub after: Option<TracedPage>,
    /// What was written to the console from its begin to its end.
    pub console: Vec<ConsoleLine>,
    /// Requests that began from its begin to its end.
    pub requests: Vec<TracedRequest>,
    /// What a skill needs to repeat it, as JSON; none when there was no room for it, and of a step
    /// that is only for looking.
    pub record: Option<ResourceName>,
    /// Whether a person had the session meanwhile, so that nothing else of it is kept.
    pub is_withheld: bool,
}

impl TracedStep {
    /// Whether it failed.
    pub fn is_failed(&self) -> bool {
        self.outcome != "ok"
    }

    /// Whether `text` stands in it, whatever its case.
    pub fn contains(&self, text: &str) -> bool {
        let arguments = Value::Object(self.arguments.clone()).to_string();
        let texts =
            [&self.command, &arguments, &self.element, &self.url, &self.outcome, &self.error];
        let wanted = text.to_lowercase();
        texts.into_iter().any(|held| held.to_lowercase().contains(&wanted))
    }
}

/// A page at a moment.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TracedPage {
    /// Width of the viewport in CSS pixels.
    pub width: u32,
    /// Its height.
    pub height: u32,
    /// When it was read, in milliseconds since 1970.
    pub time_ms: u64,
    /// The main frame first.
    pub frames: Vec<FrameState>,
    /// JPEG of the viewport.
    pub picture: Option<ResourceName>,
    /// The snapshot as text.
    pub snapshot: Option<ResourceName>,
}

/// The document of a frame.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct FrameState {
    /// Its id in Chromium.
    pub id: String,
    /// Its address.
    pub url: String,
    /// Name of its document type; empty without one.
    pub doctype: String,
    /// Its markup, as JSON of nested lists.
    pub markup: Option<ResourceName>,
    /// Nodes of the markup.
    pub nodes: u32,
    /// Style sheets and pictures that it shows.
    pub resources: Vec<PageResource>,
}

/// A file that a document shows.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct PageResource {
    /// Its address.
    pub url: String,
    /// Its MIME type.
    pub mime: String,
    /// What it holds.
    pub name: ResourceName,
}

/// A line of the console.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct ConsoleLine {
    /// In milliseconds since 1970.
    pub time_ms: u64,
    /// log, info, warning, error, debug or exception.
    pub level: String,
    /// What was written.
    pub text: String,
    /// `url:line`.
    pub location: String,
}

/// A request of a page.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(default)]
pub struct TracedRequest {
    /// When it began, in milliseconds since 1970.
    pub time_ms: u64,
    /// How long it took, in milliseconds.
    pub duration_ms: Option<f64>,
    /// `GET` and so on.
    pub method: String,
    /// Where it went.
    pub url: String,
    /// document, script, xhr …
    pub kind: String,
    /// HTTP status.
    pub status: Option<u32>,
    /// Bytes over the network.
    pub size: u64,
    /// MIME type of the answer.
    pub mime: String,
    /// Why it failed.
    pub failure: String,
}
