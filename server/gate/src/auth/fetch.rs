//! Fetches a small document of the issuer: one request on a connection of its own, with a time
//! limit and a size limit. No redirect is followed, and no proxy is used.

use std::{fmt, net::SocketAddr, time::Duration};

use browse_pin::HttpsUrl;
use bytes::Bytes;
use http::{
    Request, StatusCode,
    header::{ACCEPT, HOST, USER_AGENT},
};
use http_body_util::{BodyExt as _, Empty, Limited};
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::{
    net::{TcpStream, lookup_host},
    task::JoinSet,
    time::timeout,
};
use tokio_rustls::{TlsConnector, rustls::pki_types::ServerName};

use crate::machine_tls;

/// Time for one document, from the lookup of the host to the last byte.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Largest document.
const MAX_BYTES: usize = 256 << 10;

/// Fetches documents.
pub struct DocumentFetcher {
    tls: TlsConnector,
    time_limit: Duration,
}

impl DocumentFetcher {
    /// Reads the certificate authorities of the system.
    ///
    /// # Errors
    /// TLS cannot be set up, in words.
    pub fn new() -> Result<Self, String> {
        Ok(Self { tls: machine_tls::connector()?, time_limit: TIME_LIMIT })
    }

    /// Fetches a document.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub async fn fetch(&self, url: &HttpsUrl) -> Result<Bytes, String> {
        let fetched = timeout(self.time_limit, self.fetch_without_limit(url)).await;
        let fetched =
            fetched.unwrap_or_else(|_| Err(format!("no response within {:?}", self.time_limit)));
        fetched.map_err(|why| format!("`{url}` cannot be fetched: {why}"))
    }

    async fn fetch_without_limit(&self, url: &HttpsUrl) -> Result<Bytes, String> {
        let stream = connect(url).await?;
        if !url.is_tls() {
            return request(TokioIo::new(stream), url).await;
        }
        let name = ServerName::try_from(url.host().to_owned()).map_err(words)?;
        let stream = self.tls.connect(name, stream).await.map_err(words)?;
        request(TokioIo::new(stream), url).await
    }
}

async fn connect(url: &HttpsUrl) -> Result<TcpStream, String> {
    let found = lookup_host((url.host(), url.port())).await.map_err(words)?;
    // `localhost` is a name, which could be resolved to any address.
    let addresses: Vec<SocketAddr> =
        found.filter(|address| url.is_tls() || address.ip().is_loopback()).collect();
    TcpStream::connect(addresses.as_slice()).await.map_err(words)
}

/// Sends one request on a connection and reads the response.
async fn request<S>(stream: S, url: &HttpsUrl) -> Result<Bytes, String>
where
    S: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        http1::handshake::<_, Empty<Bytes>>(stream).await.map_err(words)?;
    // Dropped with this call, which ends the connection also when the time is up.
    let mut tasks = JoinSet::new();
    tasks.spawn(connection);
    let request = Request::get(url.path())
        .header(HOST, url.authority())
        .header(ACCEPT, "application/json")
        .header(USER_AGENT, "browse-gate")
        .body(Empty::<Bytes>::new())
        .map_err(words)?;
    let response = sender.send_request(request).await.map_err(words)?;
    if response.status() != StatusCode::OK {
        return Err(format!("the response is {}", response.status()));
    }
    let body = Limited::new(response.into_body(), MAX_BYTES).collect().await;
    Ok(body.map_err(words)?.to_bytes())
}

fn words(error: impl fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::tests::server::TestServer;

    #[tokio::test]
    async fn only_a_whole_document_is_taken() {
        let server = TestServer::start();
        let fetcher = DocumentFetcher::new().expect("TLS is set up");
        let url = |path: &str| HttpsUrl::parse(&format!("{}{path}", server.url())).expect(path);
        server.set("/small", "{}");
        assert_eq!(fetcher.fetch(&url("/small")).await.as_deref(), Ok(b"{}".as_slice()));
        server.set("/largest", &"x".repeat(MAX_BYTES));
        assert!(fetcher.fetch(&url("/largest")).await.is_ok_and(|text| text.len() == MAX_BYTES));
        server.set("/large", &"x".repeat(MAX_BYTES + 1));
        assert!(fetcher.fetch(&url("/large")).await.is_err());
        server.set_response("/moved", "302 Found\r\nlocation: /small", "{}");
        let why = fetcher.fetch(&url("/moved")).await.expect_err("a redirect");
        assert!(why.contains("302"), "{why}");
        assert!(fetcher.fetch(&url("/none")).await.is_err(), "404");
        assert_eq!(server.count("/small"), 1, "no redirect is followed");
    }

    #[tokio::test]
    async fn a_server_that_does_not_answer_is_given_up() {
        let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = silent.local_addr().expect("an address");
        let mut fetcher = DocumentFetcher::new().expect("TLS is set up");
        fetcher.time_limit = Duration::from_millis(50);
        let url = HttpsUrl::parse(&format!("http://{address}/a")).expect("a URL");
        let why = fetcher.fetch(&url).await.expect_err("no response");
        assert!(why.contains("no response within 50ms"), "{why}");
    }
}
