//! The service of ngrok, played on loopback: it speaks muxado over TLS, as the
//! real one does, takes a token, binds an endpoint, and carries what comes to
//! its public side into the tunnel.

use std::{
    net::SocketAddr,
    sync::{Arc, Mutex},
};

use muxado::{
    SessionBuilder,
    heartbeat::{Heartbeat, HeartbeatConfig},
    typed::{StreamType, Typed, TypedAccept as _, TypedOpenClose, TypedSession as _, TypedStream},
};
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _, copy_bidirectional},
    net::TcpListener,
    runtime::Runtime,
    task::AbortHandle,
};
use tokio_rustls::{
    TlsAcceptor,
    rustls::{
        ServerConfig,
        crypto::ring,
        pki_types::{CertificateDer, PrivateKeyDer},
    },
};

/// Types of streams: <https://github.com/ngrok/ngrok-rust>.
const AUTH: u32 = 0;
const BIND: u32 = 1;
const PROXY: u32 = 3;
const STOP_TUNNEL: u32 = 9;

/// The name of the endpoint in the protocol.
const ENDPOINT: &str = "endpoint-1";

/// The service. It ends with this.
pub struct Ngrok {
    runtime: Runtime,
    shared: Arc<Shared>,
    service: SocketAddr,
    authority: String,
    accepting: Mutex<AbortHandle>,
}

struct Shared {
    /// Token that it takes.
    token: String,
    /// `host:port` of its public side.
    public: String,
    acceptor: TlsAcceptor,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// What it was asked, as it came.
    requests: Vec<String>,
    /// What it refuses with; by itself it takes the token.
    refusal: Option<(u32, String)>,
    sessions: Vec<AbortHandle>,
    /// The agent that has the endpoint.
    agent: Option<Arc<tokio::sync::Mutex<Agent>>>,
}

type Agent = Box<dyn TypedOpenClose + Send>;

impl Ngrok {
    /// One that takes `token`.
    pub fn start(token: &str) -> Self {
        let names = ["localhost".to_owned(), "127.0.0.1".to_owned()];
        let made = rcgen::generate_simple_self_signed(names).expect("a certificate");
        let key = PrivateKeyDer::try_from(made.signing_key.serialize_der()).expect("a key");
        let chain = vec![CertificateDer::from(made.cert.der().to_vec())];
        let config = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .and_then(|config| config.with_no_client_auth().with_single_cert(chain, key))
            .expect("TLS");
        let mut runtime = tokio::runtime::Builder::new_multi_thread();
        let runtime = runtime.worker_threads(1).enable_all().build().expect("a runtime");
        let bind = || runtime.block_on(TcpListener::bind("127.0.0.1:0")).expect("a free port");
        let (inside, outside) = (bind(), bind());
        let service = inside.local_addr().expect("an address");
        let port = outside.local_addr().expect("an address").port();
        let shared = Arc::new(Shared {
            token: token.to_owned(),
            public: format!("localhost:{port}"),
            acceptor: TlsAcceptor::from(Arc::new(config)),
            state: Mutex::default(),
        });
        let task = runtime.spawn(agents(inside, Arc::clone(&shared)));
        runtime.spawn(serve_public(outside, Arc::clone(&shared)));
        let accepting = Mutex::new(task.abort_handle());
        Self { runtime, shared, service, authority: made.cert.pem(), accepting }
    }

    /// `host:port` for agents.
    pub fn service(&self) -> String {
        self.service.to_string()
    }

    /// `host:port` for everybody else.
    pub fn public(&self) -> &str {
        &self.shared.public
    }

    /// The certificate of both, as PEM.
    pub fn authority(&self) -> &str {
        &self.authority
    }

    /// All that it was asked.
    pub fn requests(&self) -> Vec<Value> {
        let asked = self.shared.state.lock().expect("a lock").requests.clone();
        asked.iter().map(|text| serde_json::from_str(text).expect("JSON")).collect()
    }

    /// From now on it refuses every sign-in.
    pub fn refuse_agents(&self, why: &str) {
        self.shared.state.lock().expect("a lock").refusal = Some((AUTH, why.to_owned()));
    }

    /// From now on it refuses endpoints.
    #[allow(dead_code, reason = "not each suite has a use for it")]
    pub fn refuse_endpoints(&self, why: &str) {
        self.shared.state.lock().expect("a lock").refusal = Some((BIND, why.to_owned()));
    }

    /// Breaks the connections of all agents off.
    pub fn break_off(&self) {
        let mut state = self.shared.state.lock().expect("a lock");
        state.agent = None;
        state.sessions.drain(..).for_each(|session| session.abort());
    }

    /// Goes away: nobody connects any more.
    pub fn go_away(&self) {
        self.accepting.lock().expect("a lock").abort();
        self.break_off();
    }

    /// Comes back where it was.
    pub fn come_back(&self) {
        let listener = loop {
            // The port is free as soon as the old task is gone.
            match self.runtime.block_on(TcpListener::bind(self.service)) {
                Ok(listener) => break listener,
                Err(_) => std::thread::yield_now(),
            }
        };
        let task = self.runtime.spawn(agents(listener, Arc::clone(&self.shared)));
        *self.accepting.lock().expect("a lock") = task.abort_handle();
    }

