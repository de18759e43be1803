//! A dashboard of a daemon on another machine: two projects, each with a home of its own.

use std::{
    fs,
    io::{BufRead as _, BufReader, Read as _},
    process::{Child, Stdio},
    time::Duration,
};

use serde_json::{Value, json};

use crate::{
    dashboard::{Dashboard, FORM, LIMIT, own_head, parts, request},
    project::{Project, eventually},
    site::Site,
};

/// What is never called from another machine, whatever the scopes of a pairing are.
const NEVER: &[&str] = &[
    "BrowserService/ImportBrowserCookies",
    "BrowserService/Js",
    "BrowserService/Cdp",
    "BrowserService/Connect",
    "BrowserService/Upload",
    "DaemonService/CdpUrl",
    "DaemonService/OpenAgent",
    "DaemonService/Restart",
    "DaemonService/Stop",
    "DashboardService/CloseDashboards",
    "DashboardService/OfferTerminal",
    "DashboardService/OpenDashboard",
    "DashboardService/WriteTerminal",
    "PairService/ListPairings",
    "PairService/NewPairing",
    "PairService/RevokePairing",
    "PairService/StartTunnel",
    "SkillService/TrustSkill",
];

/// A machine with pages, and one on which somebody has a pairing of it.
struct World {
    owner: Project,
    person: Project,
    site: Site,
}

impl World {
    /// Pairs a dashboard with these flags.
    fn new(flags: &[&str]) -> Self {
        let world = Self { owner: Project::new(), person: Project::new(), site: Site::page(FORM) };
        world.owner.ok(&["goto", &world.site.url("/")]);
        // With it the listener stays open when the other ends.
        world.owner.ok(&["pair", "new", "stays"]);
        let paired = world.owner.json(&[&["pair", "new", "Desk", "--dashboard"], flags].concat());
        let redeemed = world.person.ok(&["redeem", paired["link"].as_str().expect("a link")]);
        assert!(redeemed.starts_with("desk: read,"), "{redeemed}");
        world
    }

    /// The token that the person's machine keeps.
    fn token(&self) -> String {
        let file = fs::read_to_string(self.person.home().join("remotes/desk.json"));
        let file: Value = serde_json::from_str(&file.expect("a file")).expect("JSON");
        file["token"].as_str().expect("a token").to_owned()
    }
}

/// `browse --remote desk dashboard`, which serves until it ends.
struct Relay {
    child: Child,
    link: String,
}

impl Relay {
    fn start(world: &World, flags: &[&str]) -> Self {
        let args = [&["--remote", "desk", "dashboard"], flags].concat();
        let mut command = world.person.command(&args);
        let child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
        let mut relay = Self { child: child.expect("browse is built"), link: String::new() };
        let output = relay.child.stdout.take().expect("a pipe");
        BufReader::new(output).read_line(&mut relay.link).expect("a line");
        if relay.link.is_empty() {
            panic!("no link: {:?}", relay.wait());
        }
        relay
    }

    /// Waits for its end; answers its exit code and what it reported.
    fn wait(&mut self) -> (Option<i32>, String) {
        let mut reported = String::new();
        let mut errors = self.child.stderr.take().expect("a pipe");
        errors.read_to_string(&mut reported).expect("text");
        (self.child.wait().expect("it ends").code(), reported)
    }
}

