//! `browse --remote <fleet> dashboard`: a person watches the sessions of a pod through the gateway,
//! takes one over, and goes on in the next pod.

use std::{
    fs,
    io::{BufRead as _, BufReader, ErrorKind, Read as _},
    net::TcpStream,
    process::{Child, Stdio},
    time::{Duration, Instant},
};

use serde_json::{Value, json};

use crate::{
    dashboard_page::{Dashboard, FORM, LIMIT, own_head, parts, request},
    login::Client,
    real_pods::RealPod,
    support::{World, send},
};

/// The token of the fleet.
const KEY: &str = "acme-key";

/// What the page never calls, whatever the token allows.
const NEVER: &[&str] = &[
    "BrowserService/Js",
    "BrowserService/ImportBrowserCookies",
    "BrowserService/StartStepTrace",
    "DaemonService/CdpUrl",
    "DashboardService/GetDashboardPage",
    "DashboardService/OfferTerminal",
    "DashboardService/OpenDashboard",
    "PairService/ListPairings",
    "SkillService/ListSkills",
];

/// `browse --remote fleet dashboard`, which serves until it ends.
struct Relay {
    child: Child,
    link: String,
}

impl Relay {
    fn start(client: &Client, flags: &[&str]) -> Self {
        let mut command = client.command(&[&["--remote", "fleet", "dashboard"], flags].concat());
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut relay = Self { child: child.expect("browse is built"), link: String::new() };
        let output = relay.child.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut relay.link).expect("a line");
        if relay.link.is_empty() {
            let mut reported = String::new();
            let mut errors = relay.child.stderr.take().expect("a pipe");
            errors.read_to_string(&mut reported).expect("text");
            panic!("no link: {reported}");
        }
        relay
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// Somebody who has signed in with the key of `acme`.
fn signed_in(world: &World) -> Client {
    let client = Client::new();
    fs::write(client.folder().join("key"), KEY).expect("written");
    let url = format!("http://{}", world.replicas[0].address);
    let login = client.run(&["login", &url, "--name", "fleet", "--token-file", "key"]);
    assert!(login.status.success(), "{login:?}");
    client
}

/// Reads a stream until it has `words`.
fn read_until(stream: &mut TcpStream, words: &str) -> String {
    let (mut seen, mut buffer) = (String::new(), [0; 65536]);
    while !seen.contains(words) {
        let count = stream.read(&mut buffer).expect("more comes");
        assert_ne!(count, 0, "it ended: {seen}");
        seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
    }
    seen
}

/// Reads a stream to its end, which may be that of its connection.
fn read_to_end(stream: &mut TcpStream) {
    let mut rest = Vec::new();
    if let Err(error) = stream.read_to_end(&mut rest) {
        assert_eq!(error.kind(), ErrorKind::ConnectionReset, "it does not end");
    }
}

/// Opens the session `default` with this page.
async fn open_page(world: &World, html: &str) {
    let body = json!({ "html": html });
    let address = world.replicas[0].address;
    // That a session was lost is reported once.
    let mut opened = send(address, "acme", "default", "load-html", &body, &[]).await;
    if opened.reason() == "SESSION_LOST" {
        opened = send(address, "acme", "default", "load-html", &body, &[]).await;
    }
    assert_eq!(opened.reason(), "ok", "{opened:?}");
}

/// Opens the link of a dashboard: once, from its own page alone, and without the token of the fleet.
fn enter(link: &str) -> Dashboard {
    let (port, code) = parts(link);
    let (body, own) = (json!({ "code": code }).to_string(), own_head(port, "/redeem"));
    let origin = format!("origin: http://127.0.0.1:{port}");
    for other in [
        own.replace(&origin, "origin: http://evil.example"),
        own.replace(&format!("{origin}\r\n"), ""),
        own.replace(&format!("host: 127.0.0.1:{port}"), &format!("host: evil.example:{port}")),
    ] {
        assert_eq!(request(port, &other, &body).0, 403, "{other}");
    }
    let (status, answer) = request(port, &own, &body);
    assert!(status == 200 && !answer.contains(KEY), "{answer}");
    assert_eq!(request(port, &own, &body).0, 401, "it was used");
    let json = answer.split_once("\r\n\r\n").expect("a head").1;
    let opened: Value = serde_json::from_str(json).expect("JSON");
    assert_eq!((&opened["remote"], &opened["fleet"]), (&json!(true), &json!(true)));
    assert_eq!(opened["scopes"], json!(["read", "write", "meta"]));
    Dashboard { port, token: opened["token"].as_str().expect("a token").to_owned() }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_person_watches_takes_over_and_goes_on_in_the_next_pod() {
    let world = World::keeping_sessions(10).await;
    let client = signed_in(&world);
    let early = client.run(&["--remote", "fleet", "dashboard"]);
    let reported = String::from_utf8_lossy(&early.stderr).into_owned();
    assert!(reported.contains("browse --remote fleet session new work"), "{reported}");
    let pod = RealPod::start("watched-1", &world.pod_identity, &[]).await;
    world.cluster.add_pod(pod.record.clone());
    open_page(&world, FORM).await;

    let relay = Relay::start(&client, &[]);
    let dashboard = enter(&relay.link);
    let known = dashboard.call("PairService/GetIdentity", &json!({})).expect("it is known");
    assert_eq!((&known["kind"], &known["session"]), (&json!("dashboard"), &json!("*")));
    assert!(!known.to_string().contains(KEY));
    let other = dashboard.with_token(KEY).call("PairService/GetIdentity", &json!({}));
    assert!(other.is_err_and(|reason| reason.starts_with("TOKEN_")), "it is good at the gateway");
    for method in NEVER {
        let refused = dashboard.call(method, &json!({}));
        assert_eq!(refused, Err("FLEET_DENIED".to_owned()), "{method}");
    }

    assert!(dashboard.view("live").contains("\"jpeg\":\"/9j/"), "a JPEG image");
    let lease = dashboard.take().expect("nobody holds it");
    let held = world.call(1, "acme", "default", "text").await;
    assert_eq!(held.reason(), "HANDED_OFF", "{held:?}");
    let mut overview = dashboard.follow("DashboardService/Overview", &json!({ "follow": true }));
    let at = |kind: &str| json!({ "kind": kind, "x": 50, "y": 80, "clicks": 1 });
    dashboard.input(&lease, &json!([at("down"), at("up")]));
    let seen = read_until(&mut overview, "\"sent\"");
    assert!(seen.contains("dashboard:ann:"), "who holds it: {seen}");
    let give = json!({ "lease": lease });
    dashboard.call("DashboardService/ReleaseControl", &give).expect("it is held");
    let free = world.call(2, "acme", "default", "text").await;
    assert_eq!(free.reason(), "ok", "{free:?}");
    let mut calls = dashboard.follow("DaemonService/Activity", &json!({ "follow": true }));
    read_until(&mut calls, "\"text\"");

    // The pod ends, and with it what comes of it; the same page shows the next one.
    let name = pod.record.name.clone();
    drop(pod);
    world.cluster.remove_pod(&name);
    read_to_end(&mut overview);
    assert!(dashboard.call("PairService/GetIdentity", &json!({})).is_err(), "there is no pod");
    let next = RealPod::start("watched-2", &world.pod_identity, &[]).await;
    world.cluster.add_pod(next.record.clone());
    open_page(&world, "<title>Second</title>").await;
    let begun = Instant::now();
    while !dashboard.view_overview().contains("Second") {
        assert!(begun.elapsed() < LIMIT, "{}", dashboard.view_overview());
        tokio::time::sleep(Duration::from_millis(100)).await;
    }
    // A sign-in that was removed ends it.
    let logout = client.run(&["logout", "fleet"]);
    assert!(logout.status.success(), "{logout:?}");
    let mut relay = relay;
    let ended = relay.child.wait().expect("it ends");
    assert!(!ended.success(), "{ended}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_pod_that_drains_does_not_wait_for_a_dashboard() {
    let world = World::keeping_sessions(10).await;
    let drain = [("BROWSE_POD_DRAIN", "10m".to_owned())];
    let mut pod = RealPod::start("drained-1", &world.pod_identity, &drain).await;
    world.cluster.add_pod(pod.record.clone());
    open_page(&world, FORM).await;
    let client = signed_in(&world);
    let relay = Relay::start(&client, &[]);
    let dashboard = enter(&relay.link);
    let follow = json!({ "follow": true });
    let mut streams = Vec::new();
    for method in
        ["DashboardService/Overview", "DashboardService/ReadTalk", "DaemonService/Activity"]
    {
        streams.push(dashboard.follow(method, &follow));
    }
    read_until(&mut streams[0], "default");
    streams.push(dashboard.follow("DashboardService/ViewTabs", &json!({ "tabs": ["1"] })));
    read_until(&mut streams[3], "\"jpeg\"");
    pod.end_within(4 * LIMIT).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn agents_are_not_taken_for_a_person() {
    let world = World::keeping_sessions(10).await;
    let pod = RealPod::start("held-1", &world.pod_identity, &[]).await;
    world.cluster.add_pod(pod.record.clone());
    open_page(&world, FORM).await;
    let person = ("browse-dashboard", "1");
    let agent = ("browse-scopes", "read,write,meta");
    for (command, headers, reason) in [
        ("control take", &[][..], "SCOPE_DENIED"),
        ("control take", &[person, agent], "SCOPE_DENIED"),
        ("talk write", &[person, agent], "SCOPE_DENIED"),
        ("approve", &[agent], "SCOPE_DENIED"),
        ("approve", &[], "ok"),
        ("approve", &[person], "ok"),
        ("control take", &[person], "ok"),
        // What one does not call at a dashboard of a pairing either.
        ("js", &[person], "FLEET_DENIED"),
        // Agents wait while a person has the session.
        ("text", &[], "HANDED_OFF"),
    ] {
        let body = match command {
            "talk write" => json!({ "text": "look here" }),
            "js" => json!({ "expression": "1" }),
            _ => json!({}),
        };
        let address = world.replicas[0].address;
        let answer = send(address, "acme", "default", command, &body, headers).await;
        assert_eq!(answer.reason(), reason, "{command} {headers:?}: {answer:?}");
    }
}
