//! The protocol of the server, where no daemon is needed.

use std::{
    io::{BufRead as _, BufReader, Write as _},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
};

use serde_json::{Value, json};

/// A server and the pipes to it.
struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    home: tempfile::TempDir,
}

impl Server {
    fn start(args: &[&str]) -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_browse-mcp"));
        command.args(args).env_clear().env("HOME", home.path()).env("BROWSE_HOME", home.path());
        command.env("BROWSE_PROJECT", home.path()).env("BROWSE_DAEMON", "/nowhere/browsed");
        command.current_dir(home.path()).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut child = command.stderr(Stdio::null()).spawn().expect("it starts");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, input, output, home }
    }

    fn send(&mut self, message: &str) {
        writeln!(self.input, "{message}").expect("it reads");
    }

    fn receive(&mut self) -> Value {
        let mut line = String::new();
        self.output.read_line(&mut line).expect("it answers");
        serde_json::from_str(&line).unwrap_or_else(|error| panic!("{error}: {line:?}"))
    }

    fn request(&mut self, method: &str, params: Value) -> Value {
        self.send(
            &json!({"jsonrpc": "2.0", "id": 7, "method": method, "params": params}).to_string(),
        );
        self.receive()
    }

    fn initialize(&mut self, version: &str) -> Value {
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
        let answer = self.request("initialize", params);
        self.send(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        answer
    }

    fn call(&mut self, tool: &str, arguments: Value) -> Value {
        self.request("tools/call", json!({"name": tool, "arguments": arguments}))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        assert!(!self.home.path().join(".browse/daemon.json").exists());
    }
}

fn text(answer: &Value) -> &str {
    answer["result"]["content"][0]["text"].as_str().unwrap_or_else(|| panic!("{answer}"))
}

#[test]
fn a_handshake_agrees_on_the_protocol_of_the_client() {
    for version in ["2025-06-18", "2025-11-25"] {
        let answer = Server::start(&[]).initialize(version);
        assert_eq!(answer["result"]["protocolVersion"], version, "{answer}");
        assert_eq!(answer["result"]["serverInfo"]["name"], "browse");
    }
    // One that nobody knows gets the latest that has a handshake.
    let answer = Server::start(&[]).initialize("1999-01-01");
    assert_eq!(answer["result"]["protocolVersion"], "2025-11-25", "{answer}");
}

#[test]
fn requests_without_a_handshake_are_served() {
    let mut server = Server::start(&[]);
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let answer = server.request("server/discover", json!({"_meta": meta}));
    let versions = answer["result"]["supportedVersions"].to_string();
    assert!(versions.contains("2026-07-28"), "{answer}");
    let answer = server.request("tools/list", json!({"_meta": meta}));
    assert_eq!(answer["result"]["tools"].as_array().map(Vec::len), Some(10), "{answer}");
    let call = json!({"_meta": meta, "name": "help", "arguments": {"command": "click"}});
    assert!(text(&server.request("tools/call", call)).starts_with("browse click <target>"));
}

#[test]
fn options_choose_the_tools() {
    let names = |args: &[&str]| {
        let mut server = Server::start(args);
        server.initialize("2025-11-25");
        let answer = server.request("tools/list", json!({}));
        let tools = answer["result"]["tools"].as_array().expect("a list").clone();
        tools
            .iter()
            .map(|tool| tool["name"].as_str().unwrap_or_default().to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(names(&["--tools", "open,act"]), ["open", "act"]);
    assert_eq!(names(&["--read-only"]), ["snapshot", "read", "screenshot", "tabs", "help", "run"]);
}

#[test]
fn bad_input_gets_an_error_and_the_server_goes_on() {
    let mut server = Server::start(&[]);
    server.initialize("2025-11-25");
    let answer = server.call("nope", json!({}));
    assert_eq!(answer["result"]["isError"], true, "{answer}");
    assert!(text(&answer).contains("the tools are") || text(&answer).contains("The tools are"));
    for (tool, arguments) in [
        ("open", json!({})),
        ("open", json!({"url": 3})),
        ("open", json!({"url": "a.example", "surprise": 1})),
        ("act", json!({"steps": "click"})),
        ("act", json!({"steps": [["clik", "@e1"]]})),
        ("run", json!({"command": ["stop"]})),
        ("help", json!({"command": "nonsense"})),
    ] {
        let answer = server.call(tool, arguments.clone());
        assert_eq!(answer["result"]["isError"], true, "{tool} {arguments}: {answer}");
        assert!(text(&answer).contains("hint: "), "{answer}");
    }
    let answer = server.request("tools/surprise", json!({}));
    assert_eq!(answer["error"]["code"], -32601, "{answer}");
    let large = "x".repeat(10 << 20);
    assert_eq!(server.call("help", json!({"command": large}))["result"]["isError"], true);
    // A daemon that cannot be started is an error of the tool.
    let answer = server.call("open", json!({"url": "a.example"}));
    assert!(text(&answer).contains("DAEMON_LAUNCH_FAILED"), "{answer}");
    assert!(text(&server.call("help", json!({}))).contains("browse"));
}

#[test]
fn a_line_that_is_no_message_does_not_end_the_server() {
    let mut server = Server::start(&[]);
    server.initialize("2025-11-25");
    server.send("{nonsense");
    server.send(r#"{"jsonrpc":"2.0","id":8,"method":"ping"}"#);
    // The parse error, where one is sent, and then the answer.
    let answers = [server.receive()];
    let is_pong = |answer: &Value| answer["id"] == 8 && answer["result"].is_object();
    assert!(answers.iter().any(is_pong) || is_pong(&server.receive()), "{answers:?}");
}

#[test]
fn prompts_and_guides_can_be_read() {
    let mut server = Server::start(&[]);
    server.initialize("2025-11-25");
    let answer = server
        .request("prompts/get", json!({"name": "scrape", "arguments": {"task": "read a.example"}}));
    let text = answer["result"]["messages"][0]["content"]["text"].as_str().unwrap_or_default();
    assert!(text.ends_with("The task: read a.example\n"), "{answer}");
    assert!(server.request("prompts/get", json!({"name": "nope"}))["error"].is_object());
    let answer = server.request("resources/read", json!({"uri": "browse://guide/overview"}));
    assert!(answer["result"]["contents"][0]["text"].is_string(), "{answer}");
    assert!(
        server.request("resources/read", json!({"uri": "file:///etc/passwd"}))["error"].is_object()
    );
}
