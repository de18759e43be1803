//! What the gateway asks of pods, and the tokens that it has for callers there.

use std::{
    sync::{Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use browse_base::{Error, HINT_KEY, Result};
use browse_fleet::{
    CLOSE_PATH, CloseRequest, FleetIdentity, POD_NAME, PodStatus, PodUid, STATUS_PATH, TOKEN_PATH,
    TokenRequest, TokenResponse,
};
use browse_proto::Reason;
use http::{Request, Response};
use hyper::body::Incoming;
use tonic::body::Body;

use crate::{
    cluster::PodRecord,
    peer::{PeerClient, PeerError, UpgradeClient},
    pod_token_cache::PodTokenCache,
    retry::unavailable,
};

/// Time in which a pod gives out a token.
const TOKEN_TIMEOUT: Duration = Duration::from_secs(5);

/// Time in which a pod closes a session.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(15);

/// The pods, as the gateway calls them.
pub struct PodClient {
    calls: PeerClient,
    /// Connections of their own: calls of a tenant must not hold up what the gateway asks itself.
    control: PeerClient,
    /// WebSockets, each by a connection of its own.
    sockets: UpgradeClient,
    tokens: Mutex<PodTokenCache>,
}

impl PodClient {
    /// A client with the certificate of the gateway.
    ///
    /// # Errors
    /// `CERTIFICATE_UNUSABLE`.
    pub fn new(identity: &FleetIdentity) -> Result<Self> {
        let client = || PeerClient::new(identity, POD_NAME);
        let sockets = UpgradeClient::new(identity, POD_NAME)?;
        Ok(Self { calls: client()?, control: client()?, sockets, tokens: Mutex::default() })
    }

    /// How a pod is.
    ///
    /// # Errors
    /// It does not answer.
    pub async fn status(&self, pod: &PodRecord) -> Result<PodStatus> {
        let address = pod.address.ok_or_else(|| unavailable("the pod has no address"))?;
        self.control.get(address, STATUS_PATH).await
    }

    /// Closes a session of a pod.
    ///
    /// # Errors
    /// The pod does not answer.
    pub async fn close(&self, pod: &PodRecord, session: &str) -> Result<PodStatus> {
        let address = pod.address.ok_or_else(|| unavailable("the pod has no address"))?;
        let request = CloseRequest { pod: pod.uid.clone(), session: session.to_owned() };
        self.control.post(address, CLOSE_PATH, &request, CLOSE_TIMEOUT).await
    }

    /// The token of a caller at a pod; a pod of nobody is assigned to the tenant by that.
    ///
    /// # Errors
    /// The pod does not answer, or belongs to another tenant. `FLEET_DENIED`: a skill calls, and
    /// the pod is of an older version.
    pub async fn token(&self, pod: &PodRecord, request: TokenRequest) -> Result<String> {
        if let Some(token) = self.lock().get(&request, Instant::now()) {
            return Ok(token.to_owned());
        }
        let address = pod.address.ok_or_else(|| unavailable("the pod has no address"))?;
        let answer: TokenResponse =
            self.control.post(address, TOKEN_PATH, &request, TOKEN_TIMEOUT).await?;
        // It would not hold the call to the hosts of the skill.
        if request.skill_hosts.is_some() && !answer.is_of_skill {
            let message = "the pod is of a version that runs no calls of skills";
            return Err(Error::new(Reason::FleetDenied, message)
                .with(HINT_KEY, "Ask the operator of the fleet to upgrade it"));
        }
        let now = Instant::now();
        let until = now + Duration::from_secs(answer.lifetime_s);
        self.lock().insert(request, answer.token.clone(), until, now);
        Ok(answer.token)
    }

    /// Forgets the tokens of a pod: it does not know them any more, or is gone.
    pub fn forget(&self, pod: &PodUid) {
        self.lock().remove_pod(pod);
    }

    /// Sends a call to a pod.
    ///
    /// # Errors
    /// The connection cannot be made, or broke.
    pub async fn send(
        &self,
        pod: &PodRecord,
        request: Request<Body>,
    ) -> std::result::Result<Response<Incoming>, PeerError> {
        let address = pod.address.ok_or_else(PeerError::no_address)?;
        self.calls.send(address, request).await
    }

    /// Asks a pod for a WebSocket.
    ///
    /// # Errors
    /// As [`UpgradeClient::connect`].
    pub async fn connect(
        &self,
        pod: &PodRecord,
        request: Request<Body>,
    ) -> std::result::Result<Response<Incoming>, PeerError> {
        let address = pod.address.ok_or_else(PeerError::no_address)?;
        self.sockets.connect(address, request).await
    }

    fn lock(&self) -> MutexGuard<'_, PodTokenCache> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
