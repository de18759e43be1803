//! `browsed --pod` with its browser, behind the gateway.

use std::{
    net::{SocketAddr, TcpListener},
    path::{Path, PathBuf},
    process::{Child, Command, Stdio},
    time::Duration,
};

use browse_fleet::PodUid;
use browse_gate::cluster::PodRecord;
use browse_proto::v1;
use bytes::Bytes;
use http::{Request, StatusCode};
use http_body_util::{BodyExt as _, Full};
use hyper_util::{
    client::legacy::{Client, connect::HttpConnector},
    rt::TokioExecutor,
};
use prost::Message as _;
use serde_json::json;
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::TcpStream,
};

use crate::{
    collector::Collector,
    s3::S3,
    support::{Answer, World, eventually, send},
};

/// The longest that a pod takes until its browser runs.
const START_LIMIT: Duration = Duration::from_secs(60);

pub const PAGE: &str =
    "<title>Shop</title><button onclick=\"document.title = 'Sold'\">Buy</button>";

/// A daemon as a pod.
pub struct RealPod {
    child: Child,
    pub record: PodRecord,
    /// Where probes and metrics are.
    pub health: SocketAddr,
    _home: tempfile::TempDir,
}

impl RealPod {
    /// Starts one with these variables, and waits until it is ready. Its pages may visit every
    /// public host, or those of `BROWSE_POD_HOSTS`.
    pub async fn start(name: &str, identity: &Path, more: &[(&str, String)]) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let (listen, health) = (free_address(), free_address());
        let uid = format!("uid-{name}");
        let mut command = Command::new(browsed());
        command.arg("--pod").env_clear().stdin(Stdio::null()).stderr(Stdio::null());
        for name in ["PATH", "BROWSE_CHROMIUM"] {
            command.envs(std::env::var_os(name).map(|value| (name, value)));
        }
        command
            .env("TMPDIR", home.path())
            .env("BROWSE_HOME", home.path().join("home"))
            .env("BROWSE_PROJECT", home.path().join("project"))
            .env("BROWSE_POD_UID", &uid)
            .env("BROWSE_POD_LISTEN", listen.to_string())
            .env("BROWSE_POD_HEALTH", health.to_string())
            .env("BROWSE_POD_TLS", identity)
            .env("BROWSE_POD_DRAIN", "5s")
            .envs(more.iter().map(|(name, value)| (*name, value)));
        let child = command.spawn().expect("browsed is built");
        let record = PodRecord {
            name: name.to_owned(),
            uid: PodUid::new(uid).expect("a uid"),
            address: Some(listen),
            version: String::new(),
            is_ready: true,
            is_ending: false,
            claim: None,
        };
        let mut pod = Self { child, record, health, _home: home };
        pod.wait_until_ready().await;
        pod
    }

    async fn wait_until_ready(&mut self) {
        let begun = tokio::time::Instant::now();
        while !self.probe("/readyz").await.starts_with("HTTP/1.1 200") {
            let ended = self.child.try_wait().expect("a process");
            assert!(ended.is_none() && begun.elapsed() < START_LIMIT, "it is not ready: {ended:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    /// The answer to a probe; empty while nobody listens.
    async fn probe(&self, path: &str) -> String {
        let Ok(mut stream) = TcpStream::connect(self.health).await else { return String::new() };
        let request = format!("GET {path} HTTP/1.1\r\nhost: pod\r\nconnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.expect("it listens");
        let mut text = String::new();
        stream.read_to_string(&mut text).await.expect("it answers");
        text
    }

    /// Its process id.
    pub fn pid(&self) -> u32 {
        self.child.id()
    }

    /// Has it end in order, and waits until it has.
    pub async fn end_within(&mut self, limit: Duration) {
        self.signal("-TERM");
        let begun = tokio::time::Instant::now();
        while self.child.try_wait().expect("a process").is_none() {
            assert!(begun.elapsed() < limit, "it has not ended after {limit:?}");
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        let sent = Command::new("kill").args([name, &pid]).status();
        assert!(sent.expect("kill runs").success());
    }
}

impl Drop for RealPod {
    fn drop(&mut self) {
        // Its guardian ends the browser.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The daemon that was built beside this test.
fn browsed() -> PathBuf {
    let test = std::env::current_exe().expect("a program");
    test.parent().and_then(Path::parent).expect("a folder").join("browsed")
}

fn free_address() -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    listener.local_addr().expect("an address")
}

async fn with_body(world: &World, session: &str, command: &str, body: serde_json::Value) -> Answer {
    send(world.replicas[0].address, "acme", session, command, &body, &[]).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_driven_through_the_gateway() {
    let world = World::new(10).await;
    let mut pod = RealPod::start("real-1", &world.pod_identity, &[]).await;
    world.cluster.add_pod(pod.record.clone());
    let opened = with_body(&world, "work", "load-html", json!({ "html": PAGE })).await;
    assert_eq!(opened.reason(), "ok", "{opened:?}");
    let clicked = with_body(&world, "work", "click", json!({ "target": "text=Buy" })).await;
    assert_eq!(clicked.reason(), "ok", "{clicked:?}");
    let title = with_body(&world, "work", "get", json!({ "property": "title" })).await;
    assert!(title.body.to_string().contains("Sold"), "{title:?}");
    // Another session of the tenant shares the browser and nothing else.
    let tabs = with_body(&world, "other", "load-html", json!({ "html": "<title>B</title>" })).await;
    assert_eq!(tabs.reason(), "ok", "{tabs:?}");
    let title = with_body(&world, "other", "get", json!({ "property": "title" })).await;
    assert!(title.body.to_string().contains("\"B\""), "{title:?}");
    // What is not of the public internet is out of reach, by address, name and redirect of names.
    for url in [
        "http://169.254.169.254/latest/meta-data/",
        "http://127.0.0.1:7480/metrics",
        "http://localhost/",
        "http://10.0.0.1/",
        "http://[fd00::1]/",
        "http://[::ffff:10.0.0.1]/",
        "file:///etc/passwd",
    ] {
        let refused = with_body(&world, "work", "goto", json!({ "url": url })).await;
        assert_eq!(refused.status, StatusCode::FORBIDDEN, "{url}: {refused:?}");
    }
    let list = world.call(1, "acme", "work", "session list").await;
    assert!(list.body.to_string().contains("\"other\""), "{list:?}");
    let metrics = pod.probe("/metrics").await;
    for line in [
        "browse_pod_assigned 1",
        "browse_commands_total{command=\"click\",reason=\"ok\"} 1",
        "browse_command_seconds_count{command=\"click\"} 1",
    ] {
        assert!(metrics.lines().any(|found| found == line), "{line}\n{metrics}");
    }
    assert!(!metrics.contains("acme") && !metrics.contains("work"), "no names: {metrics}");
    // It drains: a call that runs gets its answer, and the pod ends.
    let waiting = with_body(&world, "work", "wait", json!({ "target": "1500" }));
    let drain = async {
        tokio::time::sleep(Duration::from_millis(300)).await;
        pod.signal("-TERM");
        tokio::time::sleep(Duration::from_millis(100)).await;
        pod.probe("/readyz").await
    };
    let (waited, readiness) = tokio::join!(waiting, drain);
    assert_eq!(waited.reason(), "ok", "{waited:?}");
    assert!(readiness.starts_with("HTTP/1.1 503"), "{readiness}");
    let ended = tokio::task::spawn_blocking(move || pod.child.wait().map(|status| (status, pod)));
    let (status, _pod) = ended.await.expect("no panic").expect("a status");
    assert!(status.success(), "{status}");
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_in_several_pods_are_one_list() {
    let world = World::new(1).await;
    let one = RealPod::start("list-1", &world.pod_identity, &[]).await;
    let mut two = RealPod::start("list-2", &world.pod_identity, &[]).await;
    for pod in [&one, &two] {
        world.cluster.add_pod(pod.record.clone());
    }
    for session in ["work", "other"] {
        let opened = with_body(&world, session, "load-html", json!({ "html": PAGE })).await;
        assert_eq!(opened.reason(), "ok", "{opened:?}");
    }
    // Whichever session a call names.
    for (replica, session) in [(0, "work"), (1, "other"), (2, "default")] {
        let list = world.call(replica, "acme", session, "session list").await;
        assert_eq!(list.reason(), "ok", "{list:?}");
        let sessions = list.body["sessions"].as_array().expect("a list");
        let rows: Vec<_> = sessions.iter().map(|row| (&row["name"], &row["tabs"])).collect();
        // Every pod has a session `default`.
        assert_eq!(rows[1..], [(&json!("other"), &json!(1)), (&json!("work"), &json!(1))]);
        assert_eq!(rows[0].0, "default");
    }
    let text = [("accept", "text/plain")];
    let list = world.call_with(0, "acme", "work", "session list", &text).await;
    assert!(list.headers["content-type"].to_str().is_ok_and(|kind| kind.starts_with("text/plain")));
    let list = list_by_grpc(world.replicas[0].address).await;
    let names: Vec<_> = list.sessions.iter().map(|session| &*session.name).collect();
    assert_eq!(names, ["default", "other", "work"]);
    // Nothing of it is for another tenant.
    let list = world.call(0, "beta", "work", "session list").await;
    assert_eq!((list.reason(), &list.body["sessions"]), ("ok", &json!([])), "{list:?}");
    // A list without some of them is not given.
    two.child.kill().expect("it runs");
    two.child.wait().expect("it ends");
    let list = world.call(0, "acme", "work", "session list").await;
    assert_eq!(list.reason(), "POD_UNREACHABLE", "{list:?}");
}

/// The list of `acme`, as a client of gRPC reads it.
async fn list_by_grpc(address: SocketAddr) -> v1::ListSessionsResponse {
    let client: Client<HttpConnector, Full<Bytes>> =
        Client::builder(TokioExecutor::new()).http2_only(true).build_http();
    let path = browse_proto::Command::by_name("session list").expect("a command").path;
    let request = Request::post(format!("http://{address}{path}"))
        .header("content-type", "application/grpc")
        .header("te", "trailers")
        .header("authorization", "Bearer acme-key")
        .body(Full::from(Bytes::from_static(&[0; 5])))
        .expect("a request");
    let answer = client.request(request).await.expect("the gateway answers");
    assert_eq!(answer.headers()["content-type"], "application/grpc");
    let whole = answer.into_body().collect().await.expect("a body");
    assert_eq!(whole.trailers().expect("they end it")["grpc-status"], "0");
    v1::ListSessionsResponse::decode(whole.to_bytes().slice(5..)).expect("a list")
}

#[tokio::test(flavor = "multi_thread")]
async fn what_has_no_place_opens_no_session() {
    let world = World::keeping_sessions(10).await;
    let pod = RealPod::start("unplaced-1", &world.pod_identity, &[]).await;
    world.cluster.add_pod(pod.record.clone());
    let opened = with_body(&world, "work", "load-html", json!({ "html": PAGE })).await;
    assert_eq!(opened.reason(), "ok", "{opened:?}");
    let (address, person) = (world.replicas[0].address, [("browse-dashboard", "1")]);
    let note = json!({ "text": "look here" });
    let written = send(address, "acme", "other", "talk write", &note, &person).await;
    assert_eq!(written.reason(), "SESSION_NOT_FOUND", "{written:?}");
    for command in ["status", "approve"] {
        world.call(0, "acme", "other", command).await;
    }
    let list = world.call(0, "acme", "work", "session list").await;
    assert!(list.body.to_string().contains("\"work\""), "{list:?}");
    assert!(!list.body.to_string().contains("\"other\""), "{list:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_sampled_call_has_the_phases_of_its_pod_in_its_trace() {
    let collector = Collector::start().await;
    let world = World::with_traces(10, &collector.settings("")).await;
    let pod = RealPod::start("traced-1", &world.pod_identity, &[]).await;
    world.cluster.add_pod(pod.record.clone());
    let opened = with_body(&world, "work", "load-html", json!({ "html": PAGE })).await;
    assert_eq!(opened.reason(), "ok", "{opened:?}");
    assert!(!opened.headers.contains_key("browse-spans"), "{opened:?}");
    let click = json!({ "@type": "browse.v1.ClickRequest", "target": "text=Buy" });
    let steps = json!({ "steps": [{ "request": click }] });
    let batch = with_body(&world, "work", "batch", steps).await;
    assert_eq!(batch.reason(), "ok", "{batch:?}");
    let missing = with_body(&world, "work", "click", json!({ "target": "@e999" })).await;
    assert_ne!(missing.reason(), "ok", "{missing:?}");
    for (method, phases, reason) in [
        ("LoadHtml", &["tab", "egress", "handler", "guard"][..], "ok"),
        ("Batch", &["handler", "step click"][..], "ok"),
        ("Click", &["tab"][..], missing.reason()),
    ] {
        let name = format!("browse.v1.BrowserService/{method}");
        let spans = collector.trace(|root| root.name() == name).await;
        let root = spans.iter().find(|span| span.is_root()).expect("the call");
        assert_eq!(root.attribute("browse.reason"), reason, "{root:?}");
        let names: Vec<_> = spans
            .iter()
            .filter(|span| span.service == "browsed" && span.span["kind"] == 1)
            .map(|span| span.name())
            .collect();
        for phase in phases {
            assert!(names.contains(phase), "{method}: {phase} is not one of {names:?}");
        }
    }
    assert!(!collector.text().contains("Buy"), "text of a page is in no trace");
}

/// What a pod needs to save its sessions in `store`.
pub fn state_variables(store: &S3, key: &Path) -> Vec<(&'static str, String)> {
    vec![
        ("BROWSE_POD_STATE", "s3://bucket/fleet".to_owned()),
        ("BROWSE_POD_STATE_KEY_FILE", key.display().to_string()),
        ("BROWSE_POD_STATE_INTERVAL", "1s".to_owned()),
        ("AWS_ENDPOINT", format!("http://{}", store.address)),
        ("AWS_ALLOW_HTTP", "true".to_owned()),
        ("AWS_REGION", "us-east-1".to_owned()),
        ("AWS_ACCESS_KEY_ID", "key".to_owned()),
        ("AWS_SECRET_ACCESS_KEY", "secret".to_owned()),
    ]
}

async fn set_cookie(world: &World, cookie: &str) {
    let body = json!({ "cookie": cookie, "domain": "example.com", "expires": "30d" });
    let answer = with_body(world, "work", "cookie", body).await;
    assert_eq!(answer.reason(), "ok", "{answer:?}");
}

/// The names of the cookies, as one text.
async fn cookies(world: &World) -> String {
    let answer = with_body(world, "work", "cookies", json!({})).await;
    assert_eq!(answer.reason(), "ok", "{answer:?}");
    answer.body.to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_restored_after_its_pod_was_drained_and_after_it_was_killed() {
    let world = World::restoring(10).await;
    let store = S3::start().await;
    let folder = tempfile::tempdir().expect("a folder");
    let key = folder.path().join("key");
    std::fs::write(&key, "5a".repeat(32)).expect("written");
    let variables = state_variables(&store, &key);
    let start = |name: &'static str| RealPod::start(name, &world.pod_identity, &variables);
    let (first, mut second) = (start("saved-1").await, start("saved-2").await);
    world.cluster.add_pod(first.record.clone());
    let opened = with_body(&world, "work", "load-html", json!({ "html": PAGE })).await;
    assert_eq!(opened.reason(), "ok", "{opened:?}");
    assert_eq!(world.call(0, "acme", "work", "snapshot").await.reason(), "ok", "refs are given");
    set_cookie(&world, "first=1").await;
    world.cluster.add_pod(second.record.clone());
    // It is saved before it ends: the next call finds it in the other pod.
    first.signal("-TERM");
    while first.probe("/readyz").await.starts_with("HTTP/1.1 200") {
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // Errors report the move until a response does.
    let report = "was restored on another pod";
    let stale = with_body(&world, "work", "click", json!({ "target": "@e1" })).await;
    assert_eq!(stale.reason(), "REF_STALE", "{stale:?}");
    assert!(stale.body.to_string().contains(report), "{stale:?}");
    let restored = cookies(&world).await;
    assert!(restored.contains("first") && restored.contains(report), "{restored}");
    assert!(!cookies(&world).await.contains(report), "it is reported once");
    world.cluster.remove_pod(&first.record.name);
    // A pod that is killed has saved what it held a moment ago.
    let path = "/bucket/fleet/acme/work";
    set_cookie(&world, "second=2").await;
    // The first save may have begun before that; the next one has not.
    for count in 0..2 {
        let before = store.object(path);
        set_cookie(&world, &format!("count={count}")).await;
        eventually(|| (store.object(path) != before).then_some(())).await;
    }
    let third = start("saved-3").await;
    world.cluster.add_pod(third.record.clone());
    second.child.kill().expect("it runs");
    // Of a call whose connection broke it is not known whether it was done.
    let broken = with_body(&world, "work", "cookies", json!({})).await;
    assert!(["ok", "ACTION_UNKNOWN"].contains(&broken.reason()), "{broken:?}");
    let restored = cookies(&world).await;
    assert!(restored.contains("first") && restored.contains("second"), "{restored}");
    let closed = world.call(0, "acme", "work", "session close").await;
    assert_eq!(closed.reason(), "ok", "{closed:?}");
    assert!(store.object(path).is_none(), "a session that is closed leaves nothing");
}
