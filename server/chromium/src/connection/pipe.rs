//! One browser's pipe: who waits for which answer, and who hears of events.

use std::collections::HashMap;
use std::os::unix::net::UnixStream as StdStream;
use std::sync::Arc;

use bytes::Bytes;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};
use tokio::net::UnixStream;
use tokio::sync::oneshot;

use super::call::{self, CdpCall};
use super::cbor;
use super::envelope::{ErrorAnswer, MessageHead, RawEvent};
use super::reader::MessageReader;
use super::writer::MessageWriter;
use crate::error::{Error, Result};
use crate::ids::SessionId;
use browse_base::Lock;

/// Answers a call that would reach more than our tabs in a browser that is not ours. The
/// codes of Chromium lie from -32768 to -32000.
pub(crate) const NOT_OURS_CODE: i64 = -31_471;

/// Answers how many tabs of such a browser have the address of the one that was to be given.
pub(crate) const TAB_COUNT_CODE: i64 = -31_472;

/// Largest message we send. Chromium dies of one above 100 MB, and such a
/// Chromium survives even the end of its client.
pub(crate) const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;

/// Hears of everything Chromium says unasked. Called on the reading task: it
/// must return quickly and never block.
pub(crate) trait EventHandler: Send + Sync + 'static {
    /// One event.
    fn event(&self, event: &RawEvent<'_>);
    /// The pipe ended; no event follows.
    fn closed(&self, reason: &str);
}

/// A cheap handle of the pipe.
#[derive(Clone)]
pub(crate) struct CdpConnection(Arc<ConnectionInner>);

struct ConnectionInner {
    stream: UnixStream,
    writer: MessageWriter,
    pending: Lock<PendingCalls>,
}

#[derive(Default)]
struct PendingCalls {
    last_id: u32,
    waiters: HashMap<u32, CallWaiter>,
    /// Set once the pipe has ended.
    gone_error: Option<Error>,
}

struct CallWaiter {
    session: Option<SessionId>,
    reply: ReplyTo,
}

/// Where an answer goes.
enum ReplyTo {
    /// To a task that awaits it.
    Channel(oneshot::Sender<Result<Bytes>>),
    /// To a function on the reading task, in order with the events.
    Inline(Box<dyn FnOnce(Result<Bytes>) + Send>),
    /// The same, with refusals as Chromium wrote them.
    Raw(Box<dyn FnOnce(Result<Bytes>) + Send>),
}

impl CallWaiter {
    fn answer(self, answer: Result<Bytes>) {
        match self.reply {
            ReplyTo::Channel(sender) => drop(sender.send(answer)),
            ReplyTo::Inline(function) | ReplyTo::Raw(function) => function(answer),
        }
    }
}

impl CdpConnection {
    /// Takes our end of the pipe. Must be called inside the runtime.
    pub(crate) fn new(stream: StdStream) -> Result<Self> {
        let prepare = || {
            stream.set_nonblocking(true)?;
            UnixStream::from_std(stream)
        };
        let stream = prepare().map_err(|error| Error::system("the pipe to Chromium", error))?;
        Ok(Self(Arc::new(ConnectionInner {
            stream,
            writer: MessageWriter::default(),
            pending: Lock::default(),
        })))
    }

    /// Starts reading and flushing. The tasks end with the pipe.
    pub(crate) fn run(&self, handler: Arc<dyn EventHandler>) {
        let flusher = self.clone();
        let flush = tokio::spawn(async move { flusher.0.writer.run(&flusher.0.stream).await });
        let connection = self.clone();
        tokio::spawn(async move {
            let mut reader = MessageReader::default();
            let reason = loop {
                match reader.next(&connection.0.stream).await {
                    Ok(Some(message)) => connection.receive(&message, handler.as_ref()),
                    Ok(None) => break "it closed its pipe".to_owned(),
                    Err(error) => break format!("its pipe broke: {error}"),
                }
            };
            flush.abort();
            connection.fail_all(&Error::BrowserGone { reason: reason.clone() });
            handler.closed(&reason);
        });
    }

