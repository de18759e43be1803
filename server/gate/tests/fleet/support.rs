//! The world of these tests: certificates, pods that are played, replicas, and callers.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    fs,
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use browse_base::{Error, hex};
use browse_fleet::{
    ADDRESS_HEADER, CLOSE_PATH, CloseRequest, DEVTOOLS_PATH, FleetIdentity, GATE_NAME,
    MISMATCH_HEADER, MOVED_HEADER, POD_HEADER, POD_NAME, PodStatus, PodUid, SPANS_HEADER,
    STATUS_PATH, SessionStatus, TENANT_HEADER, TOKEN_PATH, Tenant, TokenRequest, TokenResponse,
};
use browse_gate::{
    cluster::{
        Cluster, PodRecord,
        memory::{MemoryCluster, MemoryReplica},
    },
    gateway::Gateway,
    login::LoginSettings,
    placement::PlacementSettings,
    traces::TraceSettings,
};
use browse_policy::layer::json_error;
use browse_proto::{Command, Reason, metadata};
use http::{HeaderMap, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::{
    body::{Bytes, Frame, Incoming},
    service::service_fn,
};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use rcgen::{BasicConstraints, CertificateParams, CertifiedIssuer, IsCa, KeyPair};
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use crate::{
    served::{GatewaySetup, Listeners, ServedGateway},
    websockets,
};

/// The longest that something takes to come about.
pub const LIMIT: Duration = Duration::from_secs(10);

/// Tenants with callers; the key of one is its name with `-key`.
pub const TENANTS: [&str; 4] = ["acme", "beta", "gamma", "delta"];

/// A quota that no test uses up.
const QUOTA: &str = "sessions = 1000\nsessions_per_minute = 10000\nqueue = 500";

/// Everything of one test.
pub struct World {
    pub cluster: Arc<MemoryCluster>,
    pub replicas: Vec<Replica>,
    /// Folder with the certificate of pods.
    pub pod_identity: PathBuf,
    /// Folder with the certificate of the gateway.
    pub gate_identity: PathBuf,
    authority: CertifiedIssuer<'static, KeyPair>,
    next_pod: AtomicUsize,
    settings: PlacementSettings,
    sessions: SavedSessions,
    traces: Option<TraceSettings>,
    has_access_log: bool,
    home: tempfile::TempDir,
}

/// Whether pods save their sessions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SavedSessions {
    /// A session ends with its pod.
    #[default]
    None,
    /// Another pod restores it.
    Restored,
}

/// One replica of the gateway.
pub struct Replica {
    pub address: SocketAddr,
    /// Where other replicas call.
    pub control: SocketAddr,
    pub gateway: Arc<Gateway>,
    pub cluster: Arc<MemoryReplica>,
    done: CancellationToken,
}

/// A pod that is played.
pub struct FakePod {
    pub name: String,
    pub address: SocketAddr,
    state: Arc<PodState>,
    done: CancellationToken,
}

struct PodState {
    uid: PodUid,
    tenant: Mutex<Option<Tenant>>,
    sessions: Mutex<BTreeSet<String>>,
    /// What was called, as `session command`.
    calls: Mutex<Vec<String>>,
    /// Calls whose connection breaks before they are answered.
    breaks: AtomicUsize,
    /// Seconds since the last call, as it reports them.
    idle_s: Mutex<u64>,
    /// Whether its sessions have moved: it does nothing for them any more.
    has_moved: AtomicBool,
    /// Bytes that it has sent to a client that asks for more than it reads.
    sent: Arc<AtomicUsize>,
    /// What it reports of a call for its trace.
    spans: Mutex<Option<String>>,
}

/// What a fleet of a test has beside its replicas.
#[derive(Default)]
struct Extras {
    sessions: SavedSessions,
    /// Time after which a session without a call is closed.
    idle_session_time: Option<Duration>,
    /// Lines of `[auth]`.
    issuer: String,
    login: LoginSettings,
    traces: Option<TraceSettings>,
    has_access_log: bool,
}

/// What a call was answered.
#[derive(Debug)]
pub struct Answer {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Value,
}

