//! The form that the filters share: look at a call, let it pass or refuse it.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    sync::Arc,
    task::{Context, Poll},
};

use futures::future::Either;
use http::{Request, Response};
use tonic::{Status, body::Body};
use tower::{Layer, Service};

use super::{PeerAddress, audit::RefusedCall};
use crate::Grant;
use browse_base::Result;

/// Lets calls pass or refuses them.
pub trait RequestCheck: Send + Sync + 'static {
    /// Looks at one call.
    ///
    /// # Errors
    /// The call is refused.
    fn check(&self, request: &mut Request<Body>) -> Result<()>;
}

/// The layer of a check.
pub struct FilterLayer<C>(Arc<C>);

/// A service behind a check.
pub struct FilterService<C, S> {
    check: Arc<C>,
    inner: S,
}

impl<C> FilterLayer<C> {
    /// The layer of `check`.
    pub fn new(check: C) -> Self {
        Self(Arc::new(check))
    }
}

impl<C, S> Layer<S> for FilterLayer<C> {
    type Service = FilterService<C, S>;

    fn layer(&self, inner: S) -> Self::Service {
        FilterService { check: Arc::clone(&self.0), inner }
    }
}

impl<C, S: Clone> Clone for FilterService<C, S> {
    fn clone(&self) -> Self {
        Self { check: Arc::clone(&self.check), inner: self.inner.clone() }
    }
}

impl<C, S> Service<Request<Body>> for FilterService<C, S>
where
    C: RequestCheck,
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<Response<Body>, Infallible>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, mut request: Request<Body>) -> Self::Future {
        let Err(error) = self.check.check(&mut request) else {
            return Either::Left(self.inner.call(request));
        };
        let grant = request.extensions().get::<Arc<Grant>>();
        let client = grant.map(|grant| grant.capability().client.clone());
        let path = request.uri().path().to_owned();
        let peer = request.extensions().get::<PeerAddress>().map(|peer| peer.0);
        let mut response = Status::from(error.clone()).into_http::<Body>();
        response.extensions_mut().insert(RefusedCall {
            reason: error.reason(),
            client,
            path,
            peer,
        });
        Either::Right(ready(Ok(response)))
    }
}
