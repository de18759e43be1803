//! `browse mcp` with a fleet: its tools in a real pod, and what the gateway holds it to.

use std::{
    fs,
    io::{BufRead as _, BufReader, Write as _},
    os::unix::fs::PermissionsExt as _,
    process::{Child, ChildStdin, ChildStdout, Stdio},
};

use http::StatusCode;
use serde_json::{Value, json};

use crate::{
    login::Client,
    real_pods::{PAGE, RealPod},
    site::Site,
    support::{World, eventually, send},
};

/// A server of an agent, and the pipes to it.
struct Agent {
    child: Child,
    /// None after the client has gone.
    input: Option<ChildStdin>,
    output: BufReader<ChildStdout>,
}

impl Agent {
    fn start(client: &Client) -> Self {
        let mut command = client.command(&["--remote", "fleet", "mcp"]);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().expect("browse is built");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        let mut agent = Self { child, input: Some(input), output };
        let client = json!({ "name": "test", "version": "1" });
        let params = json!({
            "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client,
        });
        let answer = agent.request("initialize", &params);
        assert_eq!(answer["result"]["serverInfo"]["name"], "browse", "{answer}");
        agent.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }));
        agent
    }

    fn send(&mut self, message: &Value) {
        let mut input = self.input.as_ref().expect("a client");
        writeln!(input, "{message}").expect("it reads");
    }

    fn request(&mut self, method: &str, params: &Value) -> Value {
        self.send(&json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params }));
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        assert!(!line.is_empty(), "build the workspace first: is browse-mcp beside browse?");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line}"))
    }

    /// The text of a call, and whether it failed.
    fn call(&mut self, tool: &str, arguments: Value) -> (String, bool) {
        let params = json!({ "name": tool, "arguments": arguments });
        let answer = self.request("tools/call", &params);
        let result = &answer["result"];
        let text = result["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"));
        (text.to_owned(), result["isError"] == true)
    }

    /// Ends the client in an orderly way, and waits for the end of the server.
    fn end(mut self) {
        drop(self.input.take());
        let status = self.child.wait().expect("it was started");
        assert!(status.success(), "{status}");
    }

    #[track_caller]
    fn ok(&mut self, tool: &str, arguments: Value) -> String {
        let (text, is_error) = self.call(tool, arguments);
        assert!(!is_error, "{text}");
        text
    }

    #[track_caller]
    fn fail(&mut self, tool: &str, arguments: Value) -> String {
        let (text, is_error) = self.call(tool, arguments);
        assert!(is_error, "{text}");
        text
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The daemon of a client, which ends with the test.
struct StoppedDaemon<'a>(&'a Client);

impl Drop for StoppedDaemon<'_> {
    fn drop(&mut self) {
        self.0.run(&["stop"]);
    }
}

/// The handle in an answer.
#[track_caller]
fn handle(answer: &str) -> String {
    let handle = answer.lines().rev().find_map(|line| line.strip_prefix("session: "));
    handle.unwrap_or_else(|| panic!("no handle: {answer}")).to_owned()
}

/// The first word of the line with `name`, which is a ref.
fn reference(text: &str, name: &str) -> String {
    let line = text.lines().find(|line| line.contains(name)).unwrap_or_else(|| panic!("{text}"));
    line.split_whitespace().next().unwrap_or_default().to_owned()
}

