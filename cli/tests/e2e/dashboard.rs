//! Dashboards: the way in, and what a person who holds a session keeps from agents.

use std::{
    process::Stdio,
    thread,
    time::{Duration, Instant},
};

use serde_json::{Value, json};

pub use crate::dashboard_page::{Dashboard, FORM, LIMIT, own_head, parts, request};
use crate::{
    project::{Project, eventually},
    site::Site,
    traces::kept_text,
    window::with_screen,
};

impl Dashboard {
    pub fn open(project: &Project, args: &[&str]) -> Self {
        Self::enter(&project.ok(&[&["dashboard"], args].concat()))
    }

    /// Whether a call fails because the dashboard was closed: its listener ends soon after that.
    fn is_closed_for(&self, method: &str, body: &Value) -> bool {
        match self.try_call(method, body) {
            Ok(answer) => answer == Err("TOKEN_REVOKED".into()),
            Err(_) => true,
        }
    }
}

#[test]
fn a_link_is_good_once_and_for_its_own_page() {
    let project = Project::new();
    project.ok(&["goto", "about:blank"]);
    let link = project.ok(&["dashboard"]);
    let (port, code) = parts(&link);
    let body = json!({ "code": code }).to_string();
    let own = own_head(port, "/redeem");
    // Not for other pages, programs and names, which do not spend it.
    for other in [
        own.replace(&format!("origin: http://127.0.0.1:{port}\r\n"), ""),
        own.replace(&format!("origin: http://127.0.0.1:{port}"), "origin: http://evil.example"),
        own.replace(&format!("origin: http://127.0.0.1:{port}"), "origin: null"),
        own.replace(&format!("host: 127.0.0.1:{port}"), &format!("host: localhost:{port}")),
        own.replace(&format!("host: 127.0.0.1:{port}"), &format!("host: evil.example:{port}")),
        own.clone() + "\r\nsec-fetch-site: cross-site",
    ] {
        let (status, answer) = request(port, &other, &body);
        assert_eq!(status, 403, "{other}: {answer}");
    }
    let (status, page) = request(port, &format!("GET / HTTP/1.1\r\nhost: 127.0.0.1:{port}"), "");
    assert!(status == 200 && page.contains("frame-ancestors 'none'"), "{page}");
    let (status, _) = request(port, "GET / HTTP/1.1\r\nhost: evil.example", "");
    assert_eq!(status, 403, "a name that leads here");
    let import = |origin: &str| {
        let head = format!("GET /app.js HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\norigin: {origin}");
        request(port, &head, "").0
    };
    assert_eq!(import(&format!("http://127.0.0.1:{port}")), 200, "what the page imports");
    assert_eq!(import("http://evil.example"), 403);
    assert_eq!(request(port, &own, &body).0, 200);
    let (status, again) = request(port, &own, &body);
    assert!(status == 401 && again.contains("was used already"), "{again}");
}

#[test]
fn tokens_are_good_at_their_own_listener() {
    let project = Project::new();
    project.ok(&["goto", "about:blank"]);
    let dashboard = Dashboard::open(&project, &["--read-only"]);
    let state = std::fs::read_to_string(project.path().join(".browse/daemon.json"));
    let state: Value = serde_json::from_str(&state.expect("a daemon")).expect("JSON");
    let root = state["token"].as_str().expect("a token").to_owned();
    let identity = json!({});
    let as_root = Dashboard { port: dashboard.port, token: root };
    assert_eq!(as_root.call("PairService/GetIdentity", &identity), Err("TOKEN_INVALID".into()));
    let known = dashboard.call("PairService/GetIdentity", &identity).expect("it is known");
    assert_eq!((&known["kind"], &known["scopes"]), (&json!("dashboard"), &json!(["read", "meta"])));
    assert_eq!(dashboard.take(), Err("SCOPE_DENIED".into()), "it is for looking");
    assert_eq!(
        dashboard.call("DashboardService/OpenDashboard", &json!({})),
        Err("SCOPE_DENIED".into())
    );
    project.ok(&["dashboard", "close"]);
    assert!(dashboard.is_closed_for("PairService/GetIdentity", &identity));
}

