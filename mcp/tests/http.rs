//! The server over HTTP: who may call it, and what it answers.

use std::{
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::TcpStream,
    process::{Child, Command, Stdio},
};

use serde_json::{Value, json};

const TOKEN: &str = "a-token-of-the-test";

struct Server {
    child: Child,
    authority: String,
    _home: tempfile::TempDir,
}

impl Server {
    fn start() -> Self {
        let home = tempfile::tempdir().expect("a folder");
        let mut command = Command::new(env!("CARGO_BIN_EXE_browse-mcp"));
        command.arg("--http").env_clear().env("BROWSE_MCP_TOKEN", TOKEN);
        command.env("HOME", home.path()).env("BROWSE_PROJECT", home.path());
        command.env("BROWSE_DAEMON", "/nowhere/browsed").current_dir(home.path());
        command.stdin(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().expect("it starts");
        let mut line = String::new();
        let mut output = BufReader::new(child.stderr.take().expect("a pipe"));
        output.read_line(&mut line).expect("its address");
        let authority =
            line.trim().strip_prefix("http://").and_then(|rest| rest.strip_suffix("/mcp"));
        Self { authority: authority.expect("an address").to_owned(), child, _home: home }
    }

    /// The status and the body of the answer to a request with these headers.
    fn post(&self, path: &str, headers: &[(&str, &str)], body: &str) -> (u16, String) {
        let mut stream = TcpStream::connect(&self.authority).expect("it listens");
        let mut request = format!("POST {path} HTTP/1.1\r\nconnection: close\r\n");
        let length = body.len().to_string();
        let fixed = [
            ("content-type", "application/json"),
            ("accept", "application/json, text/event-stream"),
            ("content-length", &length),
        ];
        for (name, value) in fixed.iter().chain(headers) {
            request.push_str(&format!("{name}: {value}\r\n"));
        }
        if !headers.iter().any(|(name, _)| *name == "host") {
            request.push_str(&format!("host: {}\r\n", self.authority));
        }
        request.push_str("\r\n");
        // A request that is refused early may not be read to its end.
        let _ =
            stream.write_all(request.as_bytes()).and_then(|()| stream.write_all(body.as_bytes()));
        let mut answer = String::new();
        let _ = stream.read_to_string(&mut answer);
        let status = answer.split_whitespace().nth(1).and_then(|code| code.parse().ok());
        let body = answer.split_once("\r\n\r\n").map(|(_, body)| body.to_owned());
        (status.unwrap_or_default(), body.unwrap_or_default())
    }

    fn request(&self, headers: &[(&str, &str)], method: &str, params: Value) -> (u16, String) {
        let message = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
        let bearer = format!("Bearer {TOKEN}");
        let headers = [&[("authorization", bearer.as_str())], headers].concat();
        self.post("/mcp", &headers, &message.to_string())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn only_who_shows_the_token_is_answered() {
    let server = Server::start();
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    assert_eq!(server.post("/mcp", &[], ping).0, 401);
    assert_eq!(server.post("/mcp", &[("authorization", "Bearer wrong")], ping).0, 401);
    let bearer = format!("Bearer {TOKEN}");
    assert_eq!(server.post("/", &[("authorization", &bearer)], ping).0, 404);
    let (status, body) =
        server.request(&[("mcp-protocol-version", "2025-11-25")], "tools/list", json!({}));
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("\"snapshot\""), "{body}");
}

#[test]
fn a_page_gets_nothing() {
    let server = Server::start();
    let version = ("mcp-protocol-version", "2025-11-25");
    for origin in ["http://evil.example", "null", &format!("http://{}", server.authority)] {
        let (status, body) =
            server.request(&[version, ("origin", origin)], "tools/list", json!({}));
        assert_eq!(status, 403, "{origin}: {body}");
    }
    // A name that was made to lead here.
    let (status, body) =
        server.request(&[version, ("host", "evil.example")], "tools/list", json!({}));
    assert_eq!(status, 403, "{body}");
}

#[test]
fn protocols_with_and_without_a_handshake_are_served() {
    let server = Server::start();
    for version in ["2025-06-18", "2025-11-25"] {
        let client = json!({"name": "test", "version": "1"});
        let params = json!({"protocolVersion": version, "capabilities": {}, "clientInfo": client});
        let (status, body) = server.request(&[], "initialize", params);
        assert_eq!(status, 200, "{body}");
        assert!(body.contains(version), "{body}");
    }
    let meta = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientInfo": {"name": "test", "version": "1"},
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    let headers = [("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/list")];
    let (status, body) = server.request(&headers, "tools/list", json!({ "_meta": meta }));
    assert_eq!(status, 200, "{body}");
    assert!(body.contains("\"snapshot\""), "{body}");
}

#[test]
fn a_body_over_the_limit_is_refused_whether_announced_or_not() {
    let server = Server::start();
    let mut stream = TcpStream::connect(&server.authority).expect("it listens");
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: {}\r\nauthorization: Bearer {TOKEN}\r\n\
         transfer-encoding: chunked\r\nconnection: close\r\n\r\n",
        server.authority
    );
    stream.write_all(head.as_bytes()).expect("it reads");
    let chunk = vec![b'x'; 1 << 20];
    for _ in 0..20 {
        let sent = stream
            .write_all(b"100000\r\n")
            .and_then(|()| stream.write_all(&chunk))
            .and_then(|()| stream.write_all(b"\r\n"));
        if sent.is_err() {
            break;
        }
    }
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let answer = String::from_utf8_lossy(&answer);
    assert!(answer.is_empty() || answer.starts_with("HTTP/1.1 413"), "{answer}");
    let version = [("mcp-protocol-version", "2025-11-25")];
    assert_eq!(server.request(&version, "tools/list", json!({})).0, 200);
}

#[test]
fn nonsense_is_refused_and_the_server_goes_on() {
    let server = Server::start();
    let bearer = format!("Bearer {TOKEN}");
    let headers = [("authorization", bearer.as_str()), ("mcp-protocol-version", "2025-11-25")];
    for body in ["", "{nonsense", "[]", "3"] {
        let (status, answer) = server.post("/mcp", &headers, body);
        assert!((400..500).contains(&status), "{body}: {status} {answer}");
    }
    let large = format!(
        r#"{{"jsonrpc":"2.0","id":1,"method":"ping","params":{{"x":"{}"}}}}"#,
        "x".repeat(17 << 20)
    );
    let (status, _) = server.post("/mcp", &headers, &large);
    assert!(status == 413 || status == 0, "{status}");
    let version = [("mcp-protocol-version", "2025-11-25")];
    assert_eq!(server.request(&version, "tools/list", json!({})).0, 200);
}