impl Drop for Relay {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn a_dashboard_of_another_machine_is_as_one_here() {
    let world = World::new(&[]);
    let relay = Relay::start(&world, &[]);
    let (port, code) = parts(&relay.link);
    let (body, own) = (json!({ "code": code }).to_string(), own_head(port, "/redeem"));
    // Not for other pages, programs and names, which do not spend it.
    for other in [
        own.replace(&format!("origin: http://127.0.0.1:{port}\r\n"), ""),
        own.replace(&format!("origin: http://127.0.0.1:{port}"), "origin: http://evil.example"),
        own.replace(&format!("host: 127.0.0.1:{port}"), &format!("host: evil.example:{port}")),
        own.clone() + "\r\nsec-fetch-site: cross-site",
    ] {
        let (status, answer) = request(port, &other, &body);
        assert_eq!(status, 403, "{other}: {answer}");
    }
    let get =
        |path: &str, host: &str| request(port, &format!("GET {path} HTTP/1.1\r\nhost: {host}"), "");
    let own_host = format!("127.0.0.1:{port}");
    let (status, page) = get("/", &own_host);
    assert!(status == 200 && page.contains("frame-ancestors 'none'"), "{page}");
    let (status, script) = get("/app.js", &own_host);
    assert!(status == 200 && script.contains("content-type: text/javascript"), "{status}");
    assert_eq!(get("/", "evil.example").0, 403);
    assert_eq!(get("/none.js", &own_host).0, 404);

    let dashboard = Dashboard::enter(&relay.link);
    let (status, again) = request(port, &own, &body);
    assert!(status == 401 && again.contains("was used already"), "{again}");
    // The token of the pairing is good at the daemon alone.
    let other = dashboard.with_token(&world.token());
    let refused =
        other.call("PairService/GetIdentity", &json!({})).expect_err("it is not the page's");
    assert!(refused.starts_with("TOKEN_"), "{refused}");

    let known = dashboard.call("PairService/GetIdentity", &json!({})).expect("it is known");
    assert_eq!((&known["kind"], &known["session"]), (&json!("dashboard"), &json!("*")));
    assert!(dashboard.view("live").contains("\"jpeg\":\"/9j/"), "a JPEG image");
    let lease = dashboard.take().expect("nobody holds it");
    assert!(world.owner.ok(&["overview"]).contains("held by dashboard:desk"));
    assert_eq!(world.owner.fail(&["text"]).0, "HANDED_OFF");
    dashboard.input(
        &lease,
        &json!([
            {"kind": "down", "x": 50, "y": 80, "clicks": 1},
            {"kind": "up", "x": 50, "y": 80, "clicks": 1},
        ]),
    );
    eventually(LIMIT, || {
        let overview = dashboard.view_overview();
        if overview.contains("\"sent\"") { Ok(()) } else { Err(overview) }
    })
    .expect("the button was clicked");
    let body = json!({ "lease": lease, "note": "from far away" });
    dashboard.call("DashboardService/ReleaseControl", &body).expect("it is held");
    assert!(world.owner.ok(&["resume"]).contains("the person writes: from far away"));
    let note = json!({ "text": "look here" });
    dashboard.call("DashboardService/WriteNote", &note).expect("it is a person's");
    assert!(world.owner.ok(&["inbox"]).contains("look here"));
    let list = world.owner.ok(&["pair", "list"]);
    assert!(list.contains("desk active read,write,meta hosts:* session:*"), "{list}");

