//! Where a daemon listens, and the socket to it.

use std::{
    io,
    net::{SocketAddr, TcpStream, ToSocketAddrs as _},
    os::unix::net::UnixStream,
    path::PathBuf,
    sync::mpsc,
    thread,
    time::{Duration, Instant},
};

use browse_proto::Reason;

use crate::{
    failure::{Failure, Result},
    in_process::InProcessService,
    io_failure,
};

const CONNECT_TIMEOUT: Duration = Duration::from_secs(5);

/// The address of a daemon.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Address {
    /// Host and port.
    Tcp(String),
    /// Path of a socket.
    Unix(PathBuf),
}

/// A connected socket.
#[derive(Debug)]
pub enum DaemonSocket {
    /// TCP.
    Tcp(TcpStream),
    /// A Unix socket.
    Unix(UnixStream),
    /// None: this process answers.
    InProcess(InProcessService),
}

impl Address {
    /// Reads `127.0.0.1:4567`, `http://127.0.0.1:4567` or `unix:/path`.
    pub fn parse(text: &str) -> Result<Self> {
        if let Some(path) = text.strip_prefix("unix:") {
            return Ok(Self::Unix(PathBuf::from(path.trim_start_matches("//"))));
        }
        let plain = text.strip_prefix("http://").unwrap_or(text).trim_end_matches('/');
        let port = plain.rsplit_once(':').and_then(|(_, port)| port.parse::<u16>().ok());
        if plain.contains('/') || port.is_none() {
            let message = format!("`{text}` is not an address of a daemon");
            return Err(Failure::new(Reason::ArgumentInvalid, message)
                .with_hint("Write it as in `--addr 127.0.0.1:4567` or `--addr unix:/path`"));
        }
        Ok(Self::Tcp(plain.to_owned()))
    }

    /// What the `:authority` of a call is.
    pub fn authority(&self) -> &str {
        match self {
            Self::Tcp(address) => address,
            Self::Unix(_) => "localhost",
        }
    }

    /// Whether it is this socket address.
    pub fn is_at(&self, address: SocketAddr) -> bool {
        matches!(self, Self::Tcp(text) if text.parse() == Ok(address))
    }

    /// Whether calls stay on this machine.
    pub fn is_local(&self) -> bool {
        match self {
            Self::Unix(_) => true,
            Self::Tcp(text) => {
                let ip = text.parse::<SocketAddr>().map(|address| address.ip());
                ip.is_ok_and(|ip| ip.is_loopback()) || text.starts_with("localhost:")
            }
        }
    }

    /// Connects.
    pub fn connect(&self) -> io::Result<DaemonSocket> {
        self.connect_within(None)
    }

    /// Connects within `time`, where that is less than it usually gets.
    pub fn connect_within(&self, time: Option<Duration>) -> io::Result<DaemonSocket> {
        let end = Instant::now() + time.map_or(CONNECT_TIMEOUT, |time| time.min(CONNECT_TIMEOUT));
        match self {
            Self::Unix(path) => UnixStream::connect(path).map(DaemonSocket::Unix),
            Self::Tcp(text) => {
                let mut last = io::Error::from(io::ErrorKind::AddrNotAvailable);
                for address in resolve(text, end)? {
                    let left = remaining(end)?;
                    match TcpStream::connect_timeout(&address, left) {
                        Ok(stream) => return Ok(DaemonSocket::Tcp(stream)),
                        Err(error) => last = error,
                    }
                }
                Err(last)
            }
        }
    }

    /// The failure of a connection.
    pub fn unreachable_failure(&self, error: &io::Error) -> Failure {
        let shown = match self {
            Self::Tcp(text) => text.clone(),
            Self::Unix(path) => format!("unix:{}", path.display()),
        };
        let message =
            format!("the daemon at `{shown}` does not answer: {}", io_failure::error_text(error));
        Failure::new(Reason::DaemonUnreachable, message)
    }
}

/// The addresses of a host. One that is a name is asked for on a thread of its
/// own: nothing else ends that in time.
fn resolve(text: &str, end: Instant) -> io::Result<Vec<SocketAddr>> {
    if let Ok(address) = text.parse() {
        return Ok(vec![address]);
    }
    let (sender, found) = mpsc::channel();
    let name = text.to_owned();
    thread::spawn(move || sender.send(name.to_socket_addrs().map(Iterator::collect)));
    let late = |_| io::Error::new(io::ErrorKind::TimedOut, "its name was not found in time");
    found.recv_timeout(remaining(end)?).map_err(late)?
}

/// Time until `end`, which is not over.
fn remaining(end: Instant) -> io::Result<Duration> {
    let left = end.saturating_duration_since(Instant::now());
    if left.is_zero() { Err(io::ErrorKind::TimedOut.into()) } else { Ok(left) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_in_every_spelling() {
        let tcp = Address::Tcp("127.0.0.1:80".to_owned());
        for text in ["127.0.0.1:80", "http://127.0.0.1:80", "http://127.0.0.1:80/"] {
            assert_eq!(Address::parse(text), Ok(tcp.clone()));
        }
        assert_eq!(Address::parse("unix:/a/b"), Ok(Address::Unix(PathBuf::from("/a/b"))));
        for text in ["", "127.0.0.1", "https://a.example:1", "a:b", "127.0.0.1:80/x"] {
            assert!(Address::parse(text).expect_err(text).has_reason(Reason::ArgumentInvalid));
        }
    }
}
