//! A pod that is played, as a test holds it.

use std::{
    collections::BTreeSet,
    net::SocketAddr,
    path::Path,
    sync::{
        Arc, Mutex,
        atomic::{AtomicBool, AtomicUsize, Ordering},
    },
    time::Duration,
};

use browse_fleet::{FleetIdentity, GATE_NAME, PodUid, Tenant, TokenRequest};
use browse_gate::cluster::PodRecord;
use tokio::{net::TcpListener, sync::watch};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::pod_answers::serve_pod;

/// A pod that is played.
pub struct FakePod {
    pub name: String,
    pub address: SocketAddr,
    state: Arc<PodState>,
    done: CancellationToken,
}

/// What a pod that is played knows.
pub(super) struct PodState {
    pub uid: PodUid,
    pub tenant: Mutex<Option<Tenant>>,
    pub sessions: Mutex<BTreeSet<String>>,
    /// What was called, as `session command`.
    pub calls: Mutex<Vec<String>>,
    /// What it has given out tokens for.
    pub grants: Mutex<Vec<TokenRequest>>,
    /// Calls whose connection breaks before they are answered.
    pub breaks: AtomicUsize,
    /// Calls that it answers never.
    pub holds: AtomicUsize,
    /// Seconds since the last call, as it reports them.
    pub idle_s: Mutex<u64>,
    /// Whether its sessions have moved: it does nothing for them any more.
    pub has_moved: AtomicBool,
    /// Bytes that it has sent to a client that asks for more than it reads.
    pub sent: Arc<AtomicUsize>,
    /// What it reports of a call for its trace.
    pub spans: Mutex<Option<String>>,
    /// Whether it is of a version that does not know of skills.
    pub is_old: AtomicBool,
    /// The message of its answers of gRPC.
    pub message: Mutex<Vec<u8>>,
    /// Whether its answers of gRPC stop before their last byte.
    pub stalls: watch::Sender<bool>,
    /// How many answers have stopped, and are still waited for.
    pub stalled: Arc<AtomicUsize>,
}

impl FakePod {
    /// Starts the pod of this number at `address`, or at one that is free.
    pub(super) async fn numbered(
        number: usize,
        identity: &Path,
        address: Option<SocketAddr>,
    ) -> Self {
        let name = format!("pod-{number}");
        let address = address.unwrap_or(([127, 0, 0, 1], 0).into());
        Self::start(&name, &format!("uid-{name}"), identity, address).await
    }

    /// Starts one of this name and uid at `address`, with the certificate in `identity`.
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
            grants: Mutex::default(),
            breaks: AtomicUsize::new(0),
            holds: AtomicUsize::new(0),
            idle_s: Mutex::default(),
            has_moved: AtomicBool::new(false),
            sent: Arc::default(),
            spans: Mutex::default(),
            is_old: AtomicBool::new(false),
            message: Mutex::default(),
            stalls: watch::Sender::new(false),
            stalled: Arc::default(),
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

    /// What it has given out tokens for.
    pub fn grants(&self) -> Vec<TokenRequest> {
        self.state.grants.lock().expect("no panic").clone()
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

    /// Its next calls open their session, and are answered never.
    pub fn hold_next(&self, count: usize) {
        self.state.holds.store(count, Ordering::Relaxed);
    }

    /// It has saved its sessions, and is about to end.
    pub fn move_sessions(&self) {
        self.state.has_moved.store(true, Ordering::Relaxed);
    }

    /// It reports this of its calls, for their traces.
    pub fn report_spans(&self, text: &str) {
        *self.state.spans.lock().expect("no panic") = Some(text.to_owned());
    }

    /// It is of a version that does not know of skills.
    pub fn make_old(&self) {
        self.state.is_old.store(true, Ordering::Relaxed);
    }

    /// Its answers of gRPC have this message from now on.
    pub fn answer_with(&self, message: Vec<u8>) {
        *self.state.message.lock().expect("no panic") = message;
    }

    /// Whether its answers of gRPC stop before their last byte. Those that have stopped go on when
    /// they do so no more.
    pub fn set_stalls(&self, stalls: bool) {
        self.state.stalls.send_replace(stalls);
    }

    /// How many answers have stopped, and are still waited for.
    pub fn stalled(&self) -> usize {
        self.state.stalled.load(Ordering::Relaxed)
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
