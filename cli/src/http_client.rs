//! Small requests to the gateway of a fleet and to its issuer: each on a connection of its own, by
//! HTTP/1.1, with a time limit and a size limit. No redirect is followed, and no proxy is used.

use std::{
    cell::OnceCell, fmt, future::poll_fn, net, path::PathBuf, pin::Pin, sync::Arc, time::Instant,
};

use http::{HeaderValue, Request, header};
use hyper::{body::Body as _, client::conn::http1};
use hyper_util::rt::TokioIo;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use tokio::{net::TcpStream, time::timeout};
use tokio_rustls::{TlsConnector, rustls::pki_types::ServerName};

use crate::{
    address::{Address, DaemonSocket},
    certificates, event_loop,
    failure::Result,
    io_failure,
};
use browse_pin::HttpsUrl;

/// Largest answer.
const MAX_ANSWER_BYTES: usize = 256 << 10;

/// What stands as it is in the value of a form.
const FORM_CHARACTERS: &AsciiSet =
    &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// What the server answered, whatever its status.
#[derive(Debug)]
pub struct HttpAnswer {
    /// The status, such as 200.
    pub status: u16,
    /// The body.
    pub body: Vec<u8>,
}

/// Sends requests, and trusts the authorities of this machine and of one file.
pub struct HttpClient {
    ca: Option<PathBuf>,
    /// Made with the first request that needs it: reading the authorities takes milliseconds.
    connector: OnceCell<TlsConnector>,
}

impl HttpClient {
    /// A client that trusts the authorities of the file `ca`, too.
    ///
    /// # Errors
    /// `CERTIFICATE_UNUSABLE`.
    pub fn new(ca: Option<PathBuf>) -> Result<Self> {
        if let Some(path) = &ca {
            certificates::read_authorities(path)?;
        }
        Ok(Self { ca, connector: OnceCell::new() })
    }

    /// Asks for a document.
    ///
    /// # Errors
    /// Why the answer was not complete by `end`, in words.
    pub fn get(&self, url: &HttpsUrl, end: Instant) -> Result<HttpAnswer, String> {
        let request = Request::get(url.path()).body(String::new()).map_err(words)?;
        self.send(url, request, end)
    }

    /// Sends a form.
    ///
    /// # Errors
    /// As [`HttpClient::get`].
    pub fn post_form(
        &self,
        url: &HttpsUrl,
        fields: &[(&str, &str)],
        end: Instant,
    ) -> Result<HttpAnswer, String> {
        let encoded = |text| utf8_percent_encode(text, FORM_CHARACTERS);
        let pairs = fields.iter().map(|(name, value)| format!("{name}={}", encoded(value)));
        let request = Request::post(url.path())
            .header(header::CONTENT_TYPE, "application/x-www-form-urlencoded")
            .body(pairs.collect::<Vec<_>>().join("&"))
            .map_err(words)?;
        self.send(url, request, end)
    }

    fn send(
        &self,
        url: &HttpsUrl,
        mut request: Request<String>,
        end: Instant,
    ) -> Result<HttpAnswer, String> {
        let host = HeaderValue::from_str(url.authority()).map_err(words)?;
        let headers = request.headers_mut();
        headers.insert(header::HOST, host);
        headers.insert(header::ACCEPT, HeaderValue::from_static("application/json"));
        headers.insert(header::USER_AGENT, HeaderValue::from_static("browse"));
        let left = || end.saturating_duration_since(Instant::now());
        let address = Address::Tcp(url.address());
        let socket = address.connect_within(Some(left()));
        let DaemonSocket::Tcp(stream) = socket.map_err(|error| io_failure::error_text(&error))?
        else {
            return Err("it is not a socket of TCP".to_owned());
        };
        url.check_peer(&stream)?;
        let runtime = event_loop::new().map_err(|failure| failure.message.clone())?;
        runtime.block_on(async {
            match timeout(left(), self.exchange(url, stream, request)).await {
                Ok(answer) => answer,
                Err(_) => Err("it does not answer in time".to_owned()),
            }
        })
    }

    async fn exchange(
        &self,
        url: &HttpsUrl,
        stream: net::TcpStream,
        request: Request<String>,
    ) -> Result<HttpAnswer, String> {
        stream.set_nonblocking(true).map_err(words)?;
        let stream = TcpStream::from_std(stream).map_err(words)?;
        if !url.is_tls() {
            return exchange_on(TokioIo::new(stream), request).await;
        }
        let name = ServerName::try_from(url.host().to_owned()).map_err(words)?;
        let stream = self.connector()?.connect(name, stream).await.map_err(words)?;
        exchange_on(TokioIo::new(stream), request).await
    }

    fn connector(&self) -> Result<&TlsConnector, String> {
        if let Some(connector) = self.connector.get() {
            return Ok(connector);
        }
        let config = certificates::client_config(self.ca.as_deref(), b"http/1.1");
        let config = config.map_err(|failure| failure.message.clone())?;
        Ok(self.connector.get_or_init(|| TlsConnector::from(Arc::new(config))))
    }
}

async fn exchange_on<I>(io: I, request: Request<String>) -> Result<HttpAnswer, String>
where
    I: hyper::rt::Read + hyper::rt::Write + Unpin + Send + 'static,
{
    let (mut requests, connection) = http1::handshake::<I, String>(io).await.map_err(words)?;
    // Its error reaches the request, and it ends with the event loop.
    tokio::spawn(async move { drop(connection.await) });
    let response = requests.send_request(request).await.map_err(words)?;
    let status = response.status().as_u16();
    let mut incoming = response.into_body();
    let mut body = Vec::new();
    while let Some(frame) = poll_fn(|cx| Pin::new(&mut incoming).poll_frame(cx)).await {
        let Ok(data) = frame.map_err(words)?.into_data() else { continue };
        body.extend_from_slice(&data);
        if body.len() > MAX_ANSWER_BYTES {
            return Err(format!("its answer is larger than {} KiB", MAX_ANSWER_BYTES >> 10));
        }
    }
    Ok(HttpAnswer { status, body })
}

fn words(error: impl fmt::Display) -> String {
    error.to_string()
}
