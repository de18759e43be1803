//! The frame around every message.
//!
//! Only the head of an incoming message is read here; parameters and results
//! are decoded later by whoever wants them, each event by itself. Chromium
//! adds fields and enum members with every release, so nothing is decoded
//! that nobody asked for, and an event that does not fit is dropped alone.

use std::borrow::Cow;

use bytes::Bytes;
use serde::Deserialize;
use serde::de::DeserializeOwned;

/// The head of an incoming message.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct MessageHead<'a> {
    /// Set on answers.
    pub id: Option<u32>,
    /// Set on events.
    #[serde(borrow)]
    pub method: Option<Cow<'a, str>>,
    /// The session the message belongs to; none for the browser itself.
    #[serde(borrow)]
    pub session_id: Option<Cow<'a, str>>,
    /// Set on answers that are refusals.
    #[serde(default)]
    pub error: Option<ErrorAnswer>,
}

/// The error of an answer.
#[derive(Deserialize)]
pub(crate) struct ErrorAnswer {
    /// What sort of refusal it is; nearly all of Chromium's have the same.
    #[serde(default)]
    pub code: i64,
    /// Chromium's words.
    #[serde(default)]
    pub message: String,
    /// More words, for malformed parameters.
    #[serde(default)]
    pub data: Option<String>,
}

impl ErrorAnswer {
    /// Message and details in one line.
    pub(crate) fn text(self) -> String {
        match self.data {
            Some(data) => format!("{}: {data}", self.message),
            None => self.message,
        }
    }
}

/// One event, its parameters still undecoded.
pub(crate) struct RawEvent<'a> {
    /// Such as `Page.frameNavigated`.
    pub method: &'a str,
    /// The session it came on.
    pub session: Option<&'a str>,
    /// The whole message.
    pub message: &'a Bytes,
}

impl RawEvent<'_> {
    /// Decodes the parameters; an event that does not fit is logged and dropped.
    pub(crate) fn params<T: DeserializeOwned>(&self) -> Option<T> {
        #[derive(Deserialize)]
        struct Body<T> {
            params: T,
        }
        match serde_json::from_slice::<Body<T>>(self.message) {
            Ok(body) => Some(body.params),
            Err(error) => {
                tracing::debug!(event = self.method, %error, "dropped an event that does not fit");
                None
            }
        }
    }
}

/// Decodes the result of an answer.
pub(crate) fn parse_result<T: DeserializeOwned>(message: &[u8]) -> serde_json::Result<T> {
    #[derive(Deserialize)]
    struct Body<T> {
        result: T,
    }
    serde_json::from_slice::<Body<T>>(message).map(|body| body.result)
}
