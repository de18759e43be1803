//! One replica of the gateway: from a call to the pod of its session and back.

mod access;
mod call_command;
mod call_record;
mod call_scopes;
mod client_limits;
mod devtools;
mod ended_sessions;
mod forward;
mod held_body;
mod loss_reports;
mod mcp;
mod mcp_calls;
mod mcp_end;
mod mcp_session;
mod observed_body;
mod outcome;
mod pod_spans;
mod protected_resource;
mod releases;
mod session_list;
mod session_of_call;
mod skill_call;
mod tunnel;

use std::{
    convert::Infallible,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::{Duration, Instant},
};

use browse_base::{Error, Result};
use browse_fleet::{GATE_NAME, PLACE_PATH, PlaceRequest, PlaceResponse, SessionKey, SessionScope};
use browse_policy::layer::{bearer_token, error_reply, requested_timeout};
use browse_proto::{FLEET_DOCUMENT_PATH, Reason};
use http::{HeaderValue, Method, Request, Response, header};
use tonic::body::Body;

use crate::{
    auth::{AuthenticatedCaller, Authenticator},
    cluster::{Cluster, PodRecord},
    login::LoginDocument,
    metrics::{FleetCounts, Metrics},
    observer::Observer,
    peer::PeerClient,
    placement::Placement,
    pods::PodClient,
    public_address::GatewayUrl,
    retry::unavailable,
    routes::SessionRoutes,
};
pub use protected_resource::ProtectedResource;

use access::{role_of, session_of};
use call_command::{command_of, opens_session};
use call_record::CallRecord;
use call_scopes::CallScopes;
use client_limits::{ClientLimits, DEVTOOLS_CLIENTS};
use devtools::ClientPath;
use forward::AdmittedCall;
use loss_reports::LossReports;
use mcp::McpEndpoint;
use session_of_call::CallBody;
use skill_call::CallOrigin;

/// Time that a call without a deadline waits for a place.
const DEFAULT_WAIT: Duration = Duration::from_secs(30);

/// The longest that a call waits for a place.
const MAX_WAIT: Duration = Duration::from_secs(300);

/// Time that the leading replica gets on top of a wait.
const WAIT_MARGIN: Duration = Duration::from_secs(2);

/// Time between two looks for a pod that was given just now, and how often.
const ROUTE_INTERVAL: Duration = Duration::from_millis(5);
const ROUTE_LOOKS: u32 = 400;

/// The same for one that another replica gave.
const OPEN_LOOKS: u32 = 100;

/// The gateway.
pub struct Gateway {
    authenticator: Arc<Authenticator>,
    login: LoginDocument,
    cluster: Arc<dyn Cluster>,
    placement: Arc<Placement>,
    pods: Arc<PodClient>,
    replicas: PeerClient,
    routes: Mutex<SessionRoutes>,
    metrics: Arc<Metrics>,
    url: GatewayUrl,
    resource: ProtectedResource,
    clients: Arc<ClientLimits>,
    mcp: McpEndpoint,
    observer: Arc<Observer>,
    loss_reports: LossReports,
    restores_sessions: bool,
}

/// What a gateway is made of.
#[allow(missing_docs)]
pub struct GatewayParts {
    pub authenticator: Arc<Authenticator>,
    pub login: LoginDocument,
    pub cluster: Arc<dyn Cluster>,
    pub placement: Arc<Placement>,
    pub pods: Arc<PodClient>,
    pub identity: Arc<browse_fleet::FleetIdentity>,
    pub metrics: Arc<Metrics>,
    /// Where clients reach it.
    pub url: GatewayUrl,
    /// How clients of MCP sign in.
    pub resource: ProtectedResource,
    pub observer: Arc<Observer>,
    /// Whether pods save their sessions in an object store, so that another one can restore them.
    pub restores_sessions: bool,
}

impl Gateway {
    /// Puts the parts together; a task follows the pods of the cluster.
    ///
    /// # Errors
    /// `CERTIFICATE_UNUSABLE`.
    pub fn start(parts: GatewayParts) -> Result<Arc<Self>> {
        let gateway = Arc::new(Self {
            authenticator: parts.authenticator,
            login: parts.login,
            replicas: PeerClient::new(&parts.identity, GATE_NAME)?,
            mcp: McpEndpoint::new(&parts.identity)?,
            cluster: parts.cluster,
            placement: parts.placement,
            pods: parts.pods,
            routes: Mutex::new(SessionRoutes::new(parts.restores_sessions)),
            metrics: parts.metrics,
            url: parts.url,
            resource: parts.resource,
            clients: ClientLimits::new(DEVTOOLS_CLIENTS),
            observer: parts.observer,
            loss_reports: LossReports::new()?,
            restores_sessions: parts.restores_sessions,
        });
        gateway.update_routes();
        tokio::spawn(follow_pods(Arc::downgrade(&gateway)));
        Ok(gateway)
    }

