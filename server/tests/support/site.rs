//! A web site on loopback. `127.0.0.1` and `localhost` are two sites to a
//! browser, so one server makes cross-site pages.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use tokio::io::{AsyncBufReadExt, AsyncReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What a path answers.
#[derive(Clone)]
pub enum Route {
    /// 200 with HTML.
    Html(String),
    /// Any status, headers (each `Name: value`) and body.
    Raw(u16, Vec<String>, Vec<u8>),
    /// 302.
    Redirect(String),
    /// Takes the request and never answers.
    Hang,
}

/// The lines of each request's head.
type Heads = Arc<Mutex<Vec<Vec<String>>>>;

/// The body of each request.
type Bodies = Arc<Mutex<Vec<Vec<u8>>>>;

/// A running site; it ends when dropped.
pub struct Site {
    port: u16,
    routes: Arc<Mutex<HashMap<String, Route>>>,
    hits: Arc<watch::Sender<Vec<String>>>,
    heads: Heads,
    bodies: Bodies,
    task: tokio::task::JoinHandle<()>,
}

impl Site {
    pub async fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let port = listener.local_addr().unwrap().port();
        let routes = Arc::new(Mutex::new(HashMap::new()));
        let hits = Arc::new(watch::Sender::new(Vec::new()));
        let (heads, bodies) = (Heads::default(), Bodies::default());
        let (served, seen) = (Arc::clone(&routes), Arc::clone(&hits));
        let kept = (Arc::clone(&heads), Arc::clone(&bodies));
        let task = tokio::spawn(async move {
            // Open connections end with the site.
            let mut connections = tokio::task::JoinSet::new();
            while let Ok((stream, _)) = listener.accept().await {
                let kept = kept.clone();
                connections.spawn(answer(stream, Arc::clone(&served), Arc::clone(&seen), kept));
            }
        });
        Self { port, routes, hits, heads, bodies, task }
    }

    /// Answers something else at a path from now on.
    pub fn set(&self, path: &str, route: Route) {
        self.routes.lock().unwrap().insert(path.to_owned(), route);
    }

    /// Adds an HTML page. `{port}` in it becomes the site's port.
    pub fn page(self, path: &str, html: &str) -> Self {
        let html = html.replace("{port}", &self.port.to_string());
        self.route(path, Route::Html(html))
    }

    pub fn route(self, path: &str, route: Route) -> Self {
        self.set(path, route);
        self
    }

    pub fn redirect(self, path: &str, to: &str) -> Self {
        let to = to.replace("{port}", &self.port.to_string());
        self.route(path, Route::Redirect(to))
    }

    pub fn hang(self, path: &str) -> Self {
        self.route(path, Route::Hang)
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    pub fn url(&self, path: &str) -> String {
        self.url_on("127.0.0.1", path)
    }

    /// The same page under another host name.
    pub fn url_on(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port)
    }

    /// Each request so far as `METHOD host path`.
    pub fn hits(&self) -> Vec<String> {
        self.hits.borrow().clone()
    }

    /// The head of each request so far, a line each.
    pub fn heads(&self) -> Vec<Vec<String>> {
        self.heads.lock().unwrap().clone()
    }

    /// The body of each request so far.
    pub fn bodies(&self) -> Vec<Vec<u8>> {
        self.bodies.lock().unwrap().clone()
    }

    /// Waits until a request for this path has come in.
    pub async fn wait_hit(&self, path: &str) {
        let mut hits = self.hits.subscribe();
        let suffix = format!(" {path}");
        hits.wait_for(|hits| hits.iter().any(|hit| hit.ends_with(&suffix))).await.unwrap();
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn answer(
    stream: TcpStream,
    routes: Arc<Mutex<HashMap<String, Route>>>,
    hits: Arc<watch::Sender<Vec<String>>>,
    (heads, bodies): (Heads, Bodies),
) {
    let mut stream = BufReader::new(stream);
    loop {
        let mut head = Vec::new();
        loop {
            let mut line = String::new();
            match stream.read_line(&mut line).await {
                Ok(0) | Err(_) => return,
                Ok(_) if line == "\r\n" => break,
                Ok(_) => head.push(line.trim_end().to_owned()),
            }
        }
        let header = |name: &str| {
            head.iter()
                .filter_map(|line| line.split_once(": "))
                .find(|(known, _)| known.eq_ignore_ascii_case(name))
                .map(|(_, value)| value.to_owned())
        };
        let mut words = head[0].split(' ');
        let (method, path) = (words.next().unwrap(), words.next().unwrap());
        let path = path.split('?').next().unwrap().to_owned();
        let length: usize = header("content-length").and_then(|n| n.parse().ok()).unwrap_or(0);
        let mut body = vec![0; length];
        if stream.read_exact(&mut body).await.is_err() {
            return;
        }
        let host = header("host").unwrap_or_default();
        bodies.lock().unwrap().push(body);
        hits.send_modify(|hits| hits.push(format!("{method} {host} {path}")));
        heads.lock().unwrap().push(head.clone());
        let route = routes.lock().unwrap().get(&path).cloned();
        let (status, headers, body) = match route {
            Some(Route::Html(html)) => {
                let kind = "Content-Type: text/html; charset=utf-8".to_owned();
                (200, vec![kind], html.into_bytes())
            }
            Some(Route::Raw(status, headers, body)) => (status, headers, body),
            Some(Route::Redirect(to)) => (302, vec![format!("Location: {to}")], Vec::new()),
            Some(Route::Hang) => std::future::pending().await,
            None => (404, vec!["Content-Type: text/plain".to_owned()], b"nothing here".to_vec()),
        };
        let mut answer = format!("HTTP/1.1 {status} Status\r\nContent-Length: {}\r\n", body.len());
        for header in headers {
            answer.push_str(&header);
            answer.push_str("\r\n");
        }
        answer.push_str("\r\n");
        let mut bytes = answer.into_bytes();
        bytes.extend_from_slice(&body);
        if stream.write_all(&bytes).await.is_err() {
            return;
        }
    }
}
