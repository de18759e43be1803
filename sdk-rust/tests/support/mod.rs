//! A daemon that answers as a test says.

use std::collections::BTreeMap;
use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpListener;
use std::os::unix::net::UnixListener;
use std::path::Path;
use std::sync::{Arc, Mutex};
use std::thread;

/// A call that came in.
#[derive(Clone, Debug)]
pub struct Call {
    pub path: String,
    pub headers: BTreeMap<String, String>,
    pub message: Vec<u8>,
    pub connection: usize,
}

/// What it answers with: messages, trailers, or nothing at all.
#[derive(Clone, Debug)]
pub enum Reply {
    Messages(Vec<Vec<u8>>),
    Trailers(String),
    /// A length instead of chunks, and an end of the connection.
    Plain(Vec<u8>),
    Broken,
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
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).unwrap_or(0) == 0 {
            return;
        }
        let path = line.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut headers = BTreeMap::new();
        loop {
            let mut line = String::new();
            reader.read_line(&mut line).expect("a head");
            let Some((name, value)) = line.trim().split_once(':') else { break };
            headers.insert(name.to_owned(), value.trim().to_owned());
        }
        let mut body = vec![0; headers["content-length"].parse().expect("a length")];
        reader.read_exact(&mut body).expect("a body");
        let call = Call { path, headers, message: body[5..].to_vec(), connection };
        calls.lock().expect("whole").push(call.clone());
        let (bytes, ends) = match reply(&call) {
            Reply::Silent => continue,
            Reply::Broken => {
                (b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n9\r\n\0\0".to_vec(), true)
            }
            Reply::Bytes(bytes) => (bytes.to_vec(), true),
            Reply::Plain(message) => {
                let body = [frame(0, &message), frame(0x80, b"grpc-status: 0\r\n")].concat();
                let head = format!(
                    "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: {}\r\n\r\n",
                    body.len()
                );
                ([head.into_bytes(), body].concat(), true)
            }
            Reply::Messages(messages) => (chunked(&messages, "grpc-status: 0\r\n"), false),
            Reply::Trailers(trailers) => (chunked(&[], &trailers), false),
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

fn chunked(messages: &[Vec<u8>], trailers: &str) -> Vec<u8> {
    let mut body: Vec<u8> = messages.iter().flat_map(|message| frame(0, message)).collect();
    body.extend(frame(0x80, trailers.as_bytes()));
    let mut out = b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n".to_vec();
    for piece in body.chunks(11) {
        out.extend(format!("{:x}\r\n", piece.len()).into_bytes());
        out.extend(piece);
        out.extend(b"\r\n");
    }
    out.extend(b"0\r\n\r\n");
    out
}

fn frame(flag: u8, message: &[u8]) -> Vec<u8> {
    let length = (message.len() as u32).to_be_bytes();
    [&[flag], &length[..], message].concat()
}

/// A field that has a length, written by the rules of protobuf and not by the
/// encoder under test.
pub fn field(number: u8, bytes: impl AsRef<[u8]>) -> Vec<u8> {
    let bytes = bytes.as_ref();
    assert!(bytes.len() < 128);
    [&[number << 3 | 2, bytes.len() as u8], bytes].concat()
}
