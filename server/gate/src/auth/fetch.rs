//! Fetches a small document of the issuer: one request on a connection of its own, with a time
//! limit and a size limit. No redirect is followed, and no proxy is used.

use std::{
    fmt,
    net::{IpAddr, SocketAddr},
    sync::Arc,
    time::Duration,
};

use bytes::Bytes;
use http::{
    Request, StatusCode, Uri,
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
use tokio_rustls::{
    TlsConnector,
    rustls::{ClientConfig, RootCertStore, crypto::ring, pki_types::ServerName},
};

/// Time for one document, from the lookup of the host to the last byte.
const TIME_LIMIT: Duration = Duration::from_secs(5);

/// Largest document.
const MAX_BYTES: usize = 256 << 10;

/// A URL that may be fetched: `https`, or `http` on a loopback address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FetchUrl {
    is_https: bool,
    /// Host with the port, if there is one in the URL.
    authority: String,
    /// Host without the brackets of an IPv6 address.
    host: String,
    port: u16,
    path: String,
}

/// Fetches documents.
pub struct DocumentFetcher {
    tls: TlsConnector,
    time_limit: Duration,
}

impl FetchUrl {
    /// Checks a URL.
    ///
    /// # Errors
    /// What is wrong with it, in words.
    pub fn parse(text: &str) -> Result<Self, String> {
        let uri: Uri = text.parse().map_err(|_| "it is not a URL".to_owned())?;
        let is_https = match uri.scheme_str() {
            Some("https") => true,
            Some("http") => false,
            _ => return Err("it is not a URL with `https://`".to_owned()),
        };
        let authority = uri.authority().ok_or_else(|| "it has no host".to_owned())?;
        let host = authority.host().trim_start_matches('[').trim_end_matches(']');
        if host.is_empty() {
            return Err("it has no host".to_owned());
        }
        if authority.as_str().contains('@') {
            return Err("it contains the name of a user".to_owned());
        }
        if !is_https && !is_loopback(host) {
            return Err("`http://` is accepted for loopback addresses only: use `https://`".into());
        }
        let default_port = if is_https { 443 } else { 80 };
        Ok(Self {
            is_https,
            authority: authority.as_str().to_owned(),
            host: host.to_owned(),
            port: authority.port_u16().unwrap_or(default_port),
            path: uri.path_and_query().map_or("/", |path| path.as_str()).to_owned(),
        })
    }

    /// Whether the connection is encrypted.
    pub fn is_https(&self) -> bool {
        self.is_https
    }

    async fn connect(&self) -> Result<TcpStream, String> {
        let found = lookup_host((self.host.as_str(), self.port)).await.map_err(words)?;
        // `localhost` is a name, which could be resolved to any address.
        let addresses: Vec<SocketAddr> =
            found.filter(|address| self.is_https || address.ip().is_loopback()).collect();
        TcpStream::connect(addresses.as_slice()).await.map_err(words)
    }
}

impl DocumentFetcher {
    /// Reads the certificate authorities of the system.
    ///
    /// # Errors
    /// TLS cannot be set up, in words.
    pub fn new() -> Result<Self, String> {
        let found = rustls_native_certs::load_native_certs();
        let mut roots = RootCertStore::empty();
        roots.add_parsable_certificates(found.certs);
        if roots.is_empty() {
            tracing::warn!(
                errors = ?found.errors,
                "the system has no certificate authorities: no issuer can be reached by https"
            );
        }
        let mut config = ClientConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_safe_default_protocol_versions()
            .map_err(words)?
            .with_root_certificates(roots)
            .with_no_client_auth();
        config.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self { tls: TlsConnector::from(Arc::new(config)), time_limit: TIME_LIMIT })
    }

    /// Fetches a document.
    ///
    /// # Errors
    /// Why there is none, in words.
    pub async fn fetch(&self, url: &FetchUrl) -> Result<Bytes, String> {
        let fetched = timeout(self.time_limit, self.fetch_without_limit(url)).await;
        let fetched =
            fetched.unwrap_or_else(|_| Err(format!("no response within {:?}", self.time_limit)));
        fetched.map_err(|why| format!("`{url}` cannot be fetched: {why}"))
    }

    async fn fetch_without_limit(&self, url: &FetchUrl) -> Result<Bytes, String> {
        let stream = url.connect().await?;
        if !url.is_https {
            return request(TokioIo::new(stream), url).await;
        }
        let name = ServerName::try_from(url.host.clone()).map_err(words)?;
        let stream = self.tls.connect(name, stream).await.map_err(words)?;
        request(TokioIo::new(stream), url).await
    }
}

impl fmt::Display for FetchUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.is_https { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority, self.path)
    }
}

/// Sends one request on a connection and reads the response.
async fn request<S>(stream: S, url: &FetchUrl) -> Result<Bytes, String>
where
    S: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
{
    let (mut sender, connection) =
        http1::handshake::<_, Empty<Bytes>>(stream).await.map_err(words)?;
    // Dropped with this call, which ends the connection also when the time is up.
    let mut tasks = JoinSet::new();
    tasks.spawn(connection);
    let request = Request::get(url.path.as_str())
        .header(HOST, url.authority.as_str())
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

fn is_loopback(host: &str) -> bool {
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn words(error: impl fmt::Display) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::auth::tests::server::TestServer;

    #[test]
    fn a_url_is_https_or_on_loopback() {
        for (text, port) in [
            ("https://i.example", 443),
            ("https://i.example:8443/a/b?c=d", 8443),
            ("https://[2001:db8::1]/a", 443),
            ("http://127.0.0.1:81/a", 81),
            ("http://[::1]/a", 80),
            ("http://localhost/a", 80),
        ] {
            let url = FetchUrl::parse(text).expect(text);
            assert_eq!(url.port, port, "{text}");
            assert!(url.to_string().starts_with(text), "{text}: {url}");
        }
        for text in [
            "",
            "i.example",
            "/a",
            "ftp://i.example",
            "http://i.example",
            "http://10.0.0.1",
            "http://127.0.0.1.i.example",
            "https://a@i.example",
            "http://127.0.0.1@i.example",
            "https://",
        ] {
            assert!(FetchUrl::parse(text).is_err(), "{text}");
        }
    }

    #[tokio::test]
    async fn only_a_whole_document_is_taken() {
        let server = TestServer::start();
        let fetcher = DocumentFetcher::new().expect("TLS is set up");
        let url = |path: &str| FetchUrl::parse(&format!("{}{path}", server.url())).expect(path);
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
        let url = FetchUrl::parse(&format!("http://{address}/a")).expect("a URL");
        let why = fetcher.fetch(&url).await.expect_err("no response");
        assert!(why.contains("no response within 50ms"), "{why}");
    }
}
