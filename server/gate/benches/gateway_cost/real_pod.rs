//! A real pod, `browsed --pod` with its browser: what the gateway adds to real commands, and the
//! memory and processor time of a pod and of a session.

use std::{
    net::SocketAddr,
    path::Path,
    process::{Child, Command, Stdio},
    time::Duration,
};

use browse_fleet::PodUid;
use serde::Serialize;
use serde_json::{Value, json};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
    time::{Instant, sleep},
};

use super::{
    client::{Call, Connection, Protocol},
    failure::{During as _, Failure, Outcome},
    gate_process::free_address,
    latency::{self, LatencyLabel, PairedLatency, Paths, time},
    openings::names,
    options::Options,
    process,
    stats::{Summary, milliseconds},
    world::World,
};

const NAME: &str = "real-pod";

/// The longest that a pod takes until its browser runs.
const START_LIMIT: Duration = Duration::from_secs(60);

/// What a session and its pod take.
#[derive(Clone, Debug, Serialize)]
pub struct PodFigures {
    /// Memory of the daemon, its browser and all below, before the first page. In bytes; pages that
    /// processes share count once.
    pub empty_bytes: u64,
    /// The same with a page in each session.
    pub full_bytes: u64,
    /// Sessions with a page.
    pub sessions: usize,
    /// Bytes that each session after the first one added.
    pub session_bytes: u64,
    /// Milliseconds of processor time of the pod for one command, on average.
    pub cpu_ms_per_command: f64,
    /// Times of these commands through the gateway, in milliseconds.
    pub commands: Summary,
}

struct RealPod {
    child: Child,
    uid: PodUid,
    address: SocketAddr,
}

/// Starts a pod, and measures it behind the gateway of `world`.
///
/// # Errors
/// The pod does not start, or a call fails.
pub async fn measure(
    world: &mut World,
    options: &Options,
    program: &Path,
    routes: usize,
) -> Outcome<(Vec<PairedLatency>, PodFigures)> {
    let pod = RealPod::start(world, program).await?;
    world.store.add_pod(NAME, &pod.uid, pod.address, None)?;
    world.gate.wait_for("browse_pool_ready", 1).await?;
    let sessions = names("real", options.size.sessions_per_pod);
    let mut connection = world.connect(Protocol::Json).await?;
    let figures = pod.figures(&mut connection, &sessions, options.size.rounds).await?;
    let (direct, gateway) = (world.pod(pod.address, &pod.uid).await?, world.gateway()?);
    let paths = Paths {
        connector: &world.connector,
        pod: &direct,
        gateway: &gateway,
        session: &sessions[0],
    };
    let mut found = Vec::new();
    for (command, call) in [("status", Call::status()?), ("js 1", Call::js()?)] {
        for protocol in Protocol::ALL {
            let label = LatencyLabel { pod: "real", routes, command };
            let pairs = options.size.pairs;
            found.push(latency::measure(&paths, protocol, label, &call, pairs).await?);
        }
    }
    world.store.remove_pod(NAME);
    Ok((found, figures))
}