#[tokio::test(flavor = "multi_thread")]
async fn an_agent_drives_a_pod_and_stays_in_its_session() {
    let (world, site) = (World::keeping_sessions(10).await, Site::page(PAGE));
    let hosts = ("BROWSE_POD_HOSTS", format!("127.0.0.1:{}", site.port()));
    let pod = RealPod::start("mcp-1", &world.pod_identity, &[hosts]).await;
    world.cluster.add_pod(pod.record.clone());
    let html = json!({ "html": "<title>Of the user</title>" });
    let address = world.replicas[0].address;
    let opened = send(address, "acme", "of-the-user", "load-html", &html, &[]).await;
    assert_eq!(opened.reason(), "ok", "{opened:?}");
    // This key allows all that there is.
    let client = Client::new();
    fs::write(client.folder().join("key"), "acme-key").expect("written");
    let url = format!("http://{address}");
    let login = client.run(&["login", &url, "--name", "fleet", "--token-file", "key"]);
    assert!(login.status.success(), "{login:?}");

    let skill = client.folder().join("home/skills/nothing");
    fs::create_dir_all(&skill).expect("a folder");
    let manifest =
        format!("name: nothing\ndescription: Does nothing.\nhost: '127.0.0.1:{}'", site.port());
    fs::write(skill.join("SKILL.md"), format!("---\n{manifest}\n---\n\nProse.\n"))
        .expect("written");
    fs::write(skill.join("run"), "#!/bin/sh\necho '{\"done\":true}'\n").expect("written");
    let mode = fs::Permissions::from_mode(0o755);
    fs::set_permissions(skill.join("run"), mode).expect("a mode");

    let mut agent = Agent::start(&client);
    let page = agent.ok("open", json!({ "url": site.url("/"), "view": "interactive" }));
    let button = reference(&page, "Buy");
    let steps = json!([["click", button], ["get", "title"]]);
    assert!(agent.ok("act", json!({ "steps": steps })).contains("Sold"));
    assert!(agent.ok("snapshot", json!({ "view": "full" })).contains("Buy"));
    let session = handle(&page);
    let listed = world.call(1, "acme", "of-the-user", "session list").await;
    assert!(listed.body.to_string().contains(&session), "{listed:?}");
    for words in ["cookies", "js document.cookie", "session list", "session close of-the-user"] {
        let refused = agent.fail("run", json!({ "command": words }));
        assert!(refused.contains("SCOPE_DENIED"), "{words}: {refused}");
    }
    let refused = agent.fail("act", json!({ "steps": [["js", "document.cookie"]] }));
    assert!(refused.contains("SCOPE_DENIED"), "{refused}");
    for words in ["context", "skill trust nothing", "skill run nothing"] {
        let refused = agent.fail("run", json!({ "command": words }));
        assert!(refused.contains("FLEET_DENIED"), "{words}: {refused}");
    }
    // Skills are of this machine, and drive the browser of the fleet.
    let _daemon = StoppedDaemon(&client);
    let listed = agent.ok("skill", json!({ "action": "list" }));
    assert!(listed.contains("nothing global"), "{listed}");
    let ran = agent.ok("skill", json!({ "action": "run", "name": "nothing" }));
    assert!(ran.contains("\"done\""), "{ran}");
    // The user sees the tabs of both sessions.
    let tabs = |text: &str| text.lines().filter(|line| line.starts_with("tab ")).count();
    let of_user = world.call(0, "acme", "of-the-user", "memory").await;
    assert_eq!(tabs(of_user.body["summary"].as_str().expect("a text")), 2, "{of_user:?}");
    let of_agent = agent.ok("run", json!({ "command": "memory" }));
    assert_eq!(tabs(&of_agent), 1, "{of_agent}");
    // Another server goes on in the session, and the name of another is not a handle.
    drop(agent);
    let mut other = Agent::start(&client);
    let listed = other.ok("tabs", json!({ "action": "list", "session": session }));
    assert!(listed.contains(&site.url("/")), "{listed}");
    let refused = other.fail("snapshot", json!({ "session": "of-the-user" }));
    assert!(refused.contains("AGENT_SESSION_ENDED"), "{refused}");
    // Once it was closed it is opened again, and the answer says so.
    let closed = world.call(2, "acme", &session, "session close").await;
    assert_eq!(closed.reason(), "ok", "{closed:?}");
    let reopened = other.ok("tabs", json!({ "action": "list", "session": session }));
    assert!(reopened.contains("note: opened the session"), "{reopened}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_whose_client_goes_gives_back_the_place_of_its_own_session() {
    let world = World::keeping_sessions(10).await;
    let pod = world.add_pod().await;
    let client = Client::new();
    fs::write(client.folder().join("key"), "acme-key").expect("written");
    let url = format!("http://{}", world.replicas[0].address);
    let login = client.run(&["login", &url, "--name", "fleet", "--token-file", "key"]);
    assert!(login.status.success(), "{login:?}");
    let list = json!({ "action": "list" });

    let mut killed = Agent::start(&client);
    let kept = handle(&killed.ok("tabs", list.clone()));
    drop(killed);
    // That of another server is not its own.
    let mut guest = Agent::start(&client);
    guest.ok("tabs", json!({ "action": "list", "session": kept }));
    guest.end();
    Agent::start(&client).end();
    let closes = |call: &String| call.ends_with("session close");
    assert!(!pod.calls().iter().any(closes), "{:?}", pod.calls());

    let mut agent = Agent::start(&client);
    let own = handle(&agent.ok("tabs", list));
    agent.end();
    assert_eq!(pod.calls().last(), Some(&format!("{own} session close")));
    eventually(|| (world.replicas[1].gateway.session_count() == 1).then_some(())).await;
    let listed = world.call(0, "acme", &kept, "snapshot").await;
    assert_eq!(listed.reason(), "ok", "{listed:?}");
}

#[tokio::test]
async fn a_call_that_names_its_scopes_has_no_others() {
    let world = World::new(10).await;
    let _pod = world.add_pod().await;
    assert_eq!(world.call(0, "acme", "work", "goto").await.reason(), "ok");
    let scopes = [("browse-scopes", "read")];
    let call = |command| world.call_with(0, "acme", "work", command, &scopes);
    for command in ["goto", "memory", "cookies", "session list", "session close"] {
        let refused = call(command).await;
        let found = (refused.status, refused.reason());
        assert_eq!(found, (StatusCode::FORBIDDEN, "SCOPE_DENIED"), "{command}");
    }
    let read = call("snapshot").await;
    let headers = read.body["headers"].to_string();
    assert!(headers.contains("browse-fleet-tenant"), "{read:?}");
    assert!(!headers.contains("browse-scopes"), "the pod decides by its token: {headers}");
    // Nobody gets more than the token of the caller has.
    let more = [("authorization", "Bearer narrow-key"), ("browse-scopes", "read,write")];
    let refused = world.call_with(0, "acme", "one", "goto", &more).await;
    assert_eq!(refused.reason(), "SCOPE_DENIED");
    for wrong in ["", "root", "*"] {
        let answer =
            world.call_with(0, "acme", "work", "snapshot", &[("browse-scopes", wrong)]).await;
        assert_eq!(answer.reason(), "REQUEST_INVALID", "{wrong:?}");
    }
}

#[tokio::test]
async fn a_caller_that_is_held_to_a_session_reaches_no_other_pod() {
    let world = World::new(10).await;
    let pod = world.add_pod().await;
    let scopes = [("browse-scopes", "read")];
    assert_eq!(world.call_with(0, "acme", "work", "snapshot", &scopes).await.reason(), "ok");
    let granted = pod.grants().len();
    for (session, command) in [("s1", "status"), ("s2", "whoami")] {
        let refused = world.call_with(0, "acme", session, command, &scopes).await;
        assert_eq!(refused.reason(), "SESSION_NOT_FOUND", "{session} {command}");
    }
    assert_eq!(pod.grants().len(), granted, "nobody asks for tokens of names");
    // By another replica, too, which may hear of the session just then.
    let own = world.call_with(1, "acme", "work", "status", &scopes).await;
    assert_eq!((own.reason(), own.pod()), ("ok", pod.uid()), "{own:?}");
    assert_eq!(world.call(0, "acme", "s1", "status").await.reason(), "ok", "it is held to none");
}
