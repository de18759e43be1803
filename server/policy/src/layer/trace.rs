//! Writes a line about each call to the log, for whoever looks for trouble.

use std::{
    convert::Infallible,
    task::{Context, Poll},
    time::Instant,
};

use futures::future::{FutureExt as _, Map};
use http::{Request, Response};
use tonic::{Status, body::Body};
use tower::{Layer, Service};

/// The layer.
#[derive(Clone, Copy, Debug)]
pub struct TraceLayer;

/// A service whose calls are logged.
#[derive(Clone, Debug)]
pub struct TraceService<S>(S);

impl<S> Layer<S> for TraceLayer {
    type Service = TraceService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        TraceService(inner)
    }
}

type TraceResult = Result<Response<Body>, Infallible>;

impl<S> Service<Request<Body>> for TraceService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Map<S::Future, Box<dyn FnOnce(TraceResult) -> TraceResult + Send>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let path = request.uri().path().to_owned();
        let begun = Instant::now();
        self.0.call(request).map(Box::new(move |answer: TraceResult| {
            let status = answer.as_ref().ok().and_then(|r| Status::from_header_map(r.headers()));
            let code = status.map(|status| status.code());
            tracing::debug!(path, ?code, elapsed = ?begun.elapsed(), "answered");
            answer
        }))
    }
}