#[test]
fn tabs_and_requests_of_agents_do_not_reach_the_listener() {
    let project = Project::new();
    project.ok(&["goto", "about:blank"]);
    let link = project.ok(&["dashboard"]);
    let (port, _) = parts(&link);
    for address in [
        format!("http://127.0.0.1:{port}/"),
        format!("http://localhost:{port}/"),
        format!("http://0x7f000001:{port}/"),
        format!("http://2130706433:{port}/"),
        format!("http://127.1:{port}/"),
        format!("http://[::ffff:127.0.0.1]:{port}/"),
        format!("http://0.0.0.0:{port}/"),
    ] {
        let (reason, _) = project.fail(&["goto", &address]);
        assert!(
            reason.starts_with("NAVIGATION") || reason == "ADDRESS_DENIED",
            "{address}: {reason}"
        );
    }
    let script = format!(
        "fetch('http://127.0.0.1:{port}/', {{mode: 'no-cors'}}).then(() => 'reached', () => 'refused')"
    );
    assert_eq!(project.json(&["js", &script]), json!("refused"));
    project.fail(&["fetch", &format!("http://127.0.0.1:{port}/")]);
}

#[test]
fn a_person_holds_a_session_alone() {
    let project = Project::new();
    let site = Site::page(FORM);
    project.ok(&["goto", &site.url("/")]);
    let dashboard = Dashboard::open(&project, &[]);
    let other = Dashboard::open(&project, &[]);
    assert!(other.view("live").contains("\"jpeg\":\"/9j/"), "a JPEG image");
    let lease = dashboard.take().expect("nobody holds it");
    for command in [
        &["text"][..],
        &["snapshot", "-i"],
        &["click", "text=Send"],
        &["tabs"],
        &["js", "1"],
        &["screenshot", "a.png"],
        &["cookies"],
        &["network"],
        &["session", "close", "default"],
        &["cdp-url"],
        &["state", "save", "a"],
        &["watch"],
    ] {
        assert_eq!(project.fail(command), ("HANDED_OFF".to_owned(), 1), "{command:?}");
    }
    assert_eq!(project.fail(&["resume", "--timeout", "1s"]).0, "HANDED_OFF");
    assert_eq!(other.take(), Err("HANDED_OFF".into()));
    assert!(!other.view("held").contains("\"jpeg\":\"/9j/"), "its holder alone sees it");
    assert!(dashboard.view("live").contains("\"jpeg\":\"/9j/"));
    let seen = project.ok(&["overview"]);
    assert!(seen.contains("held by dashboard:1") && !seen.contains("Sign in"), "{seen}");

    // Keys of two layouts, pasted text and clicks, in their order.
    let mut events = vec![
        json!({"kind": "down", "x": 50, "y": 20, "clicks": 1}),
        json!({"kind": "up", "x": 50, "y": 20, "clicks": 1}),
    ];
    for key in ["h", "u", "n", "ö"] {
        events.push(json!({"kind": "key-down", "key": key}));
        events.push(json!({"kind": "key-up", "key": key}));
    }
    events.push(json!({"kind": "paste", "text": "ter2secret"}));
    events.extend((0..300).map(|step| json!({"kind": "move", "x": step % 200, "y": 80})));
    events.push(json!({"kind": "down", "x": 50, "y": 80, "clicks": 1}));
    events.push(json!({"kind": "up", "x": 50, "y": 80, "clicks": 1}));
    dashboard.input(&lease, &Value::Array(events));
    eventually(LIMIT, || {
        let overview = dashboard.view_overview();
        if overview.contains("\"sent\"") { Ok(()) } else { Err(overview) }
    })
    .expect("the button was clicked");
    let body = json!({ "lease": lease, "note": "signed in" });
    dashboard.call("DashboardService/ReleaseControl", &body).expect("it is held");
    let resumed = project.ok(&["resume"]);
    for part in ["gave it back", "the person writes: signed in", "1 same", "button \"Send\""] {
        assert!(resumed.contains(part), "{part}: {resumed}");
    }
    assert_eq!(project.json(&["js", "q.value"]), json!("hunöter2secret"));
    assert_eq!(project.fail(&["resume"]).0, "NOT_HANDED_OFF");
    let activity = project.ok(&["activity"]);
    assert!(activity.contains("control take") && !activity.contains("control input"));
    let lost = dashboard.call("DashboardService/SendInput", &json!({"lease": lease, "tab": "1"}));
    assert_eq!(lost, Err("LEASE_ENDED".into()));
}

