//! Pods without a browser, which answer each call at once, at addresses of 127.77.0.0/16: all have
//! the same port, as in a cluster.

use std::{
    collections::BTreeSet,
    convert::Infallible,
    net::{Ipv4Addr, SocketAddr},
    path::Path,
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use browse_base::{Error, Lock};
use browse_fleet::{
    FleetIdentity, GATE_NAME, MISMATCH_HEADER, POD_HEADER, PodStatus, PodUid, STATUS_PATH,
    SessionStatus, TENANT_HEADER, TOKEN_PATH, Tenant, TokenRequest, TokenResponse,
};
use browse_policy::layer::{json_answer, json_error};
use browse_proto::{Reason, metadata};
use http::{HeaderMap, HeaderValue, Request, Response, header};
use http_body_util::{BodyExt as _, Full, StreamBody};
use hyper::{
    body::{Bytes, Frame, Incoming},
    service::service_fn,
};
use hyper_util::{
    rt::{TokioExecutor, TokioIo},
    server::conn::auto::Builder,
};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;
use tonic::body::Body;

use super::failure::{During as _, Outcome};

/// What a pod answers to `js 1`, as JSON.
const JSON_ANSWER: &str = r#"{"value":"1"}"#;

/// The same as a message of gRPC: not compressed, 3 bytes, and the field 1 with the text `1`.
const GRPC_ANSWER: &[u8] = b"\0\0\0\0\x03\x0a\x011";

/// Sessions that a pod reports to hold.
const CAPACITY: usize = 10;

/// Starts pods.
pub struct PlayedPods {
    tls: TlsAcceptor,
    /// The port of all, held for the first one.
    port: u16,
    first: Option<TcpListener>,
    started: u16,
    done: CancellationToken,
}

/// A pod that is played.
#[derive(Clone)]
pub struct PlayedPod {
    /// Its name in the cluster.
    pub name: String,
    /// Its uid.
    pub uid: PodUid,
    /// Where the gateway calls it.
    pub address: SocketAddr,
    state: Arc<PodState>,
}

/// Whose a pod is, and what it holds.
#[derive(Clone, Debug)]
pub struct Holding {
    /// The tenant.
    pub tenant: Tenant,
    /// Its sessions.
    pub sessions: Vec<String>,
}

struct PodState {
    uid: PodUid,
    tenant: Lock<Option<Tenant>>,
    sessions: Lock<BTreeSet<String>>,
    looks: AtomicU64,
}

impl PlayedPods {
    /// Pods with the certificate in `identity`, until `done`.
    ///
    /// # Errors
    /// No address can be listened on.
    pub async fn new(identity: &Path, done: CancellationToken) -> Outcome<Self> {
        let identity = FleetIdentity::read(identity).during("the certificate of the pods")?;
        let tls = identity.server_config(GATE_NAME).during("the certificate of the pods")?;
        let first = TcpListener::bind((address_of(1), 0)).await.during("a port for the pods")?;
        let port = first.local_addr().during("the address of a pod")?.port();
        let tls = TlsAcceptor::from(Arc::new(tls));
        Ok(Self { tls, port, first: Some(first), started: 0, done })
    }

    /// The port of all pods.
    pub fn port(&self) -> u16 {
        self.port
    }

    /// The address of the next pod, which is left to a real one.
    pub fn take_address(&mut self) -> SocketAddr {
        self.started += 1;
        self.first = None;
        (address_of(self.started), self.port).into()
    }

    /// Starts a pod: a warm one, or one that holds sessions already.
    ///
    /// # Errors
    /// Its address cannot be listened on.
    pub async fn start(&mut self, name: String, holding: Option<Holding>) -> Outcome<PlayedPod> {
        self.started += 1;
        let listener = match self.first.take() {
            Some(listener) => listener,
            None => {
                let address = (address_of(self.started), self.port);
                TcpListener::bind(address).await.during(format!("the address of `{name}`"))?
            }
        };
        let address = listener.local_addr().during("the address of a pod")?;
        let uid = PodUid::new(format!("uid-{name}")).during("the uid of a pod")?;
        let (tenant, sessions) = match holding {
            Some(holding) => (Some(holding.tenant), holding.sessions.into_iter().collect()),
            None => (None, BTreeSet::new()),
        };
        let state = Arc::new(PodState {
            uid: uid.clone(),
            tenant: Lock::new(tenant),
            sessions: Lock::new(sessions),
            looks: AtomicU64::new(0),
        });
        tokio::spawn(serve(listener, self.tls.clone(), Arc::clone(&state), self.done.clone()));
        Ok(PlayedPod { name, uid, address, state })
    }
}

impl PlayedPod {
    /// How often the gateway has asked how it is.
    pub fn looks(&self) -> u64 {
        self.state.looks.load(Ordering::Relaxed)
    }
}

fn address_of(number: u16) -> Ipv4Addr {
    let [high, low] = number.to_be_bytes();
    Ipv4Addr::new(127, 77, high, low)
}

async fn serve(
    listener: TcpListener,
    tls: TlsAcceptor,
    state: Arc<PodState>,
    done: CancellationToken,
) {
    while let Some(Ok((stream, _))) = done.run_until_cancelled(listener.accept()).await {
        let (tls, state, done) = (tls.clone(), Arc::clone(&state), done.clone());
        tokio::spawn(async move {
            // Small answers do not wait for more to send.
            let _ = stream.set_nodelay(true);
            let Ok(stream) = tls.accept(stream).await else { return };
            let service = service_fn(move |request: Request<Incoming>| {
                let state = Arc::clone(&state);
                async move {
                    let answered = answer(&state, request).await;
                    Ok::<_, Infallible>(answered.unwrap_or_else(json_error))
                }
            });
            let builder = Builder::new(TokioExecutor::new());
            let serving = builder.serve_connection(TokioIo::new(stream), service);
            tokio::select! {
                _ = serving => {}
                () = done.cancelled() => {}
            }
        });
    }
}

async fn answer(state: &PodState, request: Request<Incoming>) -> Result<Response<Body>, Error> {
    let (parts, body) = request.into_parts();
    let body = body.collect().await;
    let body = body.map_err(|error| Error::new(Reason::RequestInvalid, error.to_string()))?;
    match parts.uri.path() {
        STATUS_PATH => {
            state.looks.fetch_add(1, Ordering::Relaxed);
            json_answer(&state.status())
        }
        TOKEN_PATH => json_answer(&state.token(&body.to_bytes())?),
        _ => state.call(&parts.headers),
    }
}

impl PodState {
    fn status(&self) -> PodStatus {
        let status = |name: &String| SessionStatus { name: name.clone(), idle_s: 0 };
        PodStatus {
            pod: self.uid.clone(),
            tenant: self.tenant.lock().clone(),
            sessions: self.sessions.lock().iter().map(status).collect(),
            capacity: CAPACITY,
            calls: 0,
            is_ready: true,
            is_draining: false,
            is_spent: false,
        }
    }

    fn token(&self, body: &[u8]) -> Result<TokenResponse, Error> {
        let request: TokenRequest = serde_json::from_slice(body)
            .map_err(|error| Error::new(Reason::RequestInvalid, error.to_string()))?;
        let mut tenant = self.tenant.lock();
        let own = tenant.get_or_insert_with(|| request.tenant.clone());
        if request.pod != self.uid || *own != request.tenant {
            return Err(Error::new(Reason::PodMismatch, "it is another pod, or another tenant's"));
        }
        let token = self.token_of(&request.tenant);
        let is_of_skill = request.skill_hosts.is_some();
        Ok(TokenResponse { token, lifetime_s: 3600, is_of_skill })
    }

    fn token_of(&self, tenant: &Tenant) -> String {
        format!("{}.{tenant}", self.uid)
    }

    /// Answers a command. One that was meant for another pod or tenant is refused, so that a wrong
    /// route is a failure of the benchmark.
    fn call(&self, headers: &HeaderMap) -> Result<Response<Body>, Error> {
        let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok());
        let token = text(header::AUTHORIZATION.as_str());
        let token = token.and_then(|token| token.strip_prefix("Bearer "));
        let tenant = self.tenant.lock().clone();
        let is_ours = tenant.as_ref().is_some_and(|tenant| {
            text(POD_HEADER) == Some(self.uid.as_str())
                && text(TENANT_HEADER) == Some(tenant.as_str())
                && token == Some(self.token_of(tenant).as_str())
        });
        if !is_ours {
            let error = Error::new(Reason::PodMismatch, "the call is for another pod");
            let mut refusal = json_error(error);
            refusal.headers_mut().insert(MISMATCH_HEADER, HeaderValue::from_static("1"));
            return Ok(refusal);
        }
        if let Some(session) = text(metadata::SESSION) {
            let mut sessions = self.sessions.lock();
            if !sessions.contains(session) {
                sessions.insert(session.to_owned());
            }
        }
        let is_grpc = text(header::CONTENT_TYPE.as_str())
            .is_some_and(|kind| kind.starts_with("application/grpc"));
        Ok(if is_grpc { grpc_answer() } else { short_json_answer() })
    }
}

fn grpc_answer() -> Response<Body> {
    let mut trailers = HeaderMap::new();
    trailers.insert("grpc-status", HeaderValue::from_static("0"));
    let frames = [Frame::data(Bytes::from_static(GRPC_ANSWER)), Frame::trailers(trailers)];
    let frames = futures::stream::iter(frames.map(Ok::<_, Infallible>));
    let mut response = Response::new(Body::new(StreamBody::new(frames)));
    let kind = HeaderValue::from_static("application/grpc");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}

fn short_json_answer() -> Response<Body> {
    let mut response = Response::new(Body::new(Full::from(JSON_ANSWER)));
    let kind = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, kind);
    response
}
