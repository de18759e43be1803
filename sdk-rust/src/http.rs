//! gRPC-Web over HTTP/1.1, on a socket of the standard library: a skill builds
//! in seconds and starts in one millisecond, which no HTTP/2 stack allows.
//!
//! <https://www.rfc-editor.org/rfc/rfc9112>,
//! <https://github.com/grpc/grpc/blob/master/doc/PROTOCOL-WEB.md>

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::error::Error;

/// The flag of the frame that holds the trailers.
const TRAILERS: u8 = 0x80;
const FRAME_HEAD: usize = 5;
/// Bytes of a message; a daemon sends no more in one.
const LARGEST: usize = 64 << 20;
/// Headers of an answer.
const MOST_HEADERS: usize = 256;
/// Longest line of a head.
const LONGEST_LINE: usize = 64 * 1024;

/// Names and values, names in lower case.
pub type Headers = BTreeMap<String, String>;

/// What the bytes go through.
pub trait Socket: Read + Write + Send {
    /// Whether reads answer at once, with or without bytes.
    fn hurry(&self, on: bool) -> io::Result<()>;

    /// Sets how long reads and writes wait.
    fn wait(&self, time: Duration) -> io::Result<()>;
}

macro_rules! browse_sockets {
    ($($name:ty)*) => { $(
        impl Socket for $name {
            fn hurry(&self, on: bool) -> io::Result<()> {
                self.set_nonblocking(on)
            }

            fn wait(&self, time: Duration) -> io::Result<()> {
                self.set_read_timeout(Some(time)).and_then(|()| self.set_write_timeout(Some(time)))
            }
        }
    )* };
}

browse_sockets! { TcpStream UnixStream }

/// A connection to the daemon, and what came in and was not read yet.
pub struct Connection {
    socket: Box<dyn Socket>,
    bytes: Vec<u8>,
    at: usize,
}

/// The path of a socket file, when `address` is one: `unix:/path` or
/// `unix:///path`.
pub fn socket_path(address: &str) -> Option<&str> {
    let path = address.strip_prefix("unix:")?;
    Some(path.strip_prefix("//").unwrap_or(path))
}

impl Connection {
    /// A connection of which nothing was read yet.
    pub fn new(socket: impl Socket + 'static) -> Self {
        Self { socket: Box::new(socket), bytes: Vec::new(), at: 0 }
    }

    /// Connects.
    pub fn open(address: &str, end: Instant) -> io::Result<Self> {
        match socket_path(address) {
            Some(path) => UnixStream::connect(path).map(Self::new),
            None => tcp(address, end).map(Self::new),
        }
    }

    /// Whether the other side has not closed it while it waited.
    pub fn is_open(&mut self) -> bool {
        if self.socket.hurry(true).is_err() {
            return false;
        }
        // Nothing is to come between two calls, neither bytes nor an end.
        let read = self.socket.read(&mut [0]);
        let waits = read.is_err_and(|error| error.kind() == io::ErrorKind::WouldBlock);
        waits && self.socket.hurry(false).is_ok()
    }

    /// Sends a call.
    pub fn send(
        &mut self,
        host: &str,
        path: &str,
        headers: &[(&str, String)],
        message: &[u8],
        end: Instant,
    ) -> io::Result<()> {
        let length = message.len() + FRAME_HEAD;
        let mut out =
            format!("POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n");
        for (name, value) in headers {
            // A line break would end the header.
            out.push_str(&format!("{name}: {}\r\n", value.replace(['\r', '\n'], " ")));
        }
        out.push_str("\r\n");
        let mut out = out.into_bytes();
        out.push(0);
        out.extend((message.len() as u32).to_be_bytes());
        out.extend(message);
        self.socket.wait(left(end)?)?;
        self.socket.write_all(&out).and_then(|()| self.socket.flush())
    }

    /// Waits for more bytes.
    fn more(&mut self, end: Instant) -> io::Result<()> {
        if self.at > 0 {
            self.bytes.drain(..self.at);
            self.at = 0;
        }
        self.socket.wait(left(end)?)?;
        let before = self.bytes.len();
        self.bytes.resize(before + 64 * 1024, 0);
        let read = self.socket.read(&mut self.bytes[before..]);
        self.bytes.truncate(before + *read.as_ref().unwrap_or(&0));
        match read {
            Ok(0) => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the connection was closed")),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(late()),
            Err(error) => Err(error),
        }
    }

    /// The next line, without its end.
    fn line(&mut self, end: Instant) -> io::Result<String> {
        let mut seen = 0;
        loop {
            let rest = &self.bytes[self.at..];
            if let Some(length) = rest[seen..].iter().position(|byte| *byte == b'\n') {
                let line = String::from_utf8_lossy(&rest[..seen + length]).trim_end().to_owned();
                self.at += seen + length + 1;
                return Ok(line);
            }
            seen = rest.len();
            if seen > LONGEST_LINE {
                return Err(no_http());
            }
            self.more(end)?;
        }
    }
}