impl Answer {
    /// The reason of an error.
    pub fn reason(&self) -> &str {
        self.body["details"][0]["debug"]["reason"].as_str().unwrap_or("ok")
    }

    /// The pod that answered.
    pub fn pod(&self) -> &str {
        self.body["pod"].as_str().unwrap_or_default()
    }
}

impl World {
    /// Three replicas and no pod, with as many sessions a pod.
    pub async fn new(sessions_per_pod: usize) -> Self {
        Self::with_quota(sessions_per_pod, QUOTA).await
    }

    /// The same with a quota for each tenant.
    pub async fn with_quota(sessions_per_pod: usize, quota: &str) -> Self {
        Self::build(sessions_per_pod, quota, Extras::default()).await
    }

    /// Replicas of a fleet whose pods save their sessions.
    pub async fn restoring(sessions_per_pod: usize) -> Self {
        let quota = "sessions = 1000\nsessions_per_minute = 10000\nqueue = 500";
        let extras = Extras { sessions: SavedSessions::Restored, ..Extras::default() };
        Self::build(sessions_per_pod, quota, extras).await
    }

    /// Replicas that close no session in the time of a test.
    pub async fn keeping_sessions(sessions_per_pod: usize) -> Self {
        let idle_session_time = Some(Duration::from_secs(600));
        let extras = Extras { idle_session_time, ..Extras::default() };
        Self::build(sessions_per_pod, QUOTA, extras).await
    }

    /// Replicas with an issuer, by its settings, and a sign-in.
    pub async fn with_login(sessions_per_pod: usize, issuer: &str, login: LoginSettings) -> Self {
        let extras = Extras { issuer: issuer.to_owned(), login, ..Extras::default() };
        Self::build(sessions_per_pod, QUOTA, extras).await
    }

    /// Replicas that export traces, by the lines of `[traces]`.
    pub async fn with_traces(sessions_per_pod: usize, traces: &str) -> Self {
        let traces = Some(toml::from_str(traces).expect("settings"));
        let extras = Extras { traces, ..Extras::default() };
        Self::build(sessions_per_pod, QUOTA, extras).await
    }

    /// Replicas that log each call.
    pub async fn with_access_log(sessions_per_pod: usize) -> Self {
        let extras = Extras { has_access_log: true, ..Extras::default() };
        Self::build(sessions_per_pod, QUOTA, extras).await
    }

    async fn build(sessions_per_pod: usize, quota: &str, extras: Extras) -> Self {
        let Extras { sessions, idle_session_time, issuer, login, traces, has_access_log } = extras;
        let home = tempfile::tempdir().expect("a folder");
        let authority = authority();
        let gate_identity = write_identity(&authority, home.path(), GATE_NAME);
        let pod_identity = write_identity(&authority, home.path(), POD_NAME);
        fs::write(home.path().join("keys.toml"), api_keys(&TENANTS)).expect("written");
        let keys = home.path().join("keys.toml").display().to_string();
        let auth = format!("api_keys = \"{keys}\"\n{issuer}\n[default_quota]\n{quota}\n");
        let empty_pod_time = Duration::from_secs(1);
        let mut world = Self {
            cluster: MemoryCluster::new(),
            replicas: Vec::new(),
            gate_identity,
            authority,
            pod_identity,
            next_pod: AtomicUsize::new(1),
            settings: PlacementSettings {
                sessions_per_pod,
                empty_pod_time,
                // One that lies in a store is used again after its pod has gone.
                idle_session_time: idle_session_time.unwrap_or_else(|| {
                    Duration::from_secs(match sessions {
                        SavedSessions::None => 2,
                        SavedSessions::Restored => 60,
                    })
                }),
            },
            sessions,
            traces,
            has_access_log,
            home,
        };
        for _ in 0..3 {
            let replica = world.start_replica(&auth, &login).await;
            world.replicas.push(replica);
        }
        world
    }

    async fn start_replica(&self, auth: &str, login: &LoginSettings) -> Replica {
        let listeners = Listeners::bind().await;
        let cluster = self.cluster.replica(listeners.control());
        let setup = GatewaySetup {
            identity: &self.gate_identity,
            auth,
            login,
            traces: self.traces.as_ref(),
            has_access_log: self.has_access_log,
            placement: self.settings,
            restores_sessions: self.sessions == SavedSessions::Restored,
        };
        let served = setup.serve(listeners, Arc::clone(&cluster) as Arc<dyn Cluster>);
        let ServedGateway { address, control, gateway, done } = served;
        Replica { address, control, gateway, cluster, done }
    }

