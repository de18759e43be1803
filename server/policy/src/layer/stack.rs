//! The stack, in the order in which a call meets it.

use std::{convert::Infallible, sync::Arc};

use http::{Request, Response};
use tonic::body::Body;
use tonic_web::GrpcWebLayer;
use tower::{Service, ServiceBuilder, util::BoxCloneSyncService};

use super::{
    audit::{AuditLayer, RefusedCallHandler},
    authorize::AuthorizeCheck,
    error_mapping::ErrorMappingLayer,
    filter::FilterLayer,
    json::JsonLayer,
    origin::OriginCheck,
    rate::RateLimitCheck,
    request_body::RequestBodyLayer,
    trace::TraceLayer,
};
use crate::{Authority, Listener};

/// What stands before the services of one listener.
#[derive(Clone)]
pub struct LayerConfig {
    /// Where the calls come in.
    pub listener: Listener,
    /// Whose tokens are taken.
    pub authority: Arc<Authority>,
    /// From where calls may come.
    pub origin: OriginCheck,
    /// Who hears of refused calls.
    pub refusals: RefusedCallHandler,
}

/// Services behind a gate.
pub type GatedService = BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>;

/// Puts `services` behind `gate`.
pub fn with_gate<S>(gate: LayerConfig, services: S) -> GatedService
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S: Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
{
    let stack = ServiceBuilder::new()
        .layer(JsonLayer::new(Arc::clone(&gate.refusals)))
        .layer(GrpcWebLayer::new())
        .layer(TraceLayer)
        .layer(AuditLayer::new(gate.refusals))
        .layer(FilterLayer::new(gate.origin))
        .layer(FilterLayer::new(AuthorizeCheck::new(gate.authority, gate.listener)))
        .layer(FilterLayer::new(RateLimitCheck))
        .layer(RequestBodyLayer::new(gate.listener))
        .layer(ErrorMappingLayer)
        .service(services);
    BoxCloneSyncService::new(stack)
}