/// Connects over TCP.
pub fn tcp(address: &str, end: Instant) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for place in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&place, left(end)?) {
            Ok(stream) => return stream.set_nodelay(true).map(|()| stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The answer to one call, read as it comes.
pub struct Answer {
    connection: Connection,
    end: Instant,
    /// HTTP status.
    pub status: u16,
    headers: Headers,
    trailers: Headers,
    chunked: bool,
    /// Bytes of this chunk, or of the body, that are still to come.
    left: usize,
    body: Vec<u8>,
    done: bool,
}

impl Answer {
    /// Reads the head of the answer to what was sent.
    pub fn begin(mut connection: Connection, end: Instant) -> io::Result<Self> {
        let line = connection.line(end)?;
        let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.filter(|_| line.starts_with("HTTP/1.")).ok_or_else(no_http)?;
        let mut headers = Headers::new();
        loop {
            let line = connection.line(end)?;
            if line.is_empty() {
                break;
            }
            add(&mut headers, &line);
            if headers.len() > MOST_HEADERS {
                return Err(no_http());
            }
        }
        let get = |name: &str| headers.get(name).map_or("", String::as_str);
        let chunked = get("transfer-encoding").eq_ignore_ascii_case("chunked");
        let left = if chunked { 0 } else { get("content-length").parse().unwrap_or(0) };
        let done = !chunked && left == 0;
        let trailers = Headers::new();
        let body = Vec::new();
        Ok(Self { connection, end, status, headers, trailers, chunked, left, body, done })
    }

    /// What no daemon answers with: a page of something else.
    pub fn foreign(&self) -> Option<String> {
        let kind = self.headers.get("content-type").map_or("application/grpc", String::as_str);
        match self.status {
            200 if kind.to_ascii_lowercase().starts_with("application/grpc") => None,
            200 => Some(format!("HTTP 200 with `{}`", kind.chars().take(60).collect::<String>())),
            status => Some(format!("HTTP {status}")),
        }
    }

    /// The next message; `None` when all were read.
    pub fn message(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if self.frame_length().is_some_and(|length| length > LARGEST) {
                return Err(io::Error::other(Error::too_large(LARGEST >> 20)));
            }
            if let Some((flag, message)) = self.frame() {
                if flag & TRAILERS == 0 {
                    return Ok(Some(message));
                }
                let text = String::from_utf8_lossy(&message).into_owned();
                text.split("\r\n").for_each(|line| add(&mut self.trailers, line));
            } else if self.done {
                return if self.body.is_empty() { Ok(None) } else { Err(broken()) };
            } else {
                self.advance()?;
            }
        }
    }

    fn frame_length(&self) -> Option<usize> {
        let length: [u8; 4] = self.body.get(1..FRAME_HEAD)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(length)).ok()
    }

    fn frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let end = FRAME_HEAD + self.frame_length()?;
        let message = self.body.get(FRAME_HEAD..end)?.to_vec();
        let flag = self.body[0];
        self.body.drain(..end);
        Some((flag, message))
    }

    /// Takes in what came of the body.
    fn advance(&mut self) -> io::Result<()> {
        let (connection, end) = (&mut self.connection, self.end);
        if self.chunked && self.left == 0 {
            let line = connection.line(end)?;
            let size = line.split(';').next().unwrap_or_default().trim();
            self.left = usize::from_str_radix(size, 16).map_err(|_| no_http())?;
            if self.left == 0 {
                while !connection.line(end)?.is_empty() {}
                self.done = true;
            }
            return Ok(());
        }
        if connection.at == connection.bytes.len() {
            connection.more(end)?;
        }
        let here = &connection.bytes[connection.at..];
        let take = here.len().min(self.left);
        self.body.extend(&here[..take]);
        connection.at += take;
        self.left -= take;
        if self.left == 0 && self.chunked {
            connection.line(end)?;
        }
        self.done = self.left == 0 && !self.chunked;
        Ok(())
    }

    /// Where the status of the call stands: trailers, or headers alone.
    pub fn outcome(&self) -> &Headers {
        if self.headers.contains_key("grpc-status") { &self.headers } else { &self.trailers }
    }

    /// The connection, when it serves for another call.
    pub fn into_connection(self) -> Option<Connection> {
        let closes = self.headers.get("connection").is_some_and(|value| value == "close");
        let rest = self.connection.bytes.len() - self.connection.at;
        (self.done && !closes && rest == 0).then_some(self.connection)
    }
}

fn add(headers: &mut Headers, line: &str) {
    if let Some((name, value)) = line.split_once(':') {
        headers.insert(name.trim().to_ascii_lowercase(), value.trim().to_owned());
    }
}

fn left(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(late()) } else { Ok(left) }
}

fn late() -> io::Error {
    io::Error::from(io::ErrorKind::TimedOut)
}

fn no_http() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the answer is no HTTP")
}

fn broken() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the answer broke off")
}
