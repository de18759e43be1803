//! What is refused to a client: each is an error for it and a line of the activity.

use std::time::Duration;

use browse_proto::Reason;
use tokio::time::Instant;

use super::devtools_client::DevToolsClient;
use crate::devtools::{
    message::{
        DevToolsError, DevToolsRequest, METHOD_NOT_FOUND, ReplyAddress, SERVER_ERROR,
        SESSION_NOT_FOUND,
    },
    record::ClientRecord,
};

/// Lines of refusals in [`SPAN`]; a client that has more is noted once.
const MAX_LINES: u32 = 200;

/// See [`MAX_LINES`].
const SPAN: Duration = Duration::from_secs(60);

/// Characters of a line.
const MAX_LINE_CHARS: usize = 160;

/// How many refusals were noted.
#[derive(Default)]
pub(super) struct RefusalCount {
    since: Option<Instant>,
    lines: u32,
}

impl RefusalCount {
    /// Whether one more is noted; none for the one that says that there are more.
    fn admit(&mut self) -> Option<bool> {
        if self.since.is_none_or(|since| since.elapsed() > SPAN) {
            *self = Self { since: Some(Instant::now()), lines: 0 };
        }
        self.lines += 1;
        match self.lines {
            count if count <= MAX_LINES => Some(true),
            count if count == MAX_LINES + 1 => None,
            _ => Some(false),
        }
    }
}

/// A refusal for a reason that the table gives, or of a method that it does not know.
pub(super) fn method_refused(method: &str, reason: Option<&str>) -> DevToolsError {
    match reason {
        Some(reason) => {
            DevToolsError::new(SERVER_ERROR, format!("`{method}` is refused: {reason}"))
        }
        None => DevToolsError::new(
            METHOD_NOT_FOUND,
            format!("'{method}' wasn't found in the list of methods that `cdp-url` allows"),
        ),
    }
}

/// A refusal of parameters.
pub(super) fn refused(method: &str, why: impl std::fmt::Display) -> DevToolsError {
    DevToolsError::new(SERVER_ERROR, format!("`{method}` is refused: {why}"))
}

/// A target that is not one of the client.
pub(super) fn no_target() -> DevToolsError {
    DevToolsError::new(SERVER_ERROR, "No target with given id found")
}

/// A context that is not one of the client.
pub(super) fn no_context() -> DevToolsError {
    DevToolsError::new(SERVER_ERROR, "Failed to find browser context with given id")
}

/// A session that is not one of the client.
pub(super) fn no_session() -> DevToolsError {
    DevToolsError::new(SESSION_NOT_FOUND, "Session with given id not found.")
}

impl DevToolsClient {
    /// Refuses a request, and notes it.
    pub(super) fn refuse(&self, request: &DevToolsRequest, refusal: &DevToolsError) {
        self.refuse_reply(&ReplyAddress::of(request), &request.method, refusal);
    }

    /// The same where only the address of the answer is left.
    pub(super) fn refuse_reply(&self, reply: &ReplyAddress, method: &str, refusal: &DevToolsError) {
        self.send(reply.refusal(refusal));
        let admitted = self.refusals().admit();
        let what = match admitted {
            Some(true) if refusal.message.contains(method) => refusal.message.clone(),
            Some(true) => format!("{method}: {}", refusal.message),
            None => "more refusals of this client are not listed".to_owned(),
            Some(false) => return,
        };
        self.note(&what, Some(Reason::CdpDenied));
    }

    /// Writes a line of the activity.
    pub(super) fn note(&self, what: &str, refused: Option<Reason>) {
        let what = browse_secrets::redact(what);
        let what = browse_guard::clean(&what);
        (self.parts().record)(ClientRecord {
            client: self.number(),
            session: self.session_name().to_owned(),
            what: what.chars().take(MAX_LINE_CHARS).collect(),
            refused,
        });
    }
}
