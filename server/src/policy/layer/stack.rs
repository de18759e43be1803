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
    let stack = ServiceBuilder::new()
        .layer(GrpcWebLayer::new())
        .layer(Trace)
        .layer(Audit::new(gate.refusals))
        .layer(Filter::new(gate.origin))
        .layer(Filter::new(Authorize::new(gate.authority, gate.listener)))
        .layer(Filter::new(Rated))
        .layer(Explain)
        .service(services);
    BoxCloneSyncService::new(stack)
}
