//! An issuer of OpenID Connect that is played by the test: its discovery document and the two
//! endpoints of the device flow.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Read as _, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
    time::Instant,
};

use serde_json::{Value, json};

/// The fields of a request.
pub type Form = HashMap<String, String>;

/// Answers a request for a token: a status and a document.
type TokenAnswer = Box<dyn FnMut(&Form) -> (u16, Value) + Send>;

/// The issuer. It ends with the tests.
pub struct PlayedIssuer {
    address: SocketAddr,
    state: Arc<Mutex<State>>,
}

struct State {
    /// What is answered in place of the usual, by path: a status and a body.
    documents: HashMap<String, (u16, String)>,
    token_answer: TokenAnswer,
    /// The forms that came, each with its path and its time.
    forms: Vec<(String, Form, Instant)>,
}

impl PlayedIssuer {
    /// One that answers requests for a token so.
    pub fn start(token_answer: impl FnMut(&Form) -> (u16, Value) + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let state = Arc::new(Mutex::new(State {
            documents: HashMap::new(),
            token_answer: Box::new(token_answer),
            forms: Vec::new(),
        }));
        let served = Arc::clone(&state);
        thread::spawn(move || {
            for stream in listener.incoming() {
                // A client may close at any time.
                let _ = stream.and_then(|stream| serve(stream, address, &served));
            }
        });
        Self { address, state }
    }

    /// Its name, which is its address.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Answers requests for a token so from now on.
    pub fn answer_tokens(&self, answer: impl FnMut(&Form) -> (u16, Value) + Send + 'static) {
        self.state.lock().expect("no panic").token_answer = Box::new(answer);
    }

    /// Answers a path with this document from now on.
    pub fn set(&self, path: &str, status: u16, body: &str) {
        let document = (status, body.to_owned());
        self.state.lock().expect("no panic").documents.insert(path.to_owned(), document);
    }

    /// The forms that came to `path`, each with its time.
    pub fn forms(&self, path: &str) -> Vec<(Form, Instant)> {
        let state = self.state.lock().expect("no panic");
        let forms = state.forms.iter().filter(|(at, _, _)| at == path);
        forms.map(|(_, form, time)| (form.clone(), *time)).collect()
    }
}

fn serve(stream: TcpStream, address: SocketAddr, state: &Mutex<State>) -> std::io::Result<()> {
    let mut reader = BufReader::new(stream.try_clone()?);
    let mut first = String::new();
    reader.read_line(&mut first)?;
    let mut length = 0;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line)?;
        if line.trim().is_empty() {
            break;
        }
        if let Some((name, value)) = line.split_once(':')
            && name.eq_ignore_ascii_case("content-length")
        {
            length = value.trim().parse().unwrap_or(0);
        }
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    let path = first.split(' ').nth(1).unwrap_or_default();
    let form = decode_form(&String::from_utf8_lossy(&body));
    let (status, document) = answer(path, form, address, state);
    let length = document.len();
    let head = format!("HTTP/1.1 {status} X\r\ncontent-length: {length}\r\nconnection: close\r\n");
    let mut stream = stream;
    write!(stream, "{head}\r\n{document}")
}

fn answer(path: &str, form: Form, address: SocketAddr, state: &Mutex<State>) -> (u16, String) {
    let mut state = state.lock().expect("no panic");
    state.forms.push((path.to_owned(), form.clone(), Instant::now()));
    if let Some(document) = state.documents.get(path) {
        return document.clone();
    }
    let url = format!("http://{address}");
    let (status, document) = match path {
        "/.well-known/openid-configuration" => (
            200,
            json!({
                "issuer": url,
                "token_endpoint": format!("{url}/token"),
                "device_authorization_endpoint": format!("{url}/device"),
            }),
        ),
        "/device" => (
            200,
            json!({
                "device_code": "device-1",
                "user_code": "ABCD-EFGH",
                "verification_uri": format!("{url}/activate"),
                "expires_in": 600,
                "interval": 1,
            }),
        ),
        "/token" => (state.token_answer)(&form),
        _ => (404, json!({})),
    };
    (status, document.to_string())
}

fn decode_form(text: &str) -> Form {
    let pairs = text.split('&').filter_map(|pair| pair.split_once('='));
    pairs.map(|(name, value)| (name.to_owned(), decode(value))).collect()
}

fn decode(text: &str) -> String {
    let mut bytes = Vec::new();
    let mut rest = text.as_bytes();
    while let Some((first, tail)) = rest.split_first() {
        let hex = tail.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        match hex.and_then(|hex| u8::from_str_radix(hex, 16).ok()).filter(|_| *first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &tail[2..];
            }
            None => {
                bytes.push(*first);
                rest = tail;
            }
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}
