//! A web server that remembers what it was sent.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    sync::{Arc, Mutex},
    thread,
};

/// A server of pages, until the test process ends.
pub struct Server {
    port: u16,
    received: Received,
}

/// Host, target and body of each request.
type Received = Arc<Mutex<Vec<(String, String)>>>;

impl Server {
    /// Serves `pages` by path, on every host; `PORT` in them is its port.
    ///
    /// `/redirect?<address>` redirects. `/go?<text>` has a script that sends the text to
    /// `localhost`, again and again.
    pub fn start(pages: &[(String, String)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("a bound listener").port();
        let own = |(path, body): &(String, String)| {
            (path.clone(), body.replace("PORT", &port.to_string()))
        };
        let pages: Arc<HashMap<String, String>> = Arc::new(pages.iter().map(own).collect());
        let received = Received::default();
        let server = Self { port, received: Arc::clone(&received) };
        let second = TcpListener::bind(("127.0.0.2", port)).expect("the same port");
        for listener in [listener, second] {
            let (pages, received) = (Arc::clone(&pages), Arc::clone(&received));
            thread::spawn(move || {
                for stream in listener.incoming().flatten() {
                    let (pages, received) = (Arc::clone(&pages), Arc::clone(&received));
                    thread::spawn(move || answer(&stream, &pages, &received));
                }
            });
        }
        server
    }

    pub fn port(&self) -> u16 {
        self.port
    }

    /// An address on one of its hosts.
    pub fn url(&self, host: &str, path: &str) -> String {
        format!("http://{host}:{}{path}", self.port)
    }

    /// What it received since the last call, for hosts that end with `host`.
    pub fn take(&self, host: &str) -> Vec<String> {
        let all = std::mem::take(&mut *self.received.lock().expect("nobody panicked"));
        let of = all.into_iter().filter(|(asked, _)| asked.ends_with(host));
        of.map(|(asked, sent)| format!("{asked} {sent}")).collect()
    }
}

fn answer(stream: &TcpStream, pages: &HashMap<String, String>, received: &Received) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut stream = stream.try_clone().ok()?;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let target = line.split(' ').nth(1)?.to_owned();
        let (mut host, mut length) = (String::new(), 0);
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok().filter(|read| *read > 0)?;
            let Some((name, value)) = header.trim().split_once(": ") else { break };
            match name.to_ascii_lowercase().as_str() {
                "host" => host = value.split(':').next().unwrap_or_default().to_owned(),
                "content-length" => length = value.parse().ok()?,
                _ => {}
            }
        }
        let mut body = vec![0; length];
        reader.read_exact(&mut body).ok()?;
        let body = String::from_utf8_lossy(&body).into_owned();
        received.lock().ok()?.push((host, format!("{target} {body}")));
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let led = query.strip_prefix("q=").unwrap_or(query);
        let sent = body.strip_prefix("q=").unwrap_or(&body);
        let (status, extra, page) = match path {
            "/redirect" => ("302 Found", format!("Location: {query}\r\n"), String::new()),
            // The server redirects with what its own form sent.
            "/lead" => {
                let to = format!("http://localhost:PORT/c?d={led}{sent}");
                ("302 Found", format!("Location: {to}\r\n"), String::new())
            }
            "/go" => {
                let port = stream.local_addr().ok()?.port();
                let script = format!(
                    "<script>const go = () => {{ location.href = 'http://localhost:{port}/c?d=' + \
                     location.search.slice(1) }}; go(); setInterval(go, 50)</script>"
                );
                ("200 OK", String::new(), script)
            }
            _ => match pages.get(path) {
                Some(page) => ("200 OK", String::new(), page.clone()),
                None => ("200 OK", String::new(), "<title>thanks</title>thanks".to_owned()),
            },
        };
        let port = stream.local_addr().ok()?.port().to_string();
        let extra = extra.replace("PORT", &port);
        let length = page.len();
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\nContent-Length: {length}\r\n{extra}\r\n{page}"
        )
        .ok()?;
    }
}
