//! The result of a tool call: text for the model, and the same facts in `_meta`.

use browse_cli::{Failure, embed::EmbeddedReply};
use browse_proto::render::Untrusted;
use rmcp::model::{CallToolResult, ContentBlock, MetaObject};
use serde_json::{Map, Value, json};

/// The key of our facts in `_meta`.
const META_KEY: &str = "dev.browse/answer";

/// Letters of a failure that are sent.
const MAX_FAILURE_CHARS: usize = 8000;

/// A result in the making.
#[derive(Default)]
pub struct ToolReply {
    texts: Vec<String>,
    images: Vec<(String, String)>,
    untrusted: Vec<Value>,
    /// The handle of the session.
    pub session: Option<String>,
    /// Whether the call failed.
    pub is_error: bool,
}

impl ToolReply {
    /// The result of a call that failed before anything was done.
    pub fn of_failure(failure: &Failure) -> Self {
        let mut reply = Self::default();
        reply.add_failure(failure);
        reply
    }

    /// Adds text of ours.
    pub fn add_text(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.texts.push(text);
        }
    }

    /// Adds the answer of a call.
    pub fn add(&mut self, reply: EmbeddedReply) {
        self.add_untrusted(reply.untrusted.as_ref());
        self.add_text(reply.text);
        reply.failures.iter().for_each(|failure| self.add_text(failure_text(failure)));
        reply.notes.iter().for_each(|note| self.add_text(format!("note: {note}")));
        self.is_error |= reply.is_failure;
    }

    /// Adds an image as base64.
    pub fn add_image(&mut self, data: String, mime: String) {
        self.images.push((data, mime));
    }

    /// Adds a failure: reason, next step, and what it quotes of a page in an envelope.
    pub fn add_failure(&mut self, failure: &Failure) {
        self.is_error = true;
        self.add_untrusted(failure.untrusted.as_ref());
        self.add_text(failure_text(failure));
    }

    /// Notes nonce, source and warnings of what a page wrote.
    pub fn add_untrusted(&mut self, untrusted: Option<&Untrusted>) {
        self.untrusted.extend(untrusted.map(Untrusted::json));
    }

    /// Its text, and its images as base64 with their types, without the handle of the session.
    pub fn into_parts(self) -> (String, Vec<(String, String)>) {
        (self.texts.join("\n"), self.images)
    }

    /// The result as the protocol has it.
    pub fn into_result(self) -> CallToolResult {
        let mut texts = self.texts;
        if let Some(session) = &self.session {
            texts.push(format!("session: {session}"));
        }
        let mut content = vec![ContentBlock::text(texts.join("\n"))];
        let images = self.images.into_iter();
        content.extend(images.map(|(data, mime)| ContentBlock::image(data, mime)));
        let mut result = match self.is_error {
            true => CallToolResult::error(content),
            false => CallToolResult::success(content),
        };
        let mut facts = Map::new();
        if let Some(session) = self.session {
            facts.insert("session".to_owned(), session.into());
        }
        if !self.untrusted.is_empty() {
            facts.insert("untrusted".to_owned(), Value::Array(self.untrusted));
        }
        if !facts.is_empty() {
            let mut meta = MetaObject::default();
            meta.0.insert(META_KEY.to_owned(), json!(facts));
            result.meta = Some(meta);
        }
        result
    }
}

/// Reason, message, next step and quotes of a failure.
fn failure_text(failure: &Failure) -> String {
    let text = failure.text();
    let text = text.strip_prefix("error: ").unwrap_or(&text).trim_end();
    // A failure quotes what it was given.
    let text = match text.char_indices().nth(MAX_FAILURE_CHARS) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    };
    format!("error {}: {text}", failure.reason)
}
