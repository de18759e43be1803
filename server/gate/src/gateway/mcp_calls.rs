//! The calls that the server of MCP makes: they are answered here, as those that come by a connection.

use std::sync::Arc;

use browse_base::{Error, HINT_KEY, Result};
use browse_mcp::{AGENT_SCOPES, CallFuture, CallService};
use browse_proto::{Reason, metadata};
use http::{HeaderValue, Request};
use tonic::body::Body;

use super::{Gateway, call_scopes::CallScopes, header_value};
use crate::auth::Caller;

impl CallService for Gateway {
    fn call(self: Arc<Self>, request: Request<Body>) -> CallFuture {
        Box::pin(async move {
            match Self::answer(self, request).await {
                Ok(response) => response,
                Err(never) => match never {},
            }
        })
    }
}

/// Calls of a request that names the scopes that its agent has.
struct NarrowedCalls {
    gateway: Arc<Gateway>,
    /// Not more than those of agents.
    scopes: HeaderValue,
}

impl CallService for NarrowedCalls {
    fn call(self: Arc<Self>, mut request: Request<Body>) -> CallFuture {
        request.headers_mut().insert(metadata::SCOPES, self.scopes.clone());
        Arc::clone(&self.gateway).call(request)
    }
}

/// What answers the calls of a request of `caller`, which has the scopes that are left to it.
///
/// # Errors
/// `SCOPE_DENIED`: the request leaves its agent nothing.
pub fn calls_of(
    gateway: &Arc<Gateway>,
    caller: &Caller,
    scopes: CallScopes,
) -> Result<Arc<dyn CallService>> {
    let gateway = Arc::clone(gateway);
    if scopes == CallScopes::OfToken {
        return Ok(gateway);
    }
    let is_left = |name: &&str| caller.scopes.iter().any(|held| held == name);
    let left = AGENT_SCOPES.split(',').filter(is_left).collect::<Vec<_>>().join(",");
    if left.is_empty() {
        let message =
            format!("`{}` leaves the agent no scope that its token has", metadata::SCOPES);
        return Err(Error::new(Reason::ScopeDenied, message)
            .with("required", "read")
            .with("held", caller.scopes.join(","))
            .with(HINT_KEY, format!("Name some of `{AGENT_SCOPES}`, or leave the header out")));
    }
    let scopes = header_value(metadata::SCOPES, &left)?;
    Ok(Arc::new(NarrowedCalls { gateway, scopes }))
}
