//! One request and its answer, without following where it leads.

use std::time::Duration;

use bytes::Bytes;
use http::{HeaderMap, HeaderValue, Method, Request, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full};
use hyper::{body::Incoming, client::conn::http1};
use hyper_util::rt::TokioIo;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::TcpStream,
    time::timeout,
};
use tokio_util::task::AbortOnDropHandle;
use url::Url;

use super::{
    ssrf_check::{FetchPolicy, host_unreachable},
    tls,
};
use browse_base::Result;

/// Longest that one of several addresses gets to answer.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(4);

/// What came back.
pub struct WebResponse {
    pub status: StatusCode,
    pub headers: HeaderMap,
    pub body: Bytes,
    /// Whether there is more of the body.
    pub truncated: bool,
}

/// What is sent.
pub struct HttpRequest<'a> {
    pub method: &'a Method,
    pub headers: &'a HeaderMap,
    pub body: Bytes,
}

/// Sends to `url`, at an address that was checked, and reads at most `most`
/// bytes of the answer.
///
/// # Errors
/// Those of [`Reach::addresses`]; `FETCH_FAILED`, `CERTIFICATE_INVALID`.
pub async fn send_once(
    reach: &FetchPolicy,
    url: &Url,
    sent: HttpRequest<'_>,
    most: usize,
) -> Result<WebResponse> {
    let stream = connect(reach, url).await?;
    let request = build_request(url, sent)?;
    match url.scheme() {
        "https" => send_http1(url, tls::handshake(url, stream).await?, request, most).await,
        _ => send_http1(url, stream, request, most).await,
    }
}

async fn connect(reach: &FetchPolicy, url: &Url) -> Result<TcpStream> {
    let mut last = host_unreachable(url, "it has no address");
    for address in reach.resolve_checked(url).await? {
        match timeout(CONNECT_TIMEOUT, TcpStream::connect(address)).await {
            Ok(Ok(stream)) => {
                let _ = stream.set_nodelay(true);
                return Ok(stream);
            }
            Ok(Err(error)) => last = host_unreachable(url, &error.to_string()),
            Err(_) => last = host_unreachable(url, &format!("{} does not answer", address.ip())),
        }
    }
    Err(last)
}

fn build_request(url: &Url, sent: HttpRequest<'_>) -> Result<Request<Full<Bytes>>> {
    let path = &url[url::Position::BeforePath..url::Position::AfterQuery];
    let mut request = Request::new(Full::new(sent.body));
    *request.method_mut() = sent.method.clone();
    *request.uri_mut() = path
        .parse()
        .map_err(|error: http::uri::InvalidUri| host_unreachable(url, &error.to_string()))?;
    *request.headers_mut() = sent.headers.clone();
    let host = &url[url::Position::BeforeHost..url::Position::AfterPort];
    let host =
        HeaderValue::from_str(host).map_err(|error| host_unreachable(url, &error.to_string()))?;
    let headers = request.headers_mut();
    headers.insert(header::HOST, host);
    headers.insert(header::CONNECTION, HeaderValue::from_static("close"));
    // Nothing here unpacks, so nothing is to be packed.
    headers.insert(header::ACCEPT_ENCODING, HeaderValue::from_static("identity"));
    Ok(request)
}

async fn send_http1<S>(
    url: &Url,
    stream: S,
    request: Request<Full<Bytes>>,
    most: usize,
) -> Result<WebResponse>
where
    S: AsyncRead + AsyncWrite + Unpin + Send + 'static,
{
    let broken = |error: hyper::Error| host_unreachable(url, &error.to_string());
    let handshake = http1::Builder::new().handshake(TokioIo::new(stream)).await;
    let (mut sender, connection) = handshake.map_err(broken)?;
    // Ends with this call, whatever the server still has to say.
    let _driver = AbortOnDropHandle::new(tokio::spawn(connection));
    let response: Response<Incoming> = sender.send_request(request).await.map_err(broken)?;
    let (head, mut incoming) = response.into_parts();
    let mut body = Vec::new();
    let mut truncated = false;
    while let Some(frame) = incoming.frame().await {
        let Ok(data) = frame.map_err(broken)?.into_data() else { continue };
        let room = most - body.len();
        body.extend_from_slice(&data[..data.len().min(room)]);
        if data.len() > room {
            truncated = true;
            break;
        }
    }
    Ok(WebResponse { status: head.status, headers: head.headers, body: body.into(), truncated })
}
