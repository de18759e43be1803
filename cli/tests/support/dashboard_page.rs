//! The page of a dashboard, as it calls its listener.

use std::{
    io::{self, Read as _, Write as _},
    net::TcpStream,
    time::Duration,
};

use serde_json::{Value, json};

/// What takes longer does not come.
pub const LIMIT: Duration = Duration::from_secs(15);

/// An open dashboard, as its page has it.
pub struct Dashboard {
    pub port: u16,
    pub token: String,
}

/// The port and the code of a link.
pub fn parts(link: &str) -> (u16, &str) {
    let rest = link.trim().strip_prefix("http://127.0.0.1:").expect("a link");
    let (port, code) = rest.split_once("/#code=").expect("a code in the fragment");
    (port.parse().expect("a port"), code)
}

/// Sends one request; answers its status and everything after the head.
pub fn request(port: u16, head: &str, body: &str) -> (u16, String) {
    try_request(port, head, body).expect("an answer")
}

fn try_request(port: u16, head: &str, body: &str) -> io::Result<(u16, String)> {
    let mut stream = try_send(port, head, body)?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    // Messages of a stream have a head of bytes.
    let text = String::from_utf8_lossy(&bytes);
    let status = text.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or_default();
    let (head, body) = text.split_once("\r\n\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    Ok((status, format!("{head}\r\n\r\n{body}")))
}

fn send(port: u16, head: &str, body: &str) -> TcpStream {
    try_send(port, head, body).expect("it listens")
}

fn try_send(port: u16, head: &str, body: &str) -> io::Result<TcpStream> {
    let mut stream = TcpStream::connect(("127.0.0.1", port))?;
    stream.set_read_timeout(Some(LIMIT))?;
    let length = body.len();
    write!(stream, "{head}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n{body}")?;
    Ok(stream)
}

/// The head of a request that the page itself sends.
pub fn own_head(port: u16, path: &str) -> String {
    format!(
        "POST {path} HTTP/1.1\r\nhost: 127.0.0.1:{port}\r\norigin: http://127.0.0.1:{port}\r\n\
         content-type: application/json"
    )
}

impl Dashboard {
    /// Opens a link.
    pub fn enter(link: &str) -> Self {
        let (port, code) = parts(link);
        let body = json!({ "code": code }).to_string();
        let (status, answer) = request(port, &own_head(port, "/redeem"), &body);
        assert_eq!(status, 200, "{answer}");
        let json = &answer[answer.find("\r\n\r\n").expect("a head") + 4..];
        let answer: Value = serde_json::from_str(json).expect("JSON");
        Self { port, token: answer["token"].as_str().expect("a token").to_owned() }
    }

    /// Calls a method; answers its result, or the reason of its failure.
    pub fn call(&self, method: &str, body: &Value) -> Result<Value, String> {
        self.try_call(method, body).expect("an answer")
    }

    /// The same; an error of the connection is its own.
    pub fn try_call(&self, method: &str, body: &Value) -> io::Result<Result<Value, String>> {
        let head = format!(
            "{}\r\nauthorization: Bearer {}",
            own_head(self.port, &format!("/browse.v1.{method}")),
            self.token
        );
        let (status, answer) = try_request(self.port, &head, &body.to_string())?;
        let json = &answer[answer.find("\r\n\r\n").expect("a head") + 4..];
        let answer: Value = serde_json::from_str(json).unwrap_or_default();
        Ok(match status {
            200 => Ok(answer),
            _ => Err(answer["details"][0]["debug"]["reason"].as_str().unwrap_or("?").to_owned()),
        })
    }

    /// The same page with another token.
    pub fn with_token(&self, token: &str) -> Self {
        Self { port: self.port, token: token.to_owned() }
    }

    /// Takes the session `default`; answers the lease.
    pub fn take(&self) -> Result<String, String> {
        let body = json!({ "session": "default", "reason": "sign in" });
        let taken = self.call("DashboardService/TakeControl", &body)?;
        Ok(taken["lease"].as_str().expect("a lease").to_owned())
    }

    pub fn input(&self, lease: &str, events: &Value) {
        let body = json!({ "lease": lease, "tab": "1", "events": events });
        self.call("DashboardService/SendInput", &body).expect("it is held");
    }

    /// Calls a method whose answer is a stream of messages.
    pub fn follow(&self, method: &str, body: &Value) -> TcpStream {
        let body = body.to_string();
        let length = u32::try_from(body.len()).expect("short").to_be_bytes();
        let head = format!(
            "{}\r\nauthorization: Bearer {}",
            own_head(self.port, &format!("/browse.v1.{method}"))
                .replace("application/json", "application/connect+json"),
            self.token
        );
        let enveloped = [&[0][..], &length, body.as_bytes()].concat();
        let text = String::from_utf8(enveloped).expect("ASCII");
        send(self.port, &head, &text)
    }

    /// Reads messages of a view until one has `state`.
    pub fn view(&self, state: &str) -> String {
        let mut stream = self.follow("DashboardService/ViewTabs", &json!({ "tabs": ["1"] }));
        let (mut seen, mut buffer) = (String::new(), [0; 65536]);
        while !seen.contains(&format!("\"state\":\"{state}\"")) {
            let count = stream.read(&mut buffer).expect("more comes");
            assert_ne!(count, 0, "it ended: {seen}");
            seen.push_str(&String::from_utf8_lossy(&buffer[..count]));
        }
        seen
    }

    /// The first message of the overview.
    pub fn view_overview(&self) -> String {
        let head = format!(
            "{}\r\nauthorization: Bearer {}",
            own_head(self.port, "/browse.v1.DashboardService/Overview")
                .replace("application/json", "application/connect+json"),
            self.token
        );
        request(self.port, &head, "\0\0\0\0\u{2}{}").1
    }
}

/// A page with a field and a button, which changes the title.
pub const FORM: &str = "<title>Sign in</title><input id=q autofocus style='position:fixed;left:0;\
    top:0;width:200px;height:40px'><button onclick='document.title=\"sent\"' style='position:fixed;\
    left:0;top:60px;width:200px;height:40px'>Send</button>";
