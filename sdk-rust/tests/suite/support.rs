//! A daemon that answers as a test says.

use std::collections::BTreeMap;
use std::io::{BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

use request::Request;

#[path = "../../src/remote/fleet/tests/request.rs"]
mod request;

/// A call that came in.
#[derive(Clone, Debug)]
pub struct Call {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    /// The JSON of its message.
    pub message: String,
    pub connection: usize,
}

/// What it answers with: messages or an error in JSON, or nothing at all.
#[derive(Clone, Debug)]
pub enum Reply {
    Messages(Vec<String>),
    Failure(String),
    /// A length instead of chunks, and an end of the connection.
    Plain(String),
    Broken,
    Endless,
    Silent,
    Bytes(&'static [u8]),
}

pub struct Fake {
    pub address: String,
    pub calls: Arc<Mutex<Vec<Call>>>,
}

type Answer = Arc<dyn Fn(&Call) -> Reply + Send + Sync>;

impl Fake {
    pub fn tcp(reply: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("bound").to_string();
        let (calls, reply): (Arc<Mutex<Vec<Call>>>, Answer) = (Arc::default(), Arc::new(reply));
        let seen = Arc::clone(&calls);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let (calls, reply) = (Arc::clone(&seen), Arc::clone(&reply));
                let reader = stream.try_clone().expect("cloned");
                thread::spawn(move || serve(reader, stream, number, &calls, &reply));
            }
        });
        Self { address, calls }
    }

    pub fn unix(path: &Path, reply: impl Fn(&Call) -> Reply + Send + Sync + 'static) -> Self {
        let listener = UnixListener::bind(path).expect("a socket");
        let (calls, reply): (Arc<Mutex<Vec<Call>>>, Answer) = (Arc::default(), Arc::new(reply));
        let seen = Arc::clone(&calls);
        thread::spawn(move || {
            for (number, stream) in listener.incoming().flatten().enumerate() {
                let reader = stream.try_clone().expect("cloned");
                serve(reader, stream, number, &seen, &reply);
            }
        });
        Self { address: format!("unix:{}", path.display()), calls }
    }

    pub fn seen(&self) -> Vec<Call> {
        self.calls.lock().expect("whole").clone()
    }
}

fn serve(
    reader: impl Read,
    mut writer: impl Write,
    connection: usize,
    calls: &Mutex<Vec<Call>>,
    reply: &Answer,
) {
    let mut reader = BufReader::new(reader);
    while let Some(Request { path, headers, body }) = Request::read(&mut reader) {
        let streams = headers["content-type"] == "application/connect+json";
        let message = body[if streams { 5 } else { 0 }..].to_vec();
        let message = String::from_utf8(message).expect("JSON");
        let call = Call { path, headers, message, connection };
        calls.lock().expect("whole").push(call.clone());
        let (bytes, ends) = match reply(&call) {
            Reply::Silent => continue,
            Reply::Broken => (head(200, true, "9\r\n\0\0"), true),
            Reply::Endless => (head(200, true, "9\r\n\0\u{7f}\u{7f}\u{7f}\u{7f}1234\r\n"), true),
            Reply::Bytes(bytes) => (bytes.to_vec(), true),
            Reply::Plain(message) => {
                let head = format!(
                    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{message}",
                    message.len()
                );
                (head.into_bytes(), true)
            }
            Reply::Messages(messages) if streams => (stream(&messages, "{\"metadata\":{}}"), false),
            Reply::Failure(error) if streams => {
                (stream(&[], &format!("{{\"error\":{error}}}")), false)
            }
            Reply::Messages(messages) => {
                let message = messages.first().map_or("{}", String::as_str);
                (chunked(200, false, message.as_bytes()), false)
            }
            Reply::Failure(error) => (chunked(400, false, error.as_bytes()), false),
        };
        // In odd pieces, as a network may cut them.
        for piece in bytes.chunks(7) {
            if writer.write_all(piece).is_err() {
                return;
            }
        }
        if ends {
            return;
        }
    }
}

fn head(status: u16, streams: bool, rest: &str) -> Vec<u8> {
    let kind = if streams { "application/connect+json" } else { "application/json" };
    format!(
        "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nTransfer-Encoding: chunked\r\n\r\n{rest}"
    )
    .into_bytes()
}

fn chunked(status: u16, streams: bool, body: &[u8]) -> Vec<u8> {
    let mut out = head(status, streams, "");
    for piece in body.chunks(11) {
        out.extend(format!("{:x}\r\n", piece.len()).into_bytes());
        out.extend(piece);
        out.extend(b"\r\n");
    }
    out.extend(b"0\r\n\r\n");
    out
}

fn stream(messages: &[String], end: &str) -> Vec<u8> {
    let mut body: Vec<u8> = messages.iter().flat_map(|message| frame(0, message)).collect();
    body.extend(frame(2, end));
    chunked(200, true, &body)
}

fn frame(flag: u8, message: &str) -> Vec<u8> {
    let length = (message.len() as u32).to_be_bytes();
    [&[flag], &length[..], message.as_bytes()].concat()
}

/// An error as a daemon sends it.
pub fn failure(code: &str, message: &str, debug: &str) -> Reply {
    Reply::Failure(format!(
        r#"{{"code":"{code}","message":"{message}","details":[{{"type":"google.rpc.ErrorInfo","value":"","debug":{debug}}}]}}"#
    ))
}
