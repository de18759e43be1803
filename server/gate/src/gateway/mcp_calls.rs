//! The calls that a request of MCP becomes: they are answered here, as those that come by a connection.
//! Their answers are held in memory whole, so what they take is limited.

use std::{
    future::ready,
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use browse_base::{Error, HINT_KEY, Result};
use browse_fleet::SessionKey;
use browse_mcp::{AGENT_SCOPES, CallFuture, CallService};
use browse_policy::layer::error_reply;
use browse_proto::{Reason, metadata};
use bytes::Bytes;
use http::{HeaderValue, Request};
use http_body::{Frame, SizeHint};
use tonic::{Status, body::Body};

use super::{
    Gateway, call_scopes::CallScopes, client_limits::ClientSlot, header_value,
    mcp::NEW_SESSION_HINT,
};
use crate::auth::AuthenticatedCaller;

/// Bytes of memory for each byte of an answer of a pod: an image is there as it came, as base64, in the
/// text for the agent, and in the answer of the protocol.
const MEMORY_PER_BYTE: usize = 8;

/// The calls of one request.
pub struct RequestCalls {
    gateway: Arc<Gateway>,
    /// The scopes that the request names for its agent: not more than those of agents.
    scopes: Option<HeaderValue>,
    /// The session of the browser, where the request is part of a session of the protocol.
    session: Option<SessionKey>,
    /// What the request takes of the memory for MCP.
    memory: Arc<ClientSlot>,
}

impl RequestCalls {
    /// Calls of a request of `caller`, which has the scopes that are left to it, in the session of the
    /// protocol that has `session`.
    ///
    /// # Errors
    /// `SCOPE_DENIED`: the request leaves its agent nothing.
    pub fn new(
        gateway: &Arc<Gateway>,
        caller: &AuthenticatedCaller,
        scopes: CallScopes,
        session: Option<SessionKey>,
        memory: &Arc<ClientSlot>,
    ) -> Result<Self> {
        let scopes = match scopes {
            CallScopes::OfToken => None,
            CallScopes::Named => Some(header_value(metadata::SCOPES, &agent_scopes(caller)?)?),
        };
        let (gateway, memory) = (Arc::clone(gateway), Arc::clone(memory));
        Ok(Self { gateway, scopes, session, memory })
    }
}

impl CallService for RequestCalls {
    fn call(self: Arc<Self>, mut request: Request<Body>) -> CallFuture {
        if let Some(scopes) = &self.scopes {
            request.headers_mut().insert(metadata::SCOPES, scopes.clone());
        }
        // The client may have ended its session since the request came.
        if self.session.as_ref().is_some_and(|key| self.gateway.mcp.ended.contains(key)) {
            let error = Error::new(Reason::AgentSessionEnded, "the client has ended the session")
                .with(HINT_KEY, NEW_SESSION_HINT);
            return Box::pin(ready(error_reply(request.headers(), error)));
        }
        Box::pin(async move {
            let response = match Gateway::answer(Arc::clone(&self.gateway), request).await {
                Ok(response) => response,
                Err(never) => match never {},
            };
            let memory = Arc::clone(&self.memory);
            response.map(|inner| Body::new(CountedBody { inner, memory }))
        })
    }
}

/// The scopes of agents that `caller` has, with commas between.
fn agent_scopes(caller: &AuthenticatedCaller) -> Result<String> {
    let is_left = |name: &&str| caller.scopes.iter().any(|held| held == name);
    let left = AGENT_SCOPES.split(',').filter(is_left).collect::<Vec<_>>().join(",");
    if !left.is_empty() {
        return Ok(left);
    }
    let message = format!("`{}` leaves the agent no scope that its token has", metadata::SCOPES);
    Err(Error::new(Reason::ScopeDenied, message)
        .with("required", "read")
        .with("held", caller.scopes.join(","))
        .with(HINT_KEY, format!("Name some of `{AGENT_SCOPES}`, or leave the header out")))
}

/// An answer whose bytes count for the memory of its request.
struct CountedBody {
    inner: Body,
    memory: Arc<ClientSlot>,
}

impl http_body::Body for CountedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled
            && let Some(data) = frame.data_ref()
            && let Err(error) = self.memory.take(data.len().saturating_mul(MEMORY_PER_BYTE))
        {
            let error = error.append_message("; the command has run, and its answer is dropped");
            return Poll::Ready(Some(Err(error.into())));
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
