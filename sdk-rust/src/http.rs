//! The JSON form of the Connect protocol over HTTP/1.1, on a socket of the standard
//! library: a skill builds in seconds without a registry, and starts in one
//! millisecond.
//!
//! <https://www.rfc-editor.org/rfc/rfc9112>, <https://connectrpc.com/docs/protocol>

use std::collections::BTreeMap;
use std::io::{self, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::os::unix::net::UnixStream;
use std::time::{Duration, Instant};

use super::error::Error;
use super::json::Json;

/// Content type of a call with one answer.
pub const JSON_TYPE: &str = "application/json";
/// Content type of a call whose answer is a stream.
pub const STREAM_TYPE: &str = "application/connect+json";

/// The flag of the document at the end of a stream.
const END_FLAG: u8 = 2;
const ENVELOPE_HEAD_BYTES: usize = 5;
/// Bytes of a document; a message has at most 64 MiB, which base64 makes longer.
const MAX_DOCUMENT_BYTES: usize = 86 << 20;
/// Headers of an answer.
const MAX_HEADERS: usize = 256;
/// Longest line of a head.
const MAX_LINE_BYTES: usize = 64 * 1024;

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
pub struct HttpConnection {
    socket: Box<dyn Socket>,
    buffer: Vec<u8>,
    position: usize,
}

/// The path of a socket file, when `address` is one: `unix:/path` or
/// `unix:///path`.
pub fn socket_path(address: &str) -> Option<&str> {
    let path = address.strip_prefix("unix:")?;
    Some(path.strip_prefix("//").unwrap_or(path))
}

impl HttpConnection {
    /// A connection of which nothing was read yet.
    pub fn new(socket: impl Socket + 'static) -> Self {
        Self { socket: Box::new(socket), buffer: Vec::new(), position: 0 }
    }

    /// Connects.
    pub fn open(address: &str, end: Instant) -> io::Result<Self> {
        match socket_path(address) {
            Some(path) => UnixStream::connect(path).map(Self::new),
            None => connect_tcp(address, end).map(Self::new),
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
        body: &[u8],
        end: Instant,
    ) -> io::Result<()> {
        let length = body.len();
        let mut out =
            format!("POST {path} HTTP/1.1\r\nhost: {host}\r\ncontent-length: {length}\r\n");
        for (name, value) in headers {
            // A line break would end the header.
            out.push_str(&format!("{name}: {}\r\n", value.replace(['\r', '\n'], " ")));
        }
        out.push_str("\r\n");
        let mut out = out.into_bytes();
        out.extend(body);
        self.socket.wait(remaining_time(end)?)?;
        self.socket.write_all(&out).and_then(|()| self.socket.flush())
    }

    /// Waits for more bytes.
    fn read_more(&mut self, end: Instant) -> io::Result<()> {
        if self.position > 0 {
            self.buffer.drain(..self.position);
            self.position = 0;
        }
        self.socket.wait(remaining_time(end)?)?;
        let before = self.buffer.len();
        self.buffer.resize(before + 64 * 1024, 0);
        let read = self.socket.read(&mut self.buffer[before..]);
        self.buffer.truncate(before + *read.as_ref().unwrap_or(&0));
        match read {
            Ok(0) => Err(io::Error::new(io::ErrorKind::UnexpectedEof, "the connection was closed")),
            Ok(_) => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(()),
            Err(error) if error.kind() == io::ErrorKind::WouldBlock => Err(timed_out()),
            Err(error) => Err(error),
        }
    }

    /// The next line, without its end.
    fn read_line(&mut self, end: Instant) -> io::Result<String> {
        let mut seen = 0;
        loop {
            let rest = &self.buffer[self.position..];
            if let Some(length) = rest[seen..].iter().position(|byte| *byte == b'\n') {
                let line = String::from_utf8_lossy(&rest[..seen + length]).trim_end().to_owned();
                self.position += seen + length + 1;
                return Ok(line);
            }
            seen = rest.len();
            if seen > MAX_LINE_BYTES {
                return Err(invalid_http());
            }
            self.read_more(end)?;
        }
    }
}

/// Connects over TCP.
pub fn connect_tcp(address: &str, end: Instant) -> io::Result<TcpStream> {
    let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
    for place in address.to_socket_addrs()? {
        match TcpStream::connect_timeout(&place, remaining_time(end)?) {
            Ok(stream) => return stream.set_nodelay(true).map(|()| stream),
            Err(error) => last = error,
        }
    }
    Err(last)
}

/// The answer to one call, read as it comes.
pub struct HttpResponse {
    connection: HttpConnection,
    end: Instant,
    /// HTTP status.
    pub status: u16,
    headers: Headers,
    /// The document at the end of a stream.
    ending: Option<Json>,
    chunked: bool,
    /// Bytes of this chunk, or of the body, that are still to come.
    remaining_bytes: usize,
    body: Vec<u8>,
    done: bool,
}

impl HttpResponse {
    /// Reads the head of the answer to what was sent.
    pub fn read_head(mut connection: HttpConnection, end: Instant) -> io::Result<Self> {
        let line = connection.read_line(end)?;
        let status = line.split(' ').nth(1).and_then(|word| word.parse().ok());
        let status = status.filter(|_| line.starts_with("HTTP/1.")).ok_or_else(invalid_http)?;
        let mut headers = Headers::new();
        loop {
            let line = connection.read_line(end)?;
            if line.is_empty() {
                break;
            }
            add_header(&mut headers, &line);
            if headers.len() > MAX_HEADERS {
                return Err(invalid_http());
            }
        }
        let get = |name: &str| headers.get(name).map_or("", String::as_str);
        let chunked = get("transfer-encoding").eq_ignore_ascii_case("chunked");
        let left = if chunked { 0 } else { get("content-length").parse().unwrap_or(0) };
        let done = !chunked && left == 0;
        let body = Vec::new();
        Ok(Self {
            connection,
            end,
            status,
            headers,
            ending: None,
            chunked,
            remaining_bytes: left,
            body,
            done,
        })
    }

    fn content_type(&self) -> String {
        self.headers.get("content-type").map_or(JSON_TYPE, String::as_str).to_ascii_lowercase()
    }

    /// Whether the token was not accepted, so that nothing was done.
    pub fn is_unauthorized(&self) -> bool {
        self.status == 401
    }

    /// What no daemon answers with: a page of something else.
    pub fn unexpected_peer(&self) -> Option<String> {
        match self.content_type() {
            kind if kind == JSON_TYPE || kind == STREAM_TYPE => None,
            kind if self.status == 200 => {
                Some(format!("HTTP 200 with `{}`", kind.chars().take(60).collect::<String>()))
            }
            _ => Some(format!("HTTP {}", self.status)),
        }
    }

    /// The JSON of the next message; `None` when all were read.
    pub fn next_document(&mut self) -> io::Result<Option<Json>> {
        if self.status != 200 || self.content_type() == JSON_TYPE {
            if self.ending.is_some() {
                return Ok(None);
            }
            while !self.done {
                if self.body.len() > MAX_DOCUMENT_BYTES {
                    return Err(io::Error::other(Error::too_large(MAX_DOCUMENT_BYTES >> 20)));
                }
                self.read_body()?;
            }
            let document = parse_document(&std::mem::take(&mut self.body))?;
            if self.status != 200 {
                self.ending = Some(Json::object([("error", document)]));
                return Ok(None);
            }
            self.ending = Some(Json::Null);
            return Ok(Some(document));
        }
        loop {
            if self.document_length().is_some_and(|length| length > MAX_DOCUMENT_BYTES) {
                return Err(io::Error::other(Error::too_large(MAX_DOCUMENT_BYTES >> 20)));
            }
            if let Some((flag, document)) = self.take_envelope()? {
                if flag & END_FLAG == 0 {
                    return Ok(Some(document));
                }
                self.ending = Some(document);
            } else if self.done {
                return if self.body.is_empty() { Ok(None) } else { Err(unexpected_end()) };
            } else {
                self.read_body()?;
            }
        }
    }

    /// What stands at the end of an answer that was read; `None` when it broke off.
    pub fn ending(&self) -> Option<&Json> {
        self.ending.as_ref()
    }

    fn document_length(&self) -> Option<usize> {
        let length: [u8; 4] = self.body.get(1..ENVELOPE_HEAD_BYTES)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(length)).ok()
    }

    fn take_envelope(&mut self) -> io::Result<Option<(u8, Json)>> {
        let Some(length) = self.document_length() else { return Ok(None) };
        let end = ENVELOPE_HEAD_BYTES + length;
        let Some(bytes) = self.body.get(ENVELOPE_HEAD_BYTES..end) else { return Ok(None) };
        let document = parse_document(bytes)?;
        let flag = self.body[0];
        self.body.drain(..end);
        Ok(Some((flag, document)))
    }

    /// Takes in what came of the body.
    fn read_body(&mut self) -> io::Result<()> {
        let (connection, end) = (&mut self.connection, self.end);
        if self.chunked && self.remaining_bytes == 0 {
            let line = connection.read_line(end)?;
            let size = line.split(';').next().unwrap_or_default().trim();
            self.remaining_bytes = usize::from_str_radix(size, 16).map_err(|_| invalid_http())?;
            if self.remaining_bytes == 0 {
                while !connection.read_line(end)?.is_empty() {}
                self.done = true;
            }
            return Ok(());
        }
        if connection.position == connection.buffer.len() {
            connection.read_more(end)?;
        }
        let here = &connection.buffer[connection.position..];
        let take = here.len().min(self.remaining_bytes);
        self.body.extend(&here[..take]);
        connection.position += take;
        self.remaining_bytes -= take;
        if self.remaining_bytes == 0 && self.chunked {
            connection.read_line(end)?;
        }
        self.done = self.remaining_bytes == 0 && !self.chunked;
        Ok(())
    }

    /// The connection, when it serves for another call.
    pub fn into_connection(self) -> Option<HttpConnection> {
        let closes = self.headers.get("connection").is_some_and(|value| value == "close");
        let rest = self.connection.buffer.len() - self.connection.position;
        (self.done && !closes && rest == 0).then_some(self.connection)
    }
}

/// The body of a call whose answer is a stream.
pub fn envelope(document: &[u8]) -> Vec<u8> {
    let mut out = vec![0];
    out.extend((document.len() as u32).to_be_bytes());
    out.extend(document);
    out
}

fn parse_document(bytes: &[u8]) -> io::Result<Json> {
    let document = std::str::from_utf8(bytes).ok().and_then(Json::parse);
    let invalid = || io::Error::new(io::ErrorKind::InvalidData, "the answer is not JSON");
    document.filter(|document| matches!(document, Json::Object(_))).ok_or_else(invalid)
}

fn add_header(headers: &mut Headers, line: &str) {
    if let Some((name, value)) = line.split_once(':') {
        headers.insert(name.trim().to_ascii_lowercase(), value.trim().to_owned());
    }
}

fn remaining_time(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(timed_out()) } else { Ok(left) }
}

fn timed_out() -> io::Error {
    io::Error::from(io::ErrorKind::TimedOut)
}

fn invalid_http() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "the peer does not speak HTTP")
}

fn unexpected_end() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the answer broke off")
}