    /// Answers a call of a client.
    pub async fn answer(
        self: Arc<Self>,
        request: Request<Body>,
    ) -> std::result::Result<Response<Body>, Infallible> {
        let headers = request.headers().clone();
        let mut record = CallRecord::begin(&self.observer, &request);
        let answer = self.route(request, &mut record).await;
        let response = answer.unwrap_or_else(|error| {
            record.set_error(&error);
            error_reply(&headers, error)
        });
        self.metrics.record_request(response.status().as_u16());
        Ok(record.observe(response))
    }

    /// Gives a session its place, on the replica that leads.
    ///
    /// # Errors
    /// As [`Placement::place`].
    pub async fn place_here(&self, request: &PlaceRequest) -> Result<PlaceResponse> {
        self.placement.place(request).await.map(|pod| PlaceResponse { pod })
    }

    /// Whether this replica hands out places.
    pub fn leads(&self) -> bool {
        self.cluster.leadership().borrow().is_self
    }

    /// Callers that wait for a place at this replica.
    pub fn queue_len(&self) -> usize {
        self.placement.queue_len()
    }

    /// Sessions that have a pod.
    pub fn session_count(&self) -> usize {
        self.lock().len()
    }

    /// The metrics as text.
    pub fn metrics_text(&self) -> String {
        let routes = self.lock();
        let pods = routes.pods();
        let counts = FleetCounts {
            warm: pods.values().filter(|pod| pod.is_warm()).count(),
            claimed: pods.values().filter(|pod| pod.claim.is_some()).count(),
            sessions: routes.len(),
            clients: self.clients.len(),
            leads: self.leads(),
            is_available: self.cluster.is_available(),
        };
        drop(routes);
        self.metrics.text(counts)
    }

    async fn route(
        self: &Arc<Self>,
        request: Request<Body>,
        record: &mut CallRecord,
    ) -> Result<Response<Body>> {
        // Pages of other origins have no business here; the dashboard comes by `browse --remote`.
        if request.headers().contains_key(header::ORIGIN) {
            let message = "the call carries an `Origin` header";
            return Err(Error::new(Reason::OriginDenied, message));
        }
        if request.method() == Method::GET && request.uri().path() == FLEET_DOCUMENT_PATH {
            return Ok(self.login.answer());
        }
        if request.method() == Method::GET && protected_resource::is_path(request.uri().path()) {
            let url = self.url.for_caller(request.uri(), request.headers());
            if let Some(answer) = url.and_then(|url| self.resource.answer(&url)) {
                return Ok(answer);
            }
        }
        if let Some(path) = ClientPath::read(request.uri().path()) {
            return devtools::connect(self, path, request, record).await;
        }
        if request.uri().path() == mcp::PATH {
            return Ok(mcp::answer(self, request, record).await);
        }
        let token = bearer_token(&request)?;
        let mut caller = self.authenticator.authenticate(token.as_deref()).await?;
        record.set_tenant(&caller.tenant);
        let command = command_of(&request)?;
        let scopes = CallScopes::take(&mut caller, request.headers())?;
        let origin = CallOrigin::take(&mut caller, request.headers())?;
        scopes.check(&caller, command)?;
        let role = role_of(&caller, request.headers());
        let body = CallBody::read(command, request).await?;
        let session = session_of(&caller, &body)?;
        scopes.hold_to_session(&mut caller, &session);
        origin.hold_to_session(&mut caller, &session);
        let key = SessionKey { tenant: caller.tenant.clone(), session };
        record.set_session(&key);
        let wait = requested_timeout(body.headers()).unwrap_or(DEFAULT_WAIT).min(MAX_WAIT);
        let until = Instant::now() + wait;
        let admitted =
            AdmittedCall { caller: &caller, origin: &origin, role, command, key: &key, until };
        if let Some(pods) = session_list::pods_to_ask(self, &admitted, &body) {
            return session_list::answer(self, &admitted, body, pods, record).await;
        }
        let pod = self.pod_of(&admitted, wait, record).await?;
        forward::forward(self, &admitted, body, pod, record).await
    }

