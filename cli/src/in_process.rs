//! Calls that are answered in this process: by the gateway of a fleet, which serves agents itself.

use std::{fmt, pin::Pin, sync::Arc};

use http::{Request, Response};
use tonic::body::Body;

/// The response to a call, when it comes.
pub type CallFuture = Pin<Box<dyn Future<Output = Response<Body>> + Send>>;

/// Answers calls of gRPC.
pub trait CallService: Send + Sync + 'static {
    /// The response to a call. Dropping it ends the call.
    fn call(self: Arc<Self>, request: Request<Body>) -> CallFuture;
}

/// A service of this process, in the place of a socket.
#[derive(Clone)]
pub struct InProcessService(Arc<dyn CallService>);

impl InProcessService {
    /// Calls go to `service`.
    pub fn new(service: Arc<dyn CallService>) -> Self {
        Self(service)
    }

    /// The response to a call.
    pub fn call(&self, request: Request<Body>) -> CallFuture {
        Arc::clone(&self.0).call(request)
    }
}

impl fmt::Debug for InProcessService {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("InProcessService").finish_non_exhaustive()
    }
}