    /// Ends the tunnel, as from the dashboard.
    #[allow(dead_code, reason = "not each suite has a use for it")]
    pub fn end_tunnel(&self, message: &str) {
        let request = json!({"Id": ENDPOINT, "Message": message, "ErrorCode": "ERR_NGROK_9"});
        self.runtime.block_on(async {
            let mut stream = self.shared.open(STOP_TUNNEL).await.expect("there is an agent");
            stream.write_all(request.to_string().as_bytes()).await.expect("it is sent");
            // It is read before the stream goes.
            let _ = stream.read(&mut [0; 1]).await;
        });
    }

    /// Announces a connection with a header of this length.
    #[allow(dead_code, reason = "not each suite has a use for it")]
    pub fn announce(&self, length: i64) {
        self.runtime.block_on(async {
            let mut stream = self.shared.open(PROXY).await.expect("there is an agent");
            stream.write_i64_le(length).await.expect("it is sent");
            // It is read before the stream goes.
            let _ = stream.read(&mut [0; 1]).await;
        });
    }

    /// Sends `request` through the tunnel, and answers all that comes back;
    /// nothing where there is no agent.
    #[allow(dead_code, reason = "not each suite has a use for it")]
    pub fn exchange(&self, request: &str) -> Option<String> {
        self.runtime.block_on(async {
            let mut stream = self.shared.call("203.0.113.9:1").await?;
            stream.write_all(request.as_bytes()).await.ok()?;
            let mut answer = Vec::new();
            let _ = stream.read_to_end(&mut answer).await;
            Some(String::from_utf8_lossy(&answer).into_owned())
        })
    }
}

impl Shared {
    async fn open(&self, kind: u32) -> Option<TypedStream> {
        let agent = self.state.lock().expect("a lock").agent.clone()?;
        agent.lock().await.open_typed(StreamType::clamp(kind)).await.ok()
    }

    /// A connection of somebody through the tunnel.
    async fn call(&self, from: &str) -> Option<TypedStream> {
        let mut stream = self.open(PROXY).await?;
        let header = json!({
            "Id": ENDPOINT, "ClientAddr": from, "Proto": "https", "EdgeType": "3",
            "PassthroughTLS": false,
        });
        let header = header.to_string();
        stream.write_i64_le(header.len() as i64).await.ok()?;
        stream.write_all(header.as_bytes()).await.ok()?;
        Some(stream)
    }

    fn answer(&self, kind: u32, text: &str) -> Value {
        let mut state = self.state.lock().expect("a lock");
        state.requests.push(text.to_owned());
        let request: Value = serde_json::from_str(text).expect("it was parsed before");
        if let Some((of, why)) = &state.refusal
            && *of == kind
        {
            return json!({"Error": why});
        }
        match kind {
            AUTH if request["Extra"]["AuthToken"] == self.token.as_str() => {
                json!({"Version": "3", "ClientId": "client-1", "Extra": {"Cookie": "c"}})
            }
            AUTH => {
                // The real one repeats the token, too.
                let token = request["Extra"]["AuthToken"].as_str().unwrap_or_default();
                let why =
                    "The authtoken you specified does not look like a proper ngrok authtoken.";
                json!({"Error": format!("{why}\nYour authtoken: {token}\r\n\r\nERR_NGROK_105\r\n")})
            }
            BIND => json!({
                "Id": ENDPOINT, "URL": format!("https://{}", self.public), "Proto": "https",
                "Opts": request["Opts"], "Extra": {"Token": "t"}, "Error": "",
            }),
            _ => json!({}),
        }
    }
}

/// Takes agents in.
async fn agents(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, _)) = listener.accept().await {
        let own = Arc::clone(&shared);
        let task = tokio::spawn(async move {
            let Ok(stream) = own.acceptor.accept(stream).await else { return };
            let session = Typed::new(SessionBuilder::new(stream).server().start());
            let config = HeartbeatConfig::default();
            let Ok((session, _beats)) = Heartbeat::start(session, config).await else { return };
            let (open, mut accept) = session.split_typed();
            let agent: Agent = Box::new(open);
            let agent = Arc::new(tokio::sync::Mutex::new(agent));
            while let Ok(mut stream) = accept.accept_typed().await {
                let kind = *stream.typ();
                let Some(text) = read(&mut stream).await else { continue };
                let answer = own.answer(kind, &text);
                if kind == BIND && answer["Error"] == "" {
                    own.state.lock().expect("a lock").agent = Some(Arc::clone(&agent));
                }
                let _ = stream.write_all(answer.to_string().as_bytes()).await;
                let _ = stream.shutdown().await;
            }
        });
        shared.state.lock().expect("a lock").sessions.push(task.abort_handle());
    }
}

/// A request: it ends where its JSON does.
async fn read(stream: &mut TypedStream) -> Option<String> {
    let mut bytes = Vec::new();
    let mut piece = [0; 4096];
    while serde_json::from_slice::<Value>(&bytes).is_err() {
        match stream.read(&mut piece).await {
            Ok(length @ 1..) => bytes.extend_from_slice(&piece[..length]),
            _ => return None,
        }
    }
    String::from_utf8(bytes).ok()
}

/// Takes everybody else in, and ends their TLS.
async fn serve_public(listener: TcpListener, shared: Arc<Shared>) {
    while let Ok((stream, peer)) = listener.accept().await {
        let shared = Arc::clone(&shared);
        tokio::spawn(async move {
            let Ok(mut outside) = shared.acceptor.accept(stream).await else { return };
            if let Some(mut inside) = shared.call(&peer.to_string()).await {
                let _ = copy_bidirectional(&mut outside, &mut *inside).await;
            }
        });
    }
}
