//! What the gateway asks a pod itself: for tokens, how it is, to drain.

use std::sync::Arc;

use browse_base::{Error, Result};
use browse_fleet::{
    CLOSE_PATH, CloseRequest, DRAIN_PATH, PodStatus, STATUS_PATH, SessionStatus, TOKEN_PATH,
    TokenRequest,
};
use browse_policy::layer::{json_answer, json_error, read_json};
use browse_proto::Reason;
use browse_sessions::{BrowserState, Session, SessionName};
use http::{Method, Request, Response};
use tonic::body::Body;

use super::Pod;

/// Bytes of a request.
const MAX_BODY_BYTES: usize = 16 << 10;

/// What all paths of the gateway begin with.
pub const PREFIX: &str = "/fleet/";

/// Answers a request of the gateway.
pub async fn answer(pod: Arc<Pod>, request: Request<Body>) -> Response<Body> {
    route(&pod, request).await.unwrap_or_else(json_error)
}

async fn route(pod: &Pod, request: Request<Body>) -> Result<Response<Body>> {
    let path = request.uri().path().to_owned();
    match (request.method().clone(), path.as_str()) {
        (Method::GET, STATUS_PATH) => json_answer(&pod.status()),
        (Method::POST, CLOSE_PATH) => {
            let request: CloseRequest = read_json(request.into_body(), MAX_BODY_BYTES).await?;
            pod.state.check_pod(request.pod.as_str())?;
            if let Some(fleet) = pod.daemon.fleet_sessions() {
                fleet.remove_held(&request.session).await?;
            }
            pod.daemon.sessions().close(&request.session).await?;
            // One that is not traced is not an error.
            let _ = pod.daemon.traces().stop(&request.session);
            pod.daemon.talk().forget(&request.session);
            json_answer(&pod.status())
        }
        (Method::POST, DRAIN_PATH) => {
            pod.state.start_draining();
            json_answer(&pod.status())
        }
        (Method::POST, TOKEN_PATH) => {
            let request: TokenRequest = read_json(request.into_body(), MAX_BODY_BYTES).await?;
            if pod.state.assign(&request.tenant, &request.pod)? {
                tracing::info!(tenant = %request.tenant, "the pod is assigned");
            }
            if let Some(fleet) = pod.daemon.fleet_sessions() {
                fleet.set_tenant(&request.tenant);
            }
            let is_open = |session: &str| pod.daemon.sessions().get(session).is_some();
            json_answer(&pod.tokens.token(pod.daemon.authority(), request, is_open)?)
        }
        _ => Err(Error::new(Reason::MethodUnknown, "a pod has no such path")),
    }
}

impl Pod {
    /// How it is.
    pub fn status(&self) -> PodStatus {
        // `default` is always there.
        let is_used = |session: &Arc<Session>| {
            session.name() != SessionName::default_session().as_str() || !session.is_unused()
        };
        let status = |session: Arc<Session>| SessionStatus {
            name: session.name().to_owned(),
            idle_s: session.idle_time().as_secs(),
        };
        let sessions = self.daemon.sessions().all().into_iter().filter(is_used);
        PodStatus {
            pod: self.state.uid().clone(),
            tenant: self.state.tenant().cloned(),
            sessions: sessions.map(status).collect(),
            capacity: self.state.capacity(),
            calls: usize::try_from(self.daemon.calls()).unwrap_or(usize::MAX),
            is_ready: self.is_ready(),
            is_draining: self.state.is_draining(),
            is_spent: self.state.is_spent(),
        }
    }

    /// Whether its browser runs.
    pub fn is_ready(&self) -> bool {
        matches!(self.daemon.sessions().browser_handle().state(), BrowserState::Running(_))
    }
}