#[test]
fn nothing_is_recorded_while_a_person_has_the_session() {
    let project = Project::new();
    let site = Site::page(
        "<title>A</title><input id=q style='position:fixed;left:0;top:0;width:200px;height:40px' \
         oninput='console.log(\"typed \" + q.value);\
         fetch(\"/?\" + q.value).finally(() => document.title = \"asked\")'>",
    );
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["network", "har", "start"]);
    project.ok(&["trace", "start", "--steps"]);
    let dashboard = Dashboard::open(&project, &[]);
    let lease = dashboard.take().expect("nobody holds it");
    dashboard.input(
        &lease,
        &json!([
            {"kind": "down", "x": 50, "y": 20, "clicks": 1},
            {"kind": "up", "x": 50, "y": 20, "clicks": 1},
            {"kind": "text", "text": "hunter2"},
        ]),
    );
    eventually(LIMIT, || {
        let overview = dashboard.view_overview();
        if overview.contains("\"asked\"") { Ok(()) } else { Err(overview) }
    })
    .expect("the page has sent it");
    let body = json!({ "lease": lease });
    dashboard.call("DashboardService/ReleaseControl", &body).expect("it is held");
    project.ok(&["network", "har", "stop", "a.har"]);
    let har = std::fs::read_to_string(project.path().join("a.har")).expect("saved");
    for (what, text) in [
        ("console", project.ok(&["console"])),
        ("network", project.ok(&["network"])),
        ("activity", project.ok(&["activity"])),
        ("har", har),
        ("trace", kept_text(&project.path().join(".browse/traces"))),
    ] {
        assert!(!text.contains("hunter2"), "{what}: {text}");
    }
}

#[test]
fn an_agent_asks_a_person_without_a_screen() {
    let project = Project::new();
    let site = Site::page(FORM);
    project.ok(&["goto", &site.url("/")]);
    let asked = project.ok(&["handoff", "solve the captcha", "--dashboard"]);
    assert!(asked.contains("browse dashboard"), "{asked}");
    assert!(project.ok(&["overview"]).contains("asks a person: solve the captcha"));
    assert_eq!(project.fail(&["click", "text=Send"]).0, "HANDED_OFF");
    assert!(project.ok(&["snapshot", "-i"]).contains("Send"), "looking works");
    // `resume` waits before the person comes, too.
    let waits = project.command(&["resume"]).stdout(Stdio::piped()).spawn().expect("it runs");
    let under_way = || match project.json(&["status"])["calls"].as_u64() {
        Some(calls) if calls >= 1 => Ok(()),
        calls => Err(calls),
    };
    eventually(LIMIT, under_way).expect("it waits");
    let dashboard = Dashboard::open(&project, &[]);
    let lease = dashboard.take().expect("nobody holds it");
    // Closing the dashboard gives back what was held.
    project.ok(&["dashboard", "close"]);
    let resumed = waits.wait_with_output().expect("an output");
    let resumed = String::from_utf8_lossy(&resumed.stdout).into_owned();
    assert!(resumed.contains("without giving it back"), "{resumed}");
    let release = json!({ "lease": lease });
    assert!(dashboard.is_closed_for("DashboardService/ReleaseControl", &release));
    project.ok(&["click", "text=Send"]);
    // Nobody comes: the agent goes on.
    project.ok(&["handoff", "look at this", "--dashboard"]);
    let output = project.run(&["resume", "--timeout", "1s"]);
    assert!(output.stderr.contains("no person took the session over"), "{output:?}");
    project.ok(&["click", "text=Send"]);
}

const CONTROLS: &str = "<title>Controls</title><style>body{margin:0}body>*{position:fixed;left:0;\
    width:200px;height:30px}</style><label><select id=s style='width:200px;height:30px' \
    onchange='document.title=\"chose \"+s.value'><option value=x>First</option><option value=y \
    disabled>Second</option><option value=z>Third</option></select></label><input type=date id=d \
    style='top:40px' value=2026-01-02 onchange='document.title=\"date \"+d.value'><input type=file \
    id=f multiple style='top:80px' onchange='document.title=[...f.files].map(one=>one.name+one.size)'>";