    /// Revokes the key of a tenant.
    pub fn revoke_key(&self, tenant: &str) {
        let others: Vec<_> = TENANTS.into_iter().filter(|known| *known != tenant).collect();
        fs::write(self.home.path().join("keys.toml"), api_keys(&others)).expect("written");
    }

    /// Adds a warm pod.
    pub async fn add_pod(&self) -> FakePod {
        let number = self.next_pod.fetch_add(1, Ordering::Relaxed);
        let pod = FakePod::numbered(number, &self.pod_identity, None).await;
        self.cluster.add_pod(pod.record());
        pod
    }

    /// Adds as many warm pods.
    pub async fn add_pods(&self, count: usize) -> Vec<FakePod> {
        let mut pods = Vec::new();
        for _ in 0..count {
            pods.push(self.add_pod().await);
        }
        pods
    }

    /// A pod of another uid at the address of one that has gone.
    pub async fn add_pod_at(&self, address: SocketAddr) -> FakePod {
        let number = self.next_pod.fetch_add(1, Ordering::Relaxed);
        FakePod::numbered(number, &self.pod_identity, Some(address)).await
    }

    /// Folder with a certificate of the fleet's authority for another name.
    pub fn certificate_for(&self, name: &str) -> PathBuf {
        write_identity(&self.authority, self.home.path(), name)
    }

    /// Folder with a certificate for `name` of an authority that the fleet does not know. Its
    /// owner trusts that of the fleet.
    pub fn foreign_certificate_for(&self, name: &str) -> PathBuf {
        let folder = write_identity(&authority(), &self.home.path().join("foreign"), name);
        fs::write(folder.join("ca.crt"), self.authority.pem()).expect("written");
        folder
    }

    /// Calls a command in a session by the replica with this number.
    pub async fn call(&self, replica: usize, tenant: &str, session: &str, command: &str) -> Answer {
        self.call_with(replica, tenant, session, command, &[]).await
    }

    /// The same with other headers, which replace ours.
    pub async fn call_with(
        &self,
        replica: usize,
        tenant: &str,
        session: &str,
        command: &str,
        headers: &[(&str, &str)],
    ) -> Answer {
        call(self.replicas[replica].address, tenant, session, command, headers).await
    }
}

/// Calls a command at a gateway.
pub async fn call(
    address: SocketAddr,
    tenant: &str,
    session: &str,
    command: &str,
    headers: &[(&str, &str)],
) -> Answer {
    let body = match command {
        "session new" | "session close" => json!({ "name": session }),
        _ => json!({}),
    };
    send(address, tenant, session, command, &body, headers).await
}

/// Calls a command with this message.
pub async fn send(
    address: SocketAddr,
    tenant: &str,
    session: &str,
    command: &str,
    body: &Value,
    headers: &[(&str, &str)],
) -> Answer {
    let command = Command::by_name(command).expect("a command");
    let client: Client<HttpConnector, Full<Bytes>> =
        Client::builder(TokioExecutor::new()).build_http();
    let mut request = Request::post(format!("http://{address}{}", command.path))
        .body(Full::from(body.to_string()))
        .expect("a request");
    let own = [
        ("content-type", "application/json".to_owned()),
        ("authorization", format!("Bearer {tenant}-key")),
        (metadata::SESSION, session.to_owned()),
    ];
    for (name, value) in own {
        request.headers_mut().insert(name, value.parse().expect("a header"));
    }
    for (name, value) in headers {
        let name: header::HeaderName = name.parse().expect("a name");
        request.headers_mut().insert(name, value.parse().expect("a header"));
    }
    let response = client.request(request).await.expect("the gateway answers");
    let (parts, body) = response.into_parts();
    let bytes = body.collect().await.expect("a body").to_bytes();
    let body = serde_json::from_slice(&bytes).unwrap_or(Value::Null);
    Answer { status: parts.status, headers: parts.headers, body }
}

