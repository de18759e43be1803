//! Tells whoever keeps the books which calls were refused. Calls that pass are
//! recorded where they run, with their outcome.

use std::{
    convert::Infallible,
    net::IpAddr,
    sync::Arc,
    task::{Context, Poll},
};

use browse_proto::Reason;
use futures::future::{FutureExt as _, Map};
use http::{Request, Response};
use tonic::body::Body;
use tower::{Layer, Service};

use crate::ClientId;

/// A call that was refused.
#[derive(Clone, Debug)]
pub struct RefusedCall {
    /// Why.
    pub reason: Reason,
    /// Who called, when a token identifies it.
    pub client: Option<ClientId>,
    /// What was called.
    pub path: String,
    /// From where, when that is known.
    pub peer: Option<IpAddr>,
}

/// Hears of refused calls.
pub type RefusedCallHandler = Arc<dyn Fn(&RefusedCall) + Send + Sync>;

/// The layer.
#[derive(Clone)]
pub struct AuditLayer(RefusedCallHandler);

/// A service whose refusals are heard.
#[derive(Clone)]
pub struct AuditService<S> {
    refusals: RefusedCallHandler,
    inner: S,
}

impl AuditLayer {
    /// Tells `refusals`.
    pub fn new(refusals: RefusedCallHandler) -> Self {
        Self(refusals)
    }
}

impl<S> Layer<S> for AuditLayer {
    type Service = AuditService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        AuditService { refusals: Arc::clone(&self.0), inner }
    }
}

type AuditResult = Result<Response<Body>, Infallible>;

impl<S> Service<Request<Body>> for AuditService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Map<S::Future, Box<dyn FnOnce(AuditResult) -> AuditResult + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let refusals = Arc::clone(&self.refusals);
        self.inner.call(request).map(Box::new(move |mut answer: AuditResult| {
            let response = answer.as_mut().ok();
            if let Some(refusal) = response.and_then(|r| r.extensions_mut().remove::<RefusedCall>())
            {
                refusals(&refusal);
            }
            answer
        }))
    }
}
