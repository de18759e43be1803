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
const TRAILERS_FLAG: u8 = 0x80;
const FRAME_HEAD_BYTES: usize = 5;
/// Bytes of a message; a daemon sends no more in one.
const MAX_MESSAGE_BYTES: usize = 64 << 20;
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
        message: &[u8],
        end: Instant,
    ) -> io::Result<()> {
        let length = message.len() + FRAME_HEAD_BYTES;
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
pub struct GrpcWebResponse {
    connection: HttpConnection,
    end: Instant,
    /// HTTP status.
    pub status: u16,
    headers: Headers,
    trailers: Headers,
    chunked: bool,
    /// Bytes of this chunk, or of the body, that are still to come.
    remaining_bytes: usize,
    body: Vec<u8>,
    done: bool,
}

impl GrpcWebResponse {
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
        let trailers = Headers::new();
        let body = Vec::new();
        Ok(Self {
            connection,
            end,
            status,
            headers,
            trailers,
            chunked,
            remaining_bytes: left,
            body,
            done,
        })
    }

    /// What no daemon answers with: a page of something else.
    pub fn unexpected_peer(&self) -> Option<String> {
        let kind = self.headers.get("content-type").map_or("application/grpc", String::as_str);
        match self.status {
            200 if kind.to_ascii_lowercase().starts_with("application/grpc") => None,
            200 => Some(format!("HTTP 200 with `{}`", kind.chars().take(60).collect::<String>())),
            status => Some(format!("HTTP {status}")),
        }
    }

    /// The next message; `None` when all were read.
    pub fn next_message(&mut self) -> io::Result<Option<Vec<u8>>> {
        loop {
            if self.frame_length().is_some_and(|length| length > MAX_MESSAGE_BYTES) {
                return Err(io::Error::other(Error::too_large(MAX_MESSAGE_BYTES >> 20)));
            }
            if let Some((flag, message)) = self.take_frame() {
                if flag & TRAILERS_FLAG == 0 {
                    return Ok(Some(message));
                }
                let text = String::from_utf8_lossy(&message).into_owned();
                text.split("\r\n").for_each(|line| add_header(&mut self.trailers, line));
            } else if self.done {
                return if self.body.is_empty() { Ok(None) } else { Err(unexpected_end()) };
            } else {
                self.read_body()?;
            }
        }
    }

    fn frame_length(&self) -> Option<usize> {
        let length: [u8; 4] = self.body.get(1..FRAME_HEAD_BYTES)?.try_into().ok()?;
        usize::try_from(u32::from_be_bytes(length)).ok()
    }

    fn take_frame(&mut self) -> Option<(u8, Vec<u8>)> {
        let end = FRAME_HEAD_BYTES + self.frame_length()?;
        let message = self.body.get(FRAME_HEAD_BYTES..end)?.to_vec();
        let flag = self.body[0];
        self.body.drain(..end);
        Some((flag, message))
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

    /// Where the status of the call stands: trailers, or headers alone.
    pub fn status_headers(&self) -> &Headers {
        if self.headers.contains_key("grpc-status") { &self.headers } else { &self.trailers }
    }

    /// The connection, when it serves for another call.
    pub fn into_connection(self) -> Option<HttpConnection> {
        let closes = self.headers.get("connection").is_some_and(|value| value == "close");
        let rest = self.connection.buffer.len() - self.connection.position;
        (self.done && !closes && rest == 0).then_some(self.connection)
    }
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
    io::Error::new(io::ErrorKind::InvalidData, "the answer is no HTTP")
}

fn unexpected_end() -> io::Error {
    io::Error::new(io::ErrorKind::UnexpectedEof, "the answer broke off")
}
