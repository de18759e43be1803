//! An HTTP server on a loopback address, with responses that a test sets and counts.

use std::{
    collections::HashMap,
    io::{BufRead as _, BufReader, Write as _},
    net::{SocketAddr, TcpListener, TcpStream},
    sync::Arc,
    thread,
};

use browse_base::Lock;

/// The server. It ends with the tests.
pub struct TestServer {
    address: SocketAddr,
    pages: Arc<Lock<Pages>>,
}

#[derive(Default)]
struct Pages {
    /// Status with further headers, and body, by path.
    responses: HashMap<String, (String, String)>,
    counts: HashMap<String, usize>,
}

impl TestServer {
    /// Serves nothing yet.
    pub fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = listener.local_addr().expect("an address");
        let pages = Arc::new(Lock::new(Pages::default()));
        let served = Arc::clone(&pages);
        thread::spawn(move || {
            for stream in listener.incoming() {
                // A client may close at any time.
                let _ = stream.and_then(|stream| serve(stream, &served));
            }
        });
        Self { address, pages }
    }

    /// Its address, as an issuer.
    pub fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Serves a body.
    pub fn set(&self, path: &str, body: &str) {
        self.set_response(path, "200 OK", body);
    }

    /// Serves a response; `head` is the status, with headers on further lines.
    pub fn set_response(&self, path: &str, head: &str, body: &str) {
        let response = (head.to_owned(), body.to_owned());
        self.pages.lock().responses.insert(path.to_owned(), response);
    }

    /// How often a path was requested.
    pub fn count(&self, path: &str) -> usize {
        self.pages.lock().counts.get(path).copied().unwrap_or(0)
    }
}

fn serve(mut stream: TcpStream, pages: &Lock<Pages>) -> std::io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    let first = lines.next().transpose()?.unwrap_or_default();
    for line in lines {
        if line?.is_empty() {
            break;
        }
    }
    let path = first.split(' ').nth(1).unwrap_or_default();
    let (head, body) = {
        let mut pages = pages.lock();
        *pages.counts.entry(path.to_owned()).or_default() += 1;
        let none = || ("404 Not Found".to_owned(), String::new());
        pages.responses.get(path).cloned().unwrap_or_else(none)
    };
    let length = body.len();
    write!(stream, "HTTP/1.1 {head}\r\ncontent-length: {length}\r\nconnection: close\r\n\r\n{body}")
}
