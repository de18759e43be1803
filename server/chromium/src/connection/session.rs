//! One flat session: the address of a target on the shared pipe.

use std::borrow::Cow;

use serde::Serialize;
use serde::de::DeserializeOwned;

use super::call::CdpCall;
use super::pipe::CdpConnection;
use crate::error::Result;
use crate::ids::SessionId;

/// Calls through it reach one target. Cheap to clone.
#[derive(Clone)]
pub struct CdpSession {
    connection: CdpConnection,
    id: SessionId,
}

impl CdpSession {
    pub(crate) fn new(connection: CdpConnection, id: SessionId) -> Self {
        Self { connection, id }
    }

    /// The session's id.
    pub fn id(&self) -> &SessionId {
        &self.id
    }

    /// Writes a command now; the returned call waits for its answer.
    pub fn call_method<R: DeserializeOwned>(
        &self,
        method: impl Into<Cow<'static, str>>,
        params: &impl Serialize,
    ) -> CdpCall<R> {
        self.connection.call_method(Some(&self.id), method, params)
    }

    /// What `send` sends, on whatever session, goes into one write. It must not
    /// wait for anything.
    pub fn batch_writes<T>(&self, send: impl FnOnce() -> T) -> T {
        self.connection.batch_writes(send)
    }

    /// As [`Connection::call_then`], on this session.
    pub(crate) fn call_then<R: DeserializeOwned + 'static>(
        &self,
        method: &'static str,
        params: &impl Serialize,
        then: impl FnOnce(Result<R>) + Send + 'static,
    ) {
        self.connection.call_then(Some(&self.id), method, params, then);
    }

    /// Writes a command whose answer nobody wants.
    pub(crate) fn send(&self, method: &'static str, params: &impl Serialize) {
        self.connection.send(Some(&self.id), method, params);
    }
}

impl PartialEq for CdpSession {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id
    }
}

impl std::fmt::Debug for CdpSession {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Session({})", self.id)
    }
}