/// Waits until `check` holds.
pub async fn eventually<T>(mut check: impl FnMut() -> Option<T>) -> T {
    let begun = tokio::time::Instant::now();
    loop {
        if let Some(found) = check() {
            return found;
        }
        assert!(begun.elapsed() < LIMIT, "it did not come about in time");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

impl Replica {
    /// Ends it as a kill does: its connections break, and another one leads.
    pub fn kill(&self) {
        self.cluster.stop();
        self.done.cancel();
    }
}

impl FakePod {
    async fn numbered(number: usize, identity: &Path, address: Option<SocketAddr>) -> Self {
        let name = format!("pod-{number}");
        let address = address.unwrap_or(([127, 0, 0, 1], 0).into());
        Self::start(&name, &format!("uid-{name}"), identity, address).await
    }

    /// A pod of this name and uid at this address, with the certificate in `identity`.
    pub async fn start(name: &str, uid: &str, identity: &Path, address: SocketAddr) -> Self {
        let identity = FleetIdentity::read(identity).expect("it is whole");
        let tls = identity.server_config(GATE_NAME).expect("it fits");
        // The one that had it is just ending.
        let listener = loop {
            match TcpListener::bind(address).await {
                Ok(listener) => break listener,
                Err(error) => assert_eq!(error.kind(), std::io::ErrorKind::AddrInUse),
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        };
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(PodState {
            uid: PodUid::new(uid).expect("a uid"),
            tenant: Mutex::default(),
            sessions: Mutex::default(),
            calls: Mutex::default(),
            breaks: AtomicUsize::new(0),
            idle_s: Mutex::default(),
            has_moved: AtomicBool::new(false),
            sent: Arc::default(),
            spans: Mutex::default(),
        });
        let done = CancellationToken::new();
        let acceptor = TlsAcceptor::from(Arc::new(tls));
        tokio::spawn(serve_pod(listener, acceptor, Arc::clone(&state), done.clone()));
        Self { name: name.to_owned(), address, state, done }
    }

    /// Its record, as a warm pod.
    pub fn record(&self) -> PodRecord {
        PodRecord {
            name: self.name.clone(),
            uid: self.state.uid.clone(),
            address: Some(self.address),
            version: String::new(),
            is_ready: true,
            is_ending: false,
            claim: None,
        }
    }

    /// Its uid.
    pub fn uid(&self) -> &str {
        self.state.uid.as_str()
    }

    /// Whose it is.
    pub fn tenant(&self) -> Option<String> {
        self.state.tenant.lock().expect("no panic").as_ref().map(ToString::to_string)
    }

    /// What was called, as `session command`.
    pub fn calls(&self) -> Vec<String> {
        self.state.calls.lock().expect("no panic").clone()
    }

    /// Bytes that it has sent to a client that asks for more than it reads.
    pub fn sent_bytes(&self) -> usize {
        self.state.sent.load(Ordering::Relaxed)
    }

    /// Its sessions were called last as long ago.
    pub fn set_idle(&self, seconds: u64) {
        *self.state.idle_s.lock().expect("no panic") = seconds;
    }

    /// Its next calls break before they are answered.
    pub fn break_next(&self, count: usize) {
        self.state.breaks.store(count, Ordering::Relaxed);
    }

    /// It has saved its sessions, and is about to end.
    pub fn move_sessions(&self) {
        self.state.has_moved.store(true, Ordering::Relaxed);
    }

    /// It reports this of its calls, for their traces.
    pub fn report_spans(&self, text: &str) {
        *self.state.spans.lock().expect("no panic") = Some(text.to_owned());
    }

    /// Its daemon is started anew: it has lost everything.
    pub fn restart(&self) {
        *self.state.tenant.lock().expect("no panic") = None;
        self.state.sessions.lock().expect("no panic").clear();
    }

    /// Ends it as a kill does.
    pub fn kill(&self) {
        self.done.cancel();
    }
}

impl Drop for FakePod {
    fn drop(&mut self) {
        self.kill();
    }
}

async fn serve_pod(
    listener: TcpListener,
    acceptor: TlsAcceptor,
    state: Arc<PodState>,
    done: CancellationToken,
) {
    while let Some(Ok((stream, _))) = done.run_until_cancelled(listener.accept()).await {
        let (acceptor, state, done) = (acceptor.clone(), Arc::clone(&state), done.clone());
        tokio::spawn(async move {
            let Ok(stream) = acceptor.accept(stream).await else { return };
            let broken = CancellationToken::new();
            let breaks = broken.clone();
            let service = service_fn(move |request: Request<Incoming>| {
                answer_pod(Arc::clone(&state), request, breaks.clone())
            });
            let builder = Builder::new(TokioExecutor::new());
            let serving = builder.serve_connection_with_upgrades(TokioIo::new(stream), service);
            tokio::select! {
                _ = serving => {}
                () = done.cancelled() => {}
                () = broken.cancelled() => {}
            }
        });
    }
}

async fn answer_pod(
    state: Arc<PodState>,
    mut request: Request<Incoming>,
    breaks: CancellationToken,
) -> Result<Response<tonic::body::Body>, Infallible> {
    let mismatch = |why: &str| Ok(json_error(Error::new(Reason::PodMismatch, why.to_owned())));
    let path = request.uri().path().to_owned();
    let headers = request.headers().clone();
    let upgrade = hyper::upgrade::on(&mut request);
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or("");
    let body = request.into_body().collect().await.expect("a body").to_bytes();
    if path == STATUS_PATH {
        let idle = *state.idle_s.lock().expect("no panic");
        let status = |name: &String| SessionStatus { name: name.clone(), idle_s: idle };
        let sessions = state.sessions.lock().expect("no panic").iter().map(status).collect();
        return json_answer(&PodStatus {
            pod: state.uid.clone(),
            tenant: state.tenant.lock().expect("no panic").clone(),
            sessions,
            capacity: 10,
            calls: 0,
            is_ready: true,
            is_draining: false,
            is_spent: false,
        });
    }
    if path == CLOSE_PATH {
        let request: CloseRequest = serde_json::from_slice(&body).expect("a request");
        state.sessions.lock().expect("no panic").remove(&request.session);
        return json_answer(&PodStatus {
            pod: state.uid.clone(),
            tenant: None,
            sessions: Vec::new(),
            capacity: 10,
            calls: 0,
            is_ready: true,
            is_draining: false,
            is_spent: false,
        });
    }
    if path == TOKEN_PATH {
        let request: TokenRequest = serde_json::from_slice(&body).expect("a request");
        if request.pod != state.uid {
            return mismatch("it is another pod");
        }
        let mut tenant = state.tenant.lock().expect("no panic");
        let own = tenant.get_or_insert_with(|| request.tenant.clone());
        if *own != request.tenant {
            return mismatch("it belongs to another tenant");
        }
        let token = format!("{}.{}.{}", state.uid, request.tenant, request.subject);
        return json_answer(&TokenResponse { token, lifetime_s: 3600 });
    }
    let own = state.tenant.lock().expect("no panic").as_ref().map(ToString::to_string);
    if text(POD_HEADER) != state.uid.as_str() || own.as_deref() != Some(text(TENANT_HEADER)) {
        let mut refusal = mismatch("the call is for another pod")?;
        refusal.headers_mut().insert(MISMATCH_HEADER, header::HeaderValue::from_static("1"));
        return Ok(refusal);
    }
    let accept = |session: &str| {
        let who = format!("{} {session}", state.uid);
        websockets::accept(&headers, upgrade.clone(), who, Arc::clone(&state.sent))
    };
    if let Some(capability) = path.strip_prefix(&format!("{DEVTOOLS_PATH}/")) {
        return Ok(match capability {
            websockets::CAPABILITY => accept("by address"),
            _ => websockets::not_found(),
        });
    }
    let token = text("authorization").trim_start_matches("Bearer ").to_owned();
    if !token.starts_with(&format!("{}.{}.", state.uid, text(TENANT_HEADER))) {
        return Ok(json_error(Error::new(Reason::TokenInvalid, "it is not a token of this pod")));
    }
    if state.has_moved.load(Ordering::Relaxed) {
        let mut response = json_error(Error::new(Reason::SessionMoved, "it has moved"));
        response.headers_mut().insert(MOVED_HEADER, header::HeaderValue::from_static("1"));
        return Ok(response);
    }
    if path == DEVTOOLS_PATH {
        return Ok(accept(text(metadata::SESSION)));
    }
    let (session, command) = (text(metadata::SESSION).to_owned(), Command::by_path(&path));
    let name = command.map_or("unknown", |command| command.name);
    state.calls.lock().expect("no panic").push(format!("{session} {name}"));
    if state
        .breaks
        .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1))
        .is_ok()
    {
        breaks.cancel();
        std::future::pending::<()>().await;
    }
    {
        let mut sessions = state.sessions.lock().expect("no panic");
        match name {
            "session close" => drop(sessions.remove(&session)),
            _ => drop(sessions.insert(session.clone())),
        }
    }
    if text("content-type").starts_with("application/grpc") {
        return Ok(empty_message());
    }
    let mut response = json_answer(&json!({
        "pod": state.uid, "tenant": text(TENANT_HEADER), "session": session, "token": token,
        "address": text(ADDRESS_HEADER),
        "headers": headers.keys().map(ToString::to_string).collect::<Vec<_>>(),
        "traceparent": text(metadata::TRACEPARENT),
    }))?;
    if let Some(spans) = &*state.spans.lock().expect("no panic") {
        response.headers_mut().insert(SPANS_HEADER, spans.parse().expect("a header"));
    }
    Ok(response)
}

/// The answer of gRPC with a message that has no fields.
fn empty_message() -> Response<tonic::body::Body> {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", header::HeaderValue::from_static("0"));
    let frames = [Frame::data(Bytes::from_static(&[0; 5])), Frame::trailers(trailers)];
    let frames = futures::stream::iter(frames.map(Ok::<_, Infallible>));
    let mut response = Response::new(tonic::body::Body::new(StreamBody::new(frames)));
    let kind = header::HeaderValue::from_static("application/grpc");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

fn json_answer(message: &impl serde::Serialize) -> Result<Response<tonic::body::Body>, Infallible> {
    let text = serde_json::to_vec(message).expect("JSON");
    let mut response = Response::new(tonic::body::Body::new(Full::from(text)));
    let kind = header::HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    Ok(response)
}

/// The file with the keys of tenants.
pub fn api_keys(tenants: &[&str]) -> String {
    let key = |tenant: &&str| {
        let hash = hex(&Sha256::digest(format!("{tenant}-key")));
        format!(
            "[[key]]\nsha256 = \"{hash}\"\ntenant = \"{tenant}\"\nsubject = \"ann\"\n\
             scopes = [\"read\", \"write\", \"meta\", \"admin\", \"control\"]\n"
        )
    };
    let narrow = hex(&Sha256::digest("narrow-key"));
    let narrow = format!(
        "[[key]]\nsha256 = \"{narrow}\"\ntenant = \"acme\"\nsubject = \"bob\"\n\
         scopes = [\"read\"]\nsession = \"one\"\n"
    );
    tenants.iter().map(key).collect::<String>() + &narrow
}

/// An authority that nobody knows yet.
pub fn authority() -> CertifiedIssuer<'static, KeyPair> {
    let mut params = CertificateParams::new(Vec::new()).expect("no names");
    params.is_ca = IsCa::Ca(BasicConstraints::Unconstrained);
    CertifiedIssuer::self_signed(params, KeyPair::generate().expect("a key")).expect("an authority")
}

/// Writes a certificate of an authority for `name` below `home`; returns its folder.
pub fn write_identity(
    authority: &CertifiedIssuer<'static, KeyPair>,
    home: &Path,
    name: &str,
) -> PathBuf {
    let folder = home.join(name);
    fs::create_dir_all(&folder).expect("a folder");
    let key = KeyPair::generate().expect("a key");
    let params = CertificateParams::new(vec![name.to_owned()]).expect("a name");
    let certificate = params.signed_by(&key, authority).expect("a certificate");
    fs::write(folder.join("tls.crt"), certificate.pem()).expect("written");
    fs::write(folder.join("tls.key"), key.serialize_pem()).expect("written");
    fs::write(folder.join("ca.crt"), authority.pem()).expect("written");
    folder
}