    /// Writes a command now; the returned call waits for its answer.
    pub(crate) fn call_method<R: DeserializeOwned>(
        &self,
        session: Option<&SessionId>,
        method: impl Into<std::borrow::Cow<'static, str>>,
        params: &impl Serialize,
    ) -> CdpCall<R> {
        let method = method.into();
        let (reply, receiver) = oneshot::channel();
        let waiter = CallWaiter { session: session.cloned(), reply: ReplyTo::Channel(reply) };
        match self.dispatch(session, &method, params, Some(waiter)) {
            Ok(id) => CdpCall::pending(self.clone(), id, receiver, method),
            Err(error) => CdpCall::failed(error, method),
        }
    }

    /// Writes a command and has its answer handled on the reading task, before
    /// any event that follows it. The function must return at once.
    pub(crate) fn call_then<R: DeserializeOwned + 'static>(
        &self,
        session: Option<&SessionId>,
        method: &'static str,
        params: &impl Serialize,
        then: impl FnOnce(Result<R>) + Send + 'static,
    ) {
        let decode = move |answer: Result<Bytes>| {
            then(call::decode_answer(method, answer, call::decode_result::<R>));
        };
        let waiter =
            CallWaiter { session: session.cloned(), reply: ReplyTo::Inline(Box::new(decode)) };
        if let Err(error) = self.dispatch(session, method, params, Some(waiter)) {
            tracing::debug!(method, %error, "a command was not sent");
        }
    }

    /// As [`CdpConnection::call_then`], with the whole message of the answer, which may
    /// be a refusal. The function is also called when the answer cannot come.
    pub(crate) fn call_raw_then(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: &impl Serialize,
        then: Box<dyn FnOnce(Result<Bytes>) + Send>,
    ) {
        let waiter = CallWaiter { session: session.cloned(), reply: ReplyTo::Raw(then) };
        match self.dispatch_or_return(session, method, params, Some(waiter)) {
            Ok(_) => {}
            Err((error, Some(waiter))) => waiter.answer(Err(error)),
            Err((error, None)) => tracing::debug!(method, %error, "a command was not sent"),
        }
    }

    /// Writes a command whose answer nobody wants.
    pub(crate) fn send(
        &self,
        session: Option<&SessionId>,
        method: &'static str,
        params: &impl Serialize,
    ) {
        if let Err(error) = self.dispatch(session, method, params, None) {
            tracing::debug!(%method, %error, "a command was not sent");
        }
    }

    /// What `send` sends goes into one write. It must not wait for anything.
    pub(crate) fn batch_writes<T>(&self, send: impl FnOnce() -> T) -> T {
        self.0.writer.batch_writes(&self.0.stream, send)
    }

    /// Forgets a call whose future was dropped.
    pub(crate) fn forget(&self, id: u32) {
        self.0.pending.lock().waiters.remove(&id);
    }

    /// Ends all calls that wait on a session which will never answer them.
    pub(crate) fn fail_session(&self, session: &str, error: &Error) {
        let of_session = |_: &u32, waiter: &mut CallWaiter| {
            waiter.session.as_ref().is_some_and(|id| id.as_str() == session)
        };
        let failed: Vec<CallWaiter> = {
            let mut pending = self.0.pending.lock();
            pending.waiters.extract_if(of_session).map(|(_, waiter)| waiter).collect()
        };
        for waiter in failed {
            waiter.answer(Err(error.clone()));
        }
    }

    /// Ends the pipe, and with it the process that reads its other end.
    pub(crate) fn shut_down(&self) {
        use std::os::fd::AsRawFd as _;
        let both = nix::sys::socket::Shutdown::Both;
        let _ = nix::sys::socket::shutdown(self.0.stream.as_raw_fd(), both);
    }

    /// Whether the browser is gone.
    pub(crate) fn is_gone(&self) -> bool {
        self.0.pending.lock().gone_error.is_some()
    }

    /// Ends every call, now and later: the browser is gone.
    pub(crate) fn fail_all(&self, error: &Error) {
        let failed: Vec<CallWaiter> = {
            let mut pending = self.0.pending.lock();
            pending.gone_error.get_or_insert_with(|| error.clone());
            pending.waiters.drain().map(|(_, waiter)| waiter).collect()
        };
        for waiter in failed {
            waiter.answer(Err(error.clone()));
        }
    }

    fn dispatch(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: &impl Serialize,
        waiter: Option<CallWaiter>,
    ) -> Result<u32> {
        self.dispatch_or_return(session, method, params, waiter).map_err(|(error, _)| error)
    }

    /// Encodes and writes one message. Ids are given out under the same lock
    /// that registers the waiter, so no answer can arrive unexpected. The waiter comes
    /// back with an error.
    fn dispatch_or_return(
        &self,
        session: Option<&SessionId>,
        method: &str,
        params: &impl Serialize,
        waiter: Option<CallWaiter>,
    ) -> Result<u32, (Error, Option<CallWaiter>)> {
        let mut pending = self.0.pending.lock();
        if let Some(gone) = &pending.gone_error {
            return Err((gone.clone(), waiter));
        }
        pending.last_id = pending.last_id.wrapping_add(1).max(1);
        let id = pending.last_id;
        drop(pending);
        let message = match encode(id, session, method, params) {
            Ok(message) => message,
            Err(error) => return Err((error, waiter)),
        };
        if let Some(waiter) = waiter {
            let mut pending = self.0.pending.lock();
            if let Some(gone) = &pending.gone_error {
                return Err((gone.clone(), Some(waiter)));
            }
            pending.waiters.insert(id, waiter);
        }
        self.0.writer.send(&self.0.stream, message);
        Ok(id)
    }

    /// Routes one incoming message.
    fn receive(&self, message: &Bytes, handler: &dyn EventHandler) {
        tracing::trace!(target: "chromium::wire", "<- {}", String::from_utf8_lossy(message));
        let head: MessageHead<'_> = match serde_json::from_slice(message) {
            Ok(head) => head,
            Err(error) => {
                tracing::debug!(%error, "dropped a message that is not the protocol's");
                return;
            }
        };
        if let Some(id) = head.id {
            let waiter = self.0.pending.lock().waiters.remove(&id);
            if let Some(waiter) = waiter {
                let is_raw = matches!(waiter.reply, ReplyTo::Raw(_));
                let answer = match head.error {
                    Some(refusal) if !is_raw => Err(refusal_error(refusal)),
                    _ => Ok(message.clone()),
                };
                waiter.answer(answer);
            }
        } else if let Some(method) = head.method {
            handler.event(&RawEvent {
                method: &method,
                session: head.session_id.as_deref(),
                message,
            });
        }
    }
}

