//! The program `browse-gate` as a process of its own, with the API server and the pods that are
//! played.

use std::{
    fs::{self, File},
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use browse_base::hex;
use sha2::{Digest as _, Sha256};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{Instant, sleep},
};

use super::{
    api_store::NAMESPACE,
    certificates::Identities,
    failure::{During as _, Failure, Outcome},
    process::{self, Memory},
};

/// The tenant of all calls.
pub const TENANT: &str = "bench";

/// Its API key.
pub const API_KEY: &str = "key-of-the-benchmark";

/// The longest that the gateway takes to come to a state.
const STATE_LIMIT: Duration = Duration::from_secs(60);

/// Time between two looks at its state.
const LOOK_INTERVAL: Duration = Duration::from_millis(10);

/// What a gateway is started with.
pub struct GateSettings<'a> {
    /// The program.
    pub program: &'a Path,
    /// A folder for its files.
    pub home: &'a Path,
    /// The certificates.
    pub identities: &'a Identities,
    /// The file that leads it to the API server.
    pub kubeconfig: &'a Path,
    /// The port of all pods.
    pub pod_port: u16,
    /// Sessions in a pod.
    pub sessions_per_pod: usize,
    /// The core on which it is kept.
    pub core: Option<usize>,
}

/// A gateway that runs. It ends with this value.
pub struct GateProcess {
    child: Child,
    log: PathBuf,
    health: SocketAddr,
    /// Where clients call it, by TLS.
    pub clients: SocketAddr,
}

impl GateProcess {
    /// Starts it, and waits until it hands out places.
    ///
    /// # Errors
    /// It does not start.
    pub async fn start(settings: GateSettings<'_>) -> Outcome<Self> {
        let (clients, control, health) = (free_address()?, free_address()?, free_address()?);
        let config = settings.home.join("gate.toml");
        let text = settings.config([clients, control, health])?;
        fs::write(&config, text).during(config.display())?;
        let log = settings.home.join("gate.log");
        let output = File::create(&log).during(log.display())?;
        let mut command = match settings.core {
            // It becomes the program: the process is the same.
            Some(core) => {
                let mut command = Command::new("taskset");
                command.args(["-c", &core.to_string()]).arg(settings.program);
                command
            }
            None => Command::new(settings.program),
        };
        command
            .arg("--config")
            .arg(&config)
            .env_clear()
            .envs(std::env::var_os("PATH").map(|path| ("PATH", path)))
            .env("KUBECONFIG", settings.kubeconfig)
            .env("POD_NAME", "gate-1")
            .env("POD_IP", "127.0.0.1")
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(output);
        let child = command.spawn().map_err(|error| {
            let program = command.get_program().to_string_lossy().into_owned();
            let hint = "Build it with `cargo build --release -p browse-gate`, and install util-linux, \
                which has `taskset`, or pass `--no-pin`";
            Failure::new(format!("`{program}` cannot be started: {error}"), hint)
        })?;
        let mut gate = Self { child, log, health, clients };
        gate.wait_for("browse_gate_leader", 1).await?;
        Ok(gate)
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Its memory.
    ///
    /// # Errors
    /// It has ended.
    pub fn memory(&self) -> Outcome<Memory> {
        process::memory(self.pid())
    }

    /// The processor time that it has used.
    ///
    /// # Errors
    /// It has ended.
    pub fn cpu_time(&self) -> Outcome<Duration> {
        process::cpu_time(self.pid())
    }

    /// Waits until a metric without labels has this value.
    ///
    /// # Errors
    /// It has ended, or takes too long.
    pub async fn wait_for(&mut self, metric: &str, value: usize) -> Outcome<()> {
        let line = format!("{metric} {value}");
        let begun = Instant::now();
        loop {
            let metrics = self.metrics().await;
            if metrics.lines().any(|found| found == line) {
                return Ok(());
            }
            let status = self.child.try_wait().during("the state of the gateway")?;
            if let Some(status) = status {
                return Err(self.failure(&format!("the gateway has ended with {status}")));
            }
            if begun.elapsed() > STATE_LIMIT {
                let known = metrics.lines().find(|found| found.starts_with(metric)).unwrap_or("-");
                return Err(self.failure(&format!("`{line}` did not come about: {known}")));
            }
            sleep(LOOK_INTERVAL).await;
        }
    }

    /// Its metrics; empty while it does not answer.
    async fn metrics(&self) -> String {
        let mut text = String::new();
        if let Ok(mut stream) = TcpStream::connect(self.health).await {
            let request = "GET /metrics HTTP/1.1\r\nhost: gate\r\nconnection: close\r\n\r\n";
            if stream.write_all(request.as_bytes()).await.is_ok() {
                // What was read before a failure does not have the line that is looked for.
                let _ = stream.read_to_string(&mut text).await;
            }
        }
        text
    }

    fn failure(&self, message: &str) -> Failure {
        let log = fs::read_to_string(&self.log).unwrap_or_default();
        let last = log.lines().last().unwrap_or("its log is empty").to_owned();
        Failure::general(format!("{message}\nlog: {last}"))
    }
}

impl Drop for GateProcess {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl GateSettings<'_> {
    /// The text of the settings, with the addresses for clients, replicas and probes.
    fn config(&self, [clients, control, health]: [SocketAddr; 3]) -> Outcome<String> {
        let keys = self.home.join("keys.toml");
        let hash = hex(&Sha256::digest(API_KEY));
        let text = format!(
            "[[key]]\nsha256 = \"{hash}\"\ntenant = \"{TENANT}\"\nsubject = \"bench\"\n\
             scopes = [\"read\", \"write\", \"meta\", \"admin\", \"control\"]\n"
        );
        fs::write(&keys, text).during(keys.display())?;
        let (tls, public) = (self.identities.gate.display(), self.identities.public.display());
        let Self { pod_port, sessions_per_pod, .. } = self;
        Ok(format!(
            "listen = \"{clients}\"\ncontrol = \"{control}\"\nhealth = \"{health}\"\n\
             tls = \"{tls}\"\npublic_tls = \"{public}\"\n\
             pod_port = {pod_port}\nsessions_per_pod = {sessions_per_pod}\n\
             empty_pod_time = \"1h\"\nidle_session_time = \"1h\"\n\
             [cluster]\nnamespace = \"{NAMESPACE}\"\nfleet = \"browse\"\nlease = \"browse-gate\"\n\
             [auth]\napi_keys = \"{}\"\n\
             [auth.default_quota]\n\
             sessions = 1000000\nsessions_per_minute = 1000000\nqueue = 1000\n",
            keys.display()
        ))
    }
}

/// A loopback address that nobody listens on.
pub fn free_address() -> Outcome<SocketAddr> {
    let listener = TcpListener::bind("127.0.0.1:0").during("a free port")?;
    listener.local_addr().during("a free port")
}
