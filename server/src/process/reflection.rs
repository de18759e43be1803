//! The reflection services of gRPC, made when somebody first asks: they take a
//! megabyte, and hardly anybody does.

use std::{
    convert::Infallible,
    future::{Ready, ready},
    sync::{Arc, OnceLock},
    task::{Context, Poll},
};

use futures::future::Either;
use tonic::{Status, body::Body, codegen::http, server::NamedService};
use tonic_reflection::server::{Builder, Error};
use tower::Service;

/// A service that is made for its first request.
pub struct LazyService<S> {
    service: Arc<OnceLock<Result<S, Error>>>,
    build: fn() -> Result<S, Error>,
}

/// `grpc.reflection.v1`.
pub fn v1() -> LazyService<impl ReflectionService> {
    LazyService::new(|| reflection_builder().build_v1())
}

/// `grpc.reflection.v1alpha`, which older clients ask for.
pub fn v1alpha() -> LazyService<impl ReflectionService> {
    LazyService::new(|| reflection_builder().build_v1alpha())
}

/// What one of the services is.
pub trait ReflectionService:
    Service<
        http::Request<Body>,
        Response = http::Response<Body>,
        Error = Infallible,
        Future: Send + 'static,
    > + NamedService
    + Clone
    + Send
    + Sync
    + 'static
{
}

impl<S> ReflectionService for S where
    S: Service<
            http::Request<Body>,
            Response = http::Response<Body>,
            Error = Infallible,
            Future: Send + 'static,
        > + NamedService
        + Clone
        + Send
        + Sync
        + 'static
{
}

fn reflection_builder() -> Builder<'static> {
    Builder::configure()
        .register_encoded_file_descriptor_set(browse_proto::DESCRIPTOR)
        .register_encoded_file_descriptor_set(tonic_health::pb::FILE_DESCRIPTOR_SET)
}

impl<S> LazyService<S> {
    fn new(make: fn() -> Result<S, Error>) -> Self {
        Self { service: Arc::default(), build: make }
    }
}

impl<S> Clone for LazyService<S> {
    fn clone(&self) -> Self {
        Self { service: Arc::clone(&self.service), build: self.build }
    }
}

impl<S: NamedService> NamedService for LazyService<S> {
    const NAME: &'static str = S::NAME;
}

impl<S: ReflectionService> Service<http::Request<Body>> for LazyService<S> {
    type Response = http::Response<Body>;
    type Error = Infallible;
    type Future = Either<S::Future, Ready<Result<Self::Response, Infallible>>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        match self.service.get_or_init(self.build) {
            // These are always ready.
            Ok(service) => Either::Left(service.clone().call(request)),
            Err(error) => {
                let status = Status::internal(format!("the descriptor cannot be served: {error}"));
                Either::Right(ready(Ok(status.into_http())))
            }
        }
    }
}
