//! A call that was written and whose answer may be awaited.

use std::borrow::Cow;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use bytes::Bytes;
use serde::de::DeserializeOwned;
use tokio::sync::oneshot;

use super::envelope;
use super::pipe::CdpConnection;
use crate::error::{Error, Result};

/// An answer to come. The message is on the pipe already, so calls made one
/// after the other travel in one flight. Dropping it forgets the answer; what
/// Chromium does with the message is not undone.
#[must_use = "await the answer, or call `ignore`"]
pub struct CdpCall<T> {
    state: CallState,
    method: Cow<'static, str>,
    decode: fn(&str, &[u8]) -> Result<T>,
}

enum CallState {
    Failed(Option<Error>),
    Waiting { connection: CdpConnection, id: u32, receiver: oneshot::Receiver<Result<Bytes>> },
}

impl<T: DeserializeOwned> CdpCall<T> {
    pub(crate) fn pending(
        connection: CdpConnection,
        id: u32,
        receiver: oneshot::Receiver<Result<Bytes>>,
        method: Cow<'static, str>,
    ) -> Self {
        Self {
            state: CallState::Waiting { connection, id, receiver },
            method,
            decode: decode_result,
        }
    }

    pub(crate) fn failed(error: Error, method: Cow<'static, str>) -> Self {
        Self { state: CallState::Failed(Some(error)), method, decode: decode_result }
    }
}

impl<T> CdpCall<T> {
    /// Lets the call run without anybody waiting for it.
    pub fn ignore(self) {}

    /// Gives the answer another shape. The function sees the method's name and
    /// the whole message; it runs on the task that awaits.
    pub(crate) fn decode_with<U>(mut self, decode: fn(&str, &[u8]) -> Result<U>) -> CdpCall<U> {
        let state = std::mem::replace(&mut self.state, CallState::Failed(None));
        CdpCall { state, method: std::mem::take(&mut self.method), decode }
    }
}

impl<T> Future for CdpCall<T> {
    type Output = Result<T>;

    fn poll(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Self::Output> {
        let answer = match &mut self.state {
            CallState::Failed(error) => Err(error.take().unwrap_or(Error::TabClosed)),
            CallState::Waiting { receiver, .. } => match ready!(Pin::new(receiver).poll(cx)) {
                Ok(answer) => answer,
                Err(_) => {
                    Err(Error::BrowserGone { reason: "its connection was shut down".to_owned() })
                }
            },
        };
        // What was answered needs no forgetting.
        self.state = CallState::Failed(None);
        Poll::Ready(decode_answer(&self.method, answer, self.decode))
    }
}

impl<T> Drop for CdpCall<T> {
    fn drop(&mut self) {
        if let CallState::Waiting { connection, id, .. } = &self.state {
            connection.forget(*id);
        }
    }
}

/// Sorts an error answer, or decodes a good one.
pub(crate) fn decode_answer<T>(
    method: &str,
    answer: Result<Bytes>,
    decode: fn(&str, &[u8]) -> Result<T>,
) -> Result<T> {
    match answer {
        Ok(message) => decode(method, &message),
        Err(Error::Protocol { message, .. }) => Err(Error::from_protocol(method, message)),
        Err(error) => Err(error),
    }
}

/// The plain way: the answer's `result` is the value.
pub(crate) fn decode_result<T: DeserializeOwned>(method: &str, message: &[u8]) -> Result<T> {
    envelope::parse_result(message).map_err(|error| Error::Protocol {
        method: method.to_owned(),
        message: format!("answered with something unexpected: {error}"),
    })
}