/// A refusal of the browser, or of the process between the daemon and a browser that is
/// not its own.
fn refusal_error(refusal: ErrorAnswer) -> Error {
    match refusal.code {
        NOT_OURS_CODE => Error::ForeignBrowser { message: refusal.message },
        TAB_COUNT_CODE => {
            Error::TabsOfAddress { count: refusal.data.and_then(|n| n.parse().ok()).unwrap_or(0) }
        }
        _ => Error::Protocol { method: String::new(), message: refusal.text() },
    }
}

/// One message.
fn encode(
    id: u32,
    session: Option<&SessionId>,
    method: &str,
    params: &impl Serialize,
) -> Result<Vec<u8>> {
    let params = serde_json::to_value(params).map_err(|error| Error::Protocol {
        method: method.to_owned(),
        message: format!("cannot be encoded: {error}"),
    })?;
    let mut head =
        Map::from_iter([("id".to_owned(), id.into()), ("method".to_owned(), method.into())]);
    if let Some(session) = session {
        head.insert("sessionId".to_owned(), session.as_str().into());
    }
    head.insert("params".to_owned(), params);
    let message = Value::Object(head);
    tracing::trace!(target: "chromium::wire", "-> {message}");
    let mut bytes = Vec::with_capacity(256);
    cbor::write(&message, &mut bytes);
    if bytes.len() > MAX_MESSAGE_BYTES {
        return Err(Error::TooLarge { bytes: bytes.len(), limit: MAX_MESSAGE_BYTES });
    }
    Ok(bytes)
}
