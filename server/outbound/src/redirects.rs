//! A request that follows redirects; each of its steps passes the gate.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, Method, StatusCode, header};
use url::Url;

use super::{
    http_request::{HttpRequest, WebResponse, send_once},
    ssrf_check::{FetchPolicy, host_unreachable},
};
use browse_base::Result;

/// Redirects that are followed, as browsers do at most.
const MAX_REDIRECTS: usize = 20;

/// What is asked for.
pub struct OutboundRequest {
    /// Where.
    pub url: Url,
    /// How.
    pub method: Method,
    /// Headers beside those that are always sent.
    pub headers: HeaderMap,
    /// What is sent along.
    pub body: Bytes,
    /// Bytes of the answer that are kept.
    pub max_bytes: usize,
}

/// What came back in the end.
pub struct OutboundResponse {
    /// Where it came from.
    pub url: Url,
    /// HTTP status.
    pub status: StatusCode,
    /// As they came, `set-cookie` too.
    pub headers: HeaderMap,
    /// The body, or its beginning.
    pub body: Bytes,
    /// Whether it is the beginning only.
    pub truncated: bool,
}

/// Decides about each address before anything is sent to it.
pub trait UrlGate {
    /// Lets a request to `url` pass.
    ///
    /// # Errors
    /// Why not.
    fn check_url(&self, url: &Url) -> Result<()>;
}

/// Sends `ask` and follows where it leads.
///
/// # Errors
/// Those of `gate` and of [`Reach::addresses`], for each address on the way;
/// `FETCH_FAILED`, `CERTIFICATE_INVALID`.
pub async fn send_following_redirects(
    reach: &FetchPolicy,
    gate: &impl UrlGate,
    ask: OutboundRequest,
) -> Result<OutboundResponse> {
    let OutboundRequest { mut url, mut method, mut headers, mut body, max_bytes: most } = ask;
    for _ in 0..=MAX_REDIRECTS {
        url.set_fragment(None);
        gate.check_url(&url)?;
        let sent = HttpRequest { method: &method, headers: &headers, body: body.clone() };
        let WebResponse { status, headers: found, body: answer, truncated } =
            send_once(reach, &url, sent, most).await?;
        let Some(next) = redirect_target(&url, status, &found) else {
            return Ok(OutboundResponse { url, status, headers: found, body: answer, truncated });
        };
        // As the Fetch standard has it, section "HTTP-redirect fetch".
        let post = method == Method::POST;
        let becomes_get = match status.as_u16() {
            301 | 302 => post,
            303 => method != Method::GET && method != Method::HEAD,
            _ => false,
        };
        if becomes_get {
            method = Method::GET;
            body = Bytes::new();
            let of_body = |name: &HeaderName| name.as_str().starts_with("content-");
            remove_headers(&mut headers, of_body);
        }
        if next.origin() != url.origin() {
            let is_secret = |name: &HeaderName| browse_secrets::is_secret_name(name.as_str());
            remove_headers(&mut headers, is_secret);
        }
        url = next;
    }
    Err(host_unreachable(&url, &format!("it redirects more than {MAX_REDIRECTS} times")))
}

fn remove_headers(headers: &mut HeaderMap, is_meant: impl Fn(&HeaderName) -> bool) {
    let names: Vec<HeaderName> = headers.keys().filter(|name| is_meant(name)).cloned().collect();
    for name in names {
        headers.remove(name);
    }
}

/// Where an answer leads. What is not an address of the web is answered as it is.
fn redirect_target(url: &Url, status: StatusCode, headers: &HeaderMap) -> Option<Url> {
    if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = headers.get(header::LOCATION)?;
    let mut next = url.join(&String::from_utf8_lossy(location.as_bytes())).ok()?;
    let _ = next.set_username("");
    let _ = next.set_password(None);
    matches!(next.scheme(), "http" | "https").then_some(next)
}