#[test]
fn lists_pickers_and_files_are_chosen_without_the_page() {
    let project = Project::new();
    let site = Site::page(CONTROLS);
    project.ok(&["goto", &site.url("/")]);
    let dashboard = Dashboard::open(&project, &[]);
    let lease = dashboard.take().expect("nobody holds it");
    let click = |y: u32| {
        let (down, up) = (json!({"kind": "down", "x": 20, "y": y, "clicks": 1}), "up");
        dashboard.input(&lease, &json!([down, {"kind": up, "x": 20, "y": y, "clicks": 1}]));
    };
    let wait = |part: &str| {
        let seen = eventually(LIMIT, || {
            let overview = dashboard.view_overview();
            if overview.contains(part) { Ok(overview) } else { Err(overview) }
        });
        seen.unwrap_or_else(|overview| panic!("{part}: {overview}"))
    };
    let id_of = |overview: &str| {
        let (_, rest) = overview.split_once("\"prompt\":").expect("a prompt");
        let (_, rest) = rest.split_once("\"id\":\"").expect("an id");
        rest.split('"').next().expect("its end").to_owned()
    };
    let answer = |overview: &str, more: Value| {
        let mut event = json!({"kind": "answer", "prompt": id_of(overview)});
        event.as_object_mut().expect("an object").extend(more.as_object().expect("one").clone());
        dashboard.input(&lease, &json!([event]));
    };

    click(15);
    let list = wait("\"kind\":\"select\"");
    assert!(list.contains("\"label\":\"Third\"") && list.contains("\"disabled\":true"), "{list}");
    answer(&list, json!({ "values": ["2"] }));
    wait("chose z");
    click(55);
    let picker = wait("\"kind\":\"date\"");
    assert!(picker.contains("\"value\":\"2026-01-02\""), "{picker}");
    answer(&picker, json!({ "text": "2027-03-04" }));
    wait("date 2027-03-04");
    click(95);
    let chooser = wait("\"kind\":\"file\"");
    assert!(chooser.contains("\"multiple\":true"), "{chooser}");
    let refused = dashboard.call(
        "DashboardService/SendInput",
        &json!({"lease": lease, "tab": "1", "events": [{"kind": "answer", "prompt": "file",
            "files": [{"name": "../a", "content": ""}]}]}),
    );
    assert_eq!(refused, Err("ARGUMENT_INVALID".into()));
    let files = [("a.txt", "aGk="), ("b.txt", "aGV5")];
    let files = files.map(|(name, content)| json!({"name": name, "content": content}));
    answer(&chooser, json!({ "files": files }));
    wait("a.txt2,b.txt3");
    dashboard.call("DashboardService/ReleaseControl", &json!({ "lease": lease })).expect("held");
}

#[test]
fn calls_under_way_end_when_a_person_takes_the_session() {
    let project = Project::new();
    let site = Site::page(FORM);
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["session", "new", "other"]);
    let dashboard = Dashboard::open(&project, &[]);
    let begun = Instant::now();
    let (ended, lease) = thread::scope(|scope| {
        let call = scope.spawn(|| project.fail(&["click", "text=Never there", "--timeout", "60s"]));
        // It is under way.
        let in_flight = eventually(LIMIT, || match &project.json(&["status"])["calls"] {
            calls if calls.as_u64() > Some(0) => Ok(()),
            calls => Err(calls.clone()),
        });
        in_flight.expect("the click waits");
        let lease = dashboard.take().expect("nobody holds it");
        (call.join().expect("no panic"), lease)
    });
    assert_eq!(ended.0, "HANDED_OFF");
    assert!(begun.elapsed() < Duration::from_secs(30), "{:?}", begun.elapsed());
    // It is the session that is meant which counts.
    assert_eq!(
        project.fail(&["session", "close", "default", "--session", "other"]).0,
        "HANDED_OFF"
    );
    let memory = project.json(&["memory", "--session", "other"]);
    assert!(!memory.to_string().contains("127.0.0.1"), "{memory}");
    project.ok(&["session", "close", "other"]);
    assert_eq!(project.fail(&["context"]).0, "HANDED_OFF");
    assert_eq!(project.fail(&["trace", "start"]).0, "HANDED_OFF");
    dashboard.call("DashboardService/ReleaseControl", &json!({ "lease": lease })).expect("held");
}

#[test]
fn a_tab_behind_another_is_shown_and_stays_there() {
    let Some((_screen, project)) = with_screen() else { return };
    let site = Site::page(FORM);
    project.ok(&["goto", &site.url("/")]);
    project.ok(&["connect"]);
    project.ok(&["newtab"]);
    let dashboard = Dashboard::open(&project, &[]);
    assert!(dashboard.view("live").contains("\"jpeg\":\"/9j/"));
    assert_eq!(project.json(&["tabs"])[1]["active"], json!(true));
}
