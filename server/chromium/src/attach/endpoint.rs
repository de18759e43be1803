//! From the name of a browser to the address of its WebSocket.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::path::Path;
use std::time::Duration;

use bytes::Bytes;
use http::{Request, StatusCode, header};
use http_body_util::{BodyExt, Empty, Limited};
use hyper_util::rt::TokioIo;
use serde::Deserialize;
use tokio::net::TcpStream;
use url::Url;

use super::address::{BrowserChannel, CdpAddress};
use super::web_socket::{self, WebSocketTransport};
use crate::attach_failure::AttachFailure;
use browse_net::{AddressKind, address_kind, is_metadata_host};

/// Bytes of an answer to `/json/version`.
const MAX_VERSION_BYTES: usize = 64 << 10;

/// Time that the machine gets to answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// How long a person gets to allow the connection in Chrome's own window.
const ALLOW_TIMEOUT: Duration = Duration::from_secs(60);

/// Where the WebSocket is, and how long opening it may take.
#[derive(Debug)]
pub(crate) struct WebSocketEndpoint {
    pub url: Url,
    pub address: SocketAddr,
    pub timeout: Duration,
}

#[derive(Deserialize)]
struct VersionAnswer {
    #[serde(rename = "webSocketDebuggerUrl")]
    web_socket_debugger_url: String,
}

/// Finds the WebSocket of a browser.
pub(crate) async fn find(
    address: &CdpAddress,
    home: &Path,
) -> Result<WebSocketEndpoint, AttachFailure> {
    match address {
        CdpAddress::Channel(channel) => {
            let url = channel_url(*channel, home)?;
            let address = resolve(&url).await?;
            Ok(WebSocketEndpoint { url, address, timeout: ALLOW_TIMEOUT })
        }
        CdpAddress::Url(url) => {
            let address = resolve(url).await?;
            let url = match url.scheme() {
                "http" | "https" => ask_version(url, address).await?,
                _ => url.clone(),
            };
            Ok(WebSocketEndpoint { url, address, timeout: CONNECT_TIMEOUT })
        }
    }
}

/// Reads where a browser of this user listens: the port, and the path of its WebSocket.
fn channel_url(channel: BrowserChannel, home: &Path) -> Result<Url, AttachFailure> {
    let file = channel.port_file(home);
    let text = std::fs::read_to_string(&file).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => AttachFailure::not_enabled(format!(
            "remote debugging is off in {}: `{}` does not exist",
            channel.name(),
            file.display()
        )),
        _ => AttachFailure::unreachable(format!("`{}` cannot be read: {error}", file.display())),
    })?;
    let mut lines = text.lines();
    let port = lines.next().and_then(|line| line.trim().parse::<u16>().ok());
    let path = lines.next().map(str::trim).filter(|path| path.starts_with('/'));
    let url = port
        .zip(path)
        .and_then(|(port, path)| Url::parse(&format!("ws://127.0.0.1:{port}{path}")).ok());
    url.ok_or_else(|| {
        AttachFailure::unreachable(format!("`{}` does not name a port and a path", file.display()))
    })
}

/// The address to connect to. Names are resolved once, so that what was checked is what is
/// connected to.
async fn resolve(url: &Url) -> Result<SocketAddr, AttachFailure> {
    let host = url.host().ok_or_else(|| AttachFailure::refused("the address has no host"))?;
    if is_metadata_host(&host) {
        return Err(AttachFailure::refused("the address is a cloud metadata service"));
    }
    let default_port = if matches!(url.scheme(), "wss" | "https") { 443 } else { 80 };
    let port = url.port().unwrap_or(default_port);
    let found = match host {
        url::Host::Ipv4(address) => SocketAddr::new(IpAddr::V4(address), port),
        url::Host::Ipv6(address) => SocketAddr::new(IpAddr::V6(address), port),
        url::Host::Domain(name) => {
            let unknown = || AttachFailure::unreachable(format!("the host `{name}` is unknown"));
            let lookup =
                tokio::time::timeout(CONNECT_TIMEOUT, tokio::net::lookup_host((name, port)));
            let mut found: Vec<_> =
                lookup.await.map_err(|_| unknown())?.map_err(|_| unknown())?.collect();
            // Chromium listens on IPv4 alone unless it has an address to listen on.
            found.sort_by_key(SocketAddr::is_ipv6);
            found.first().copied().ok_or_else(unknown)?
        }
    };
    let is_encrypted = matches!(url.scheme(), "wss" | "https");
    match address_kind(found.ip()) {
        AddressKind::Metadata | AddressKind::LinkLocal | AddressKind::Special => {
            Err(AttachFailure::refused("the address is one that hosts no browser"))
        }
        AddressKind::Public if !is_encrypted => Err(AttachFailure::refused(
            "the address is public and the connection is not encrypted, so that anyone on the way \
             reads cookies and pages: use `wss://` or `https://`, or a tunnel to this machine",
        )),
        _ => Ok(found),
    }
}

