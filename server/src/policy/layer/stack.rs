//! The stack, in the order in which a call meets it.

use std::{convert::Infallible, sync::Arc};

use http::{Request, Response};
use tonic::body::Body;
use tonic_web::GrpcWebLayer;
use tower::{Service, ServiceBuilder, util::BoxCloneSyncService};

use super::{
    audit::{Audit, Refusals},
    authorize::Authorize,
    explain::Explain,
    filter::Filter,
    intake::Intake,
    json::Json,
    origin::Origin,
    rate::Rated,
    trace::Trace,
};
use crate::policy::{Authority, Listener};

/// What stands before the services of one listener.
#[derive(Clone)]
pub struct Gate {
    /// Where the calls come in.
    pub listener: Listener,
    /// Whose tokens are taken.
    pub authority: Arc<Authority>,
    /// From where calls may come.
    pub origin: Origin,
    /// Who hears of refused calls.
    pub refusals: Refusals,
}

/// Services behind a gate.
pub type Guarded = BoxCloneSyncService<Request<Body>, Response<Body>, Infallible>;

/// Puts `services` behind `gate`.
pub fn guard<S>(gate: Gate, services: S) -> Guarded
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
    S: Clone + Send + Sync + 'static,
    S::Future: Send + 'static,
{
    // Callers elsewhere may have nothing but HTTP, and their messages are read
    // with care.
    let elsewhere = gate.listener == Listener::Tunnel;
    let json = elsewhere.then(|| Json::new(Arc::clone(&gate.refusals)));
    let stack = ServiceBuilder::new()
        .option_layer(json)
        .layer(GrpcWebLayer::new())
        .layer(Trace)
        .layer(Audit::new(gate.refusals))
        .layer(Filter::new(gate.origin))
        .layer(Filter::new(Authorize::new(gate.authority, gate.listener)))
        .layer(Filter::new(Rated))
        .option_layer(elsewhere.then_some(Intake))
        .layer(Explain)
        .service(services);
    BoxCloneSyncService::new(stack)
}