    /// The pod for a call: that of the session, which is opened when the command opens sessions; for
    /// other commands any pod of the tenant, unless the caller is held to the session.
    async fn pod_of(
        &self,
        admitted: &AdmittedCall<'_>,
        wait: Duration,
        record: &mut CallRecord,
    ) -> Result<PodRecord> {
        let AdmittedCall { caller, command, key, .. } = *admitted;
        let (known, any, lost) = {
            let mut routes = self.lock();
            let known = routes.pod(key).cloned();
            // It looks at all pods, so only for calls that need one.
            let any = match (&known, &caller.session) {
                (None, SessionScope::Any) => routes.any_pod(&key.tenant).cloned(),
                _ => None,
            };
            (known, any, routes.take_lost(key, Instant::now()))
        };
        self.check_not_lost(key, lost).await?;
        if let Some(pod) = known {
            return Ok(pod);
        }
        // One that lies in the store alone has to be opened before it can be closed.
        if opens_session(command) || self.restores_sessions && command.name == "session close" {
            return record.time("place", self.place(caller, wait, key, None)).await;
        }
        match &caller.session {
            SessionScope::Any => any.ok_or_else(|| closed_session(key)),
            // A pod would make a token for each name.
            SessionScope::Only(_) => self.pod_of_open(key).await,
        }
    }

    /// The pod of a session that is open; it may have got it just now by another replica.
    async fn pod_of_open(&self, key: &SessionKey) -> Result<PodRecord> {
        for _ in 0..OPEN_LOOKS {
            self.update_routes();
            let lost = {
                let mut routes = self.lock();
                if let Some(pod) = routes.pod(key) {
                    return Ok(pod.clone());
                }
                routes.take_lost(key, Instant::now())
            };
            self.check_not_lost(key, lost).await?;
            tokio::time::sleep(ROUTE_INTERVAL).await;
        }
        Err(closed_session(key))
    }

    /// Asks the replica that leads for a place: another one than in the pod that it moves from.
    async fn place(
        &self,
        caller: &AuthenticatedCaller,
        wait: Duration,
        key: &SessionKey,
        moved_from: Option<&PodRecord>,
    ) -> Result<PodRecord> {
        let until = Instant::now() + wait;
        loop {
            let left = until.saturating_duration_since(Instant::now());
            let request = PlaceRequest {
                tenant: key.tenant.clone(),
                session: key.session.clone(),
                quota: caller.quota,
                wait_ms: u64::try_from(left.as_millis()).unwrap_or(u64::MAX),
                moved_from: moved_from.map(|pod| pod.uid.clone()),
            };
            match self.ask_leader(&request).await {
                Ok(place) => return self.wait_for_route(key, &place).await,
                // Another replica takes over soon.
                Err(error)
                    if error.reason() == Reason::GateUnavailable
                        && self.cluster.is_available()
                        && Instant::now() < until =>
                {
                    tracing::debug!(%error, %key, "a place is asked for again");
                    tokio::time::sleep(ROUTE_INTERVAL * 20).await;
                }
                Err(error) => return Err(error),
            }
        }
    }

    async fn ask_leader(&self, request: &PlaceRequest) -> Result<PlaceResponse> {
        let leadership = self.cluster.leadership().borrow().clone();
        if leadership.is_self {
            return self.place_here(request).await;
        }
        let address =
            leadership.address.ok_or_else(|| unavailable("no replica hands out places yet"))?;
        let time = Duration::from_millis(request.wait_ms) + WAIT_MARGIN;
        self.replicas.post(address, PLACE_PATH, request, time).await
    }

    /// Waits until this replica has heard of a place that the leading one gave.
    async fn wait_for_route(&self, key: &SessionKey, place: &PlaceResponse) -> Result<PodRecord> {
        for _ in 0..ROUTE_LOOKS {
            self.update_routes();
            let pod = self.lock().pod(key).filter(|pod| pod.uid == place.pod).cloned();
            if let Some(pod) = pod {
                return Ok(pod);
            }
            tokio::time::sleep(ROUTE_INTERVAL).await;
        }
        Err(unavailable("the place of the session is not known here yet"))
    }

    fn update_routes(&self) {
        let pods = Arc::clone(&self.cluster.pods().borrow());
        let gone = {
            let mut routes = self.lock();
            if Arc::ptr_eq(routes.pods(), &pods) {
                return;
            }
            routes.update(pods, Instant::now())
        };
        gone.iter().for_each(|pod| self.pods.forget(pod));
    }

    fn lock(&self) -> MutexGuard<'_, SessionRoutes> {
        self.routes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn follow_pods(gateway: std::sync::Weak<Gateway>) {
    let Some(mut pods) = gateway.upgrade().map(|gateway| gateway.cluster.pods()) else { return };
    while pods.changed().await.is_ok() {
        let Some(gateway) = gateway.upgrade() else { return };
        gateway.update_routes();
    }
}

fn closed_session(key: &SessionKey) -> Error {
    let message = format!("the session `{}` is not open", key.session);
    Error::new(Reason::SessionNotFound, message).with("session", &key.session)
}

fn header_value(name: &str, value: &str) -> Result<HeaderValue> {
    HeaderValue::try_from(value)
        .map_err(|error| Error::new(Reason::Bug, format!("`{name}`: {error}")))
}