/// Asks an HTTP server for the WebSocket of its browser. Host and port stay those that
/// were asked: a browser behind a port mapping names its own.
async fn ask_version(url: &Url, address: SocketAddr) -> Result<Url, AttachFailure> {
    let answer = tokio::time::timeout(CONNECT_TIMEOUT, get_version(url, address)).await;
    let body = answer.map_err(|_| AttachFailure::unreachable("it did not answer in time"))??;
    let not_browser =
        || AttachFailure::unreachable("`/json/version` is not the answer of a browser");
    let version: VersionAnswer = serde_json::from_slice(&body).map_err(|_| not_browser())?;
    let named = Url::parse(&version.web_socket_debugger_url).map_err(|_| not_browser())?;
    let mut found = url.clone();
    let scheme = if url.scheme() == "https" { "wss" } else { "ws" };
    found.set_scheme(scheme).map_err(|()| not_browser())?;
    found.set_path(named.path());
    found.set_query(named.query());
    Ok(found)
}

async fn get_version(url: &Url, address: SocketAddr) -> Result<Bytes, AttachFailure> {
    let broke = |error: &dyn std::fmt::Display| {
        AttachFailure::unreachable(format!("it broke the connection: {error}"))
    };
    let stream = connect(url, address).await?;
    let (mut sender, connection) =
        hyper::client::conn::http1::handshake(TokioIo::new(stream)).await.map_err(|e| broke(&e))?;
    let connection = tokio::spawn(connection);
    let mut path = url.path().trim_end_matches('/').to_owned();
    path.push_str("/json/version");
    if let Some(query) = url.query() {
        path = format!("{path}?{query}");
    }
    let request = Request::get(path)
        .header(header::HOST, web_socket::host_header(url, address))
        .body(Empty::<Bytes>::new())
        .map_err(|error| broke(&error))?;
    let response = sender.send_request(request).await.map_err(|error| broke(&error))?;
    match response.status() {
        StatusCode::OK => {}
        StatusCode::NOT_FOUND => {
            return Err(AttachFailure::unreachable(
                "it has no `/json/version`: for a Chrome with remote debugging switched on at \
                 chrome://inspect use `channel:chrome`, else the `ws://` address that the browser \
                 prints when it starts",
            ));
        }
        status => {
            return Err(AttachFailure::unreachable(format!("`/json/version` answered {status}")));
        }
    }
    let body = Limited::new(response.into_body(), MAX_VERSION_BYTES).collect().await;
    connection.abort();
    body.map(http_body_util::Collected::to_bytes).map_err(|error| broke(&error))
}

/// Connects, with TLS where the scheme has it.
pub(crate) async fn connect(
    url: &Url,
    address: SocketAddr,
) -> Result<WebSocketTransport, AttachFailure> {
    let connecting = tokio::time::timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await;
    let refused = |error: io::Error| match error.kind() {
        io::ErrorKind::ConnectionRefused => {
            AttachFailure::unreachable("nothing listens there: is the browser running?")
        }
        _ => AttachFailure::unreachable(error.to_string()),
    };
    let stream = connecting
        .map_err(|_| AttachFailure::unreachable("it did not answer in time"))?
        .map_err(refused)?;
    let _ = stream.set_nodelay(true);
    match url.scheme() {
        "wss" | "https" => {
            let encrypting =
                tokio::time::timeout(CONNECT_TIMEOUT, web_socket::encrypt(stream, url)).await;
            encrypting.map_err(|_| AttachFailure::unreachable("it did not answer in time"))?
        }
        _ => Ok(WebSocketTransport::Plain(stream)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::attach_failure::AttachFailureKind;

    fn home_with(text: &str) -> tempfile::TempDir {
        let home = tempfile::tempdir().expect("a folder");
        let CdpAddress::Channel(channel) = "channel:chrome".parse().expect("a channel") else {
            panic!("it is a channel");
        };
        let file = channel.port_file(home.path());
        std::fs::create_dir_all(file.parent().expect("a parent")).expect("a profile");
        std::fs::write(file, text).expect("a file");
        home
    }

    #[tokio::test]
    async fn a_channel_is_found_by_its_port_file() {
        let channel: CdpAddress = "channel:chrome".parse().expect("a channel");
        let home = home_with("9333\n/devtools/browser/8f\n");
        let found = find(&channel, home.path()).await.expect("an endpoint");
        assert_eq!(found.url.as_str(), "ws://127.0.0.1:9333/devtools/browser/8f");
        assert_eq!(found.timeout, ALLOW_TIMEOUT);
        let empty = tempfile::tempdir().expect("a folder");
        let error = find(&channel, empty.path()).await.expect_err("there is none");
        assert_eq!(error.kind, AttachFailureKind::NotEnabled);
        for garbage in ["", "x\n/y", "9333\n", "70000\n/devtools", "9333\nhttp://evil/"] {
            let error = find(&channel, home_with(garbage).path()).await.expect_err(garbage);
            assert_eq!(error.kind, AttachFailureKind::Unreachable, "{garbage}");
        }
    }

    #[tokio::test]
    async fn addresses_that_host_no_browser_are_refused() {
        let home = tempfile::tempdir().expect("a folder");
        for url in [
            "http://169.254.169.254/",
            "ws://metadata.google.internal/x",
            "wss://[fd00:ec2::254]/x",
            "ws://224.0.0.1:9222/x",
            "ws://93.184.216.34:9222/devtools/browser/1",
            "http://93.184.216.34:9222",
        ] {
            let address: CdpAddress = url.parse().expect(url);
            let error = find(&address, home.path()).await.expect_err(url);
            assert_eq!(error.kind, AttachFailureKind::Refused, "{url}: {error}");
        }
        let local: CdpAddress = "ws://127.0.0.1:9/x".parse().expect("an address");
        assert!(find(&local, home.path()).await.is_ok());
    }
}
