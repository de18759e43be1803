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
use crate::policy::{Authority, Listener};

/// What stands before the services of one listener.
#[derive(Clone)]
pub struct GateConfig {
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
pub fn with_gate<S>(gate: GateConfig, services: S) -> GatedService
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S: Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
{
    // Callers elsewhere may have nothing but HTTP, and their messages are read
    // with care.
    let is_remote = gate.listener == Listener::Tunnel;
    let json = is_remote.then(|| JsonLayer::new(Arc::clone(&gate.refusals)));
    let stack = ServiceBuilder::new()
        .option_layer(json)
        .layer(GrpcWebLayer::new())
        .layer(TraceLayer)
        .layer(AuditLayer::new(gate.refusals))
        .layer(FilterLayer::new(gate.origin))
        .layer(FilterLayer::new(AuthorizeCheck::new(gate.authority, gate.listener)))
        .layer(FilterLayer::new(RateLimitCheck))
        .option_layer(is_remote.then_some(RequestBodyLayer))
        .layer(ErrorMappingLayer)
        .service(services);
    BoxCloneSyncService::new(stack)
}
