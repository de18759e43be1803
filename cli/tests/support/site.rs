//! A tiny web server on loopback: pages by path, one that never answers, one
//! that redirects.

use std::{
    collections::HashMap,
    io::{BufRead, BufReader, Write},
    net::{TcpListener, TcpStream},
    sync::Arc,
    thread,
};

/// Serves pages until the test process ends.
pub struct Site {
    port: u16,
}

impl Site {
    /// Serves `pages`, each under its path. `/hang` never answers,
    /// `/redirect?<url>` redirects, `/sign-in` gives a cookie that scripts do not
    /// see, and `/who` shows the cookies that it gets.
    pub fn serve(pages: &[(&str, &str)]) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let port = listener.local_addr().expect("a bound listener").port();
        let own = |(path, body): &(&str, &str)| {
            ((*path).to_owned(), body.replace("PORT", &port.to_string()))
        };
        let pages: Arc<HashMap<_, _>> = Arc::new(pages.iter().map(own).collect());
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let pages = Arc::clone(&pages);
                thread::spawn(move || answer(stream, &pages));
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

fn answer(stream: TcpStream, pages: &HashMap<String, String>) -> Option<()> {
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