impl RealPod {
    /// Starts one, and waits until it is ready.
    async fn start(world: &mut World, program: &Path) -> Outcome<Self> {
        let (address, health) = (world.pods.take_address(), free_address()?);
        let uid = PodUid::new(format!("uid-{NAME}")).during("the uid of a pod")?;
        let mut command = Command::new(program);
        command.arg("--pod").env_clear().stdin(Stdio::null());
        command.stdout(Stdio::null()).stderr(Stdio::null());
        for name in ["PATH", "BROWSE_CHROMIUM"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command
            .env("TMPDIR", &world.home)
            .env("BROWSE_HOME", world.home.join("pod-home"))
            .env("BROWSE_PROJECT", world.home.join("pod-project"))
            .env("BROWSE_POD_UID", uid.as_str())
            .env("BROWSE_POD_LISTEN", address.to_string())
            .env("BROWSE_POD_HEALTH", health.to_string())
            .env("BROWSE_POD_TLS", &world.identities.pod)
            .env("BROWSE_POD_DRAIN", "1s");
        let child = command.spawn().map_err(|error| {
            let message = format!("`{}` cannot be started: {error}", program.display());
            Failure::new(message, "Build it with `make build`, and pass target/release/browsed")
        })?;
        let mut pod = Self { child, uid, address };
        pod.wait_until_ready(health).await?;
        Ok(pod)
    }

    async fn wait_until_ready(&mut self, health: SocketAddr) -> Outcome<()> {
        let begun = Instant::now();
        while !probe(health).await.starts_with("HTTP/1.1 200") {
            let ended = self.child.try_wait().during("the state of the pod")?;
            if ended.is_some() || begun.elapsed() > START_LIMIT {
                let hint = "Run `make setup`, which installs Chromium, and `browsed --pod` by hand to \
                    see its log";
                return Err(Failure::new(format!("the real pod is not ready: {ended:?}"), hint));
            }
            sleep(Duration::from_millis(50)).await;
        }
        Ok(())
    }

    /// Opens the sessions with a page in each, and uses them `rounds` times.
    async fn figures(
        &self,
        connection: &mut Connection,
        sessions: &[String],
        rounds: usize,
    ) -> Outcome<PodFigures> {
        let page = Call::new("load-html", json!({ "html": page() }).to_string(), b"")?;
        let first = &sessions[0];
        connection.call(&Call::open(first)?, first).await?;
        let empty_bytes = memory(connection, first).await?;
        connection.call(&page, first).await?;
        let first_bytes = memory(connection, first).await?;
        for session in &sessions[1..] {
            connection.call(&page, session).await?;
        }
        let full_bytes = memory(connection, first).await?;
        let others = (sessions.len() as u64).saturating_sub(1).max(1);
        let commands = [
            page,
            Call::new("snapshot", r#"{"interactive":true}"#, b"")?,
            Call::new("click", r#"{"target":"text=More"}"#, b"")?,
            Call::new("text", "{}", b"")?,
        ];
        let mut times = Vec::new();
        let cpu_before = process::cpu_time_of_tree(self.child.id())?;
        for _ in 0..rounds {
            for session in sessions {
                for command in &commands {
                    times.push(time(connection, command, session).await?);
                }
            }
        }
        let cpu = process::cpu_time_of_tree(self.child.id())?.saturating_sub(cpu_before);
        Ok(PodFigures {
            empty_bytes,
            full_bytes,
            sessions: sessions.len(),
            session_bytes: full_bytes.saturating_sub(first_bytes) / others,
            cpu_ms_per_command: milliseconds(cpu) / times.len().max(1) as f64,
            commands: Summary::of(&times),
        })
    }
}

impl Drop for RealPod {
    fn drop(&mut self) {
        // Its guardian ends the browser.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The memory of the pod of a session, by its own count, in bytes.
async fn memory(connection: &mut Connection, session: &str) -> Outcome<u64> {
    let answer = connection.call(&Call::new("memory", "{}", b"")?, session).await?;
    let answer: Value = serde_json::from_slice(&answer).during("the answer of `memory`")?;
    // 64-bit numbers are strings in the JSON of protobuf.
    let total = [&answer["totalBytes"], &answer["total_bytes"]].into_iter().find_map(|value| {
        value.as_u64().or_else(|| value.as_str().and_then(|text| text.parse().ok()))
    });
    total.ok_or_else(|| Failure::general(format!("`memory` has no total: {answer}")))
}

/// The answer to a probe; empty while nobody listens.
async fn probe(address: SocketAddr) -> String {
    let mut text = String::new();
    if let Ok(mut stream) = TcpStream::connect(address).await {
        let request = "GET /readyz HTTP/1.1\r\nhost: pod\r\nconnection: close\r\n\r\n";
        if stream.write_all(request.as_bytes()).await.is_ok() {
            let _ = stream.read_to_string(&mut text).await;
        }
    }
    text
}

/// A page with 30 stories, as lists of links are.
fn page() -> String {
    let story = |number: usize| {
        format!(
            "<li><a href=\"#{number}\">Story number {number}</a> \
             <span>{} points by user{number}</span> <button>upvote {number}</button></li>",
            number * 7
        )
    };
    let stories: String = (1..=30).map(story).collect();
    format!(
        "<!doctype html><title>Stories</title><ol>{stories}</ol>\
         <button onclick=\"document.title = 'More stories'\">More</button>"
    )
}
