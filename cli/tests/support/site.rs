//! A tiny web server on loopback: pages by path, one that never answers, one
//! that redirects.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    sync::atomic::{AtomicBool, Ordering},
    thread,
    time::Duration,
};

/// Serves pages until the test process ends.
pub struct Site {
    port: u16,
}

impl Site {
    /// Serves `pages`, each under its path. `/hang` never answers,
    /// `/redirect?<url>` redirects, `/sign-in` gives a cookie that scripts do not
    /// see, and `/who` shows the cookies that it gets. `/file?<name>` is a file to
    /// save, `/slow` one that is half there until `/go-on` is asked for, and `/cut`
    /// one that breaks off.
    pub fn serve(pages: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("a bound listener").port();
        let own = |(path, body): &(&str, &str)| {
            ((*path).to_owned(), body.replace("PORT", &port.to_string()))
        };
        let pages: Arc<HashMap<_, _>> = Arc::new(pages.iter().map(own).collect());
        let goes_on = Arc::new(AtomicBool::new(false));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let (pages, goes_on) = (Arc::clone(&pages), Arc::clone(&goes_on));
                thread::spawn(move || answer(stream, &pages, &goes_on));
            }
        });
        Self { port }
    }

    /// Serves one page at `/`.
    pub fn page(body: &str) -> Self {
        Self::serve(&[("/", body)])
    }

    pub fn url(&self, path: &str) -> String {
        format!("http://127.0.0.1:{}{path}", self.port)
    }

    pub fn port(&self) -> u16 {
        self.port
    }
}

fn answer(stream: TcpStream, pages: &HashMap<String, String>, goes_on: &AtomicBool) -> Option<()> {
    let mut reader = BufReader::new(stream.try_clone().ok()?);
    let mut stream = stream;
    loop {
        let mut line = String::new();
        reader.read_line(&mut line).ok().filter(|read| *read > 0)?;
        let target = line.split(' ').nth(1)?.to_owned();
        let mut cookies = String::new();
        loop {
            let mut header = String::new();
            reader.read_line(&mut header).ok().filter(|read| *read > 0)?;
            if header.trim().is_empty() {
                break;
            }
            if let Some((name, value)) = header.split_once(": ")
                && name.eq_ignore_ascii_case("cookie")
            {
                cookies = value.trim().to_owned();
            }
        }
        let (path, query) = target.split_once('?').unwrap_or((&target, ""));
        let (status, extra, body) = match (path, pages.get(path)) {
            ("/hang", _) => loop {
                thread::park();
            },
            ("/file", _) => {
                let name = format!("Content-Disposition: attachment; filename=\"{query}\"\r\n");
                ("200 OK", name, "content")
            }
            ("/slow" | "/cut", _) => return part(stream, path == "/slow", goes_on),
            ("/go-on", _) => {
                goes_on.store(true, Ordering::Release);
                ("200 OK", String::new(), "on")
            }
            ("/redirect", _) => ("302 Found", format!("Location: {query}\r\n"), ""),
            ("/sign-in", _) => {
                let cookie = "Set-Cookie: sid=s3cret; HttpOnly\r\nLocation: /who\r\n";
                ("302 Found", cookie.to_owned(), "")
            }
            ("/who", _) => ("200 OK", String::new(), cookies.as_str()),
            ("/status/500", _) => {
                ("500 Internal Server Error", String::new(), "<title>broken</title>")
            }
            (_, Some(body)) => ("200 OK", String::new(), body.as_str()),
            (_, None) => ("404 Not Found", String::new(), "<title>not here</title>"),
        };
        let kind = if path.ends_with(".js") { "text/javascript" } else { "text/html" };
        write!(
            stream,
            "HTTP/1.1 {status}\r\nContent-Type: {kind}; charset=utf-8\r\nContent-Length: {}\r\n{extra}\r\n{body}",
            body.len()
        )
        .ok()?;
    }
}

/// Half of a file; the rest when it goes on.
fn part(mut stream: TcpStream, is_whole: bool, goes_on: &AtomicBool) -> Option<()> {
    let (kind, name) = ("application/zip", "attachment; filename=big.zip");
    write!(
        stream,
        "HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\nContent-Disposition: {name}\r\nContent-Length: 8000\r\n\r\n{}",
        "a".repeat(4000)
    )
    .ok()?;
    stream.flush().ok()?;
    while is_whole && !goes_on.load(Ordering::Acquire) {
        thread::sleep(Duration::from_millis(20));
    }
    if is_whole {
        write!(stream, "{}", "b".repeat(4000)).ok()?;
    }
    None
}