    // It ends with the program that the person has started.
    drop(relay);
    world.person.assert_empty_within(LIMIT);
}

#[test]
fn what_is_of_the_owner_alone_is_never_called_from_another_machine() {
    let world = World::new(&["--scope", "read,write,meta,admin,control"]);
    let relay = Relay::start(&world, &[]);
    let dashboard = Dashboard::enter(&relay.link);
    for method in NEVER {
        let refused = dashboard.call(method, &json!({}));
        assert_eq!(refused, Err("TUNNEL_DENIED".to_owned()), "{method}");
    }
    // What these scopes are for.
    dashboard.call("DaemonService/ListSessions", &json!({})).expect("it has the scope");
    dashboard.call("BrowserService/Approve", &json!({})).expect("it has the scope");
    for args in [&["js", "1"][..], &["pair", "list"], &["stop"], &["dashboard", "close"]] {
        let found = world.person.fail(&[&["--remote", "desk"], args].concat());
        assert_eq!(found.0, "TUNNEL_DENIED", "{args:?}");
    }
    assert!(world.owner.ok(&["pair", "log"]).contains(" TUNNEL_DENIED "));
}

#[test]
fn a_pairing_for_looking_does_not_act() {
    for (of_pairing, of_page) in [(&["--scope", "read,meta"][..], &[][..]), (&[], &["--read-only"])]
    {
        let world = World::new(of_pairing);
        let relay = Relay::start(&world, of_page);
        let dashboard = Dashboard::enter(&relay.link);
        assert!(dashboard.view("live").contains("\"jpeg\":\"/9j/"), "a JPEG image");
        assert_eq!(dashboard.take(), Err("SCOPE_DENIED".into()), "{of_page:?}");
        let note = dashboard.call("DashboardService/WriteNote", &json!({ "text": "a" }));
        assert_eq!(note, Err("SCOPE_DENIED".into()), "{of_page:?}");
    }
}

#[test]
fn scopes_that_show_nothing_are_refused() {
    let world = World::new(&[]);
    let beyond = world.person.run(&["--remote", "desk", "dashboard", "--scope", "meta,admin"]);
    let is_refused = beyond.code == Some(3) && beyond.stderr.contains("has not: admin");
    assert!(is_refused, "{beyond:?}");
    for args in [
        &["dashboard", "--scope", "read,control"][..],
        &["pair", "new", "desk2", "--dashboard", "--scope", "read"],
    ] {
        let refused = world.owner.run(args);
        assert!(refused.code == Some(2) && refused.stderr.contains("shows nothing"), "{refused:?}");
    }
}

#[test]
fn an_agent_that_is_paired_has_no_dashboard() {
    let (owner, agent) = (Project::new(), Project::new());
    owner.ok(&["goto", "about:blank"]);
    let paired = owner.json(&["pair", "new", "desk", "--scope", "read,write,meta,admin,control"]);
    agent.ok(&["redeem", paired["link"].as_str().expect("a link")]);
    for args in [
        &["dashboard"][..],
        &["dashboard", "page"],
        &["overview"],
        &["view", "1"],
        &["control", "take", "default"],
        &["talk", "write", "do it"],
        &["talk"],
        &["session", "list"],
        &["approve"],
    ] {
        let found = agent.fail(&[&["--remote", "desk"], args].concat());
        assert_eq!(found.0, "TUNNEL_DENIED", "{args:?}");
    }
    let who = agent.ok(&["--remote", "desk", "whoami"]);
    assert!(who.contains("kind: paired"), "{who}");
}

#[test]
fn revoking_the_pairing_ends_the_dashboard() {
    let world = World::new(&[]);
    let mut relay = Relay::start(&world, &[]);
    let dashboard = Dashboard::enter(&relay.link);
    dashboard.take().expect("nobody holds it");
    let mut stream = dashboard.follow("DashboardService/Overview", &json!({ "follow": true }));
    assert_eq!(world.owner.fail(&["text"]).0, "HANDED_OFF");
    let revoked = world.owner.ok(&["pair", "revoke", "desk"]);
    assert!(revoked.starts_with("revoked desk; "), "{revoked}");
    let mut seen = Vec::new();
    stream.read_to_end(&mut seen).expect("it ends");
    let seen = String::from_utf8_lossy(&seen);
    // The stream may have begun before or after that.
    assert!(
        ["TOKEN_REVOKED", "TOKEN_INVALID"].iter().any(|reason| seen.contains(reason)),
        "{seen}"
    );
    // What the person held is the agent's again, and the program ends by itself.
    let resumed = world.owner.ok(&["resume"]);
    assert!(resumed.contains("without giving it back"), "{resumed}");
    let (code, reported) = relay.wait();
    assert!(reported.contains("the pairing has ended"), "{reported}");
    assert_eq!(code, Some(3));
    assert_eq!(world.person.fail(&["--remote", "desk", "dashboard"]).0, "TOKEN_INVALID");
    world.person.assert_empty_within(Duration::from_secs(5));
}
