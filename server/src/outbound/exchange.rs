//! A request that follows redirects; each of its steps passes the gate.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, Method, StatusCode, header};
use url::Url;

use super::{
    checked::{Reach, unreachable},
    hop::{Hop, Sent, hop},
};
use crate::{error::Result, secrets};

/// Redirects that are followed, as browsers do at most.
const MOST_REDIRECTS: usize = 20;

/// What is asked for.
pub struct Ask {
    /// Where.
    pub url: Url,
    /// How.
    pub method: Method,
    /// Headers beside those that are always sent.
    pub headers: HeaderMap,
    /// What is sent along.
    pub body: Bytes,
    /// Bytes of the answer that are kept.
    pub most: usize,
}

/// What came back in the end.
pub struct Answer {
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
pub trait Gate {
    /// Lets a request to `url` pass.
    ///
    /// # Errors
    /// Why not.
    fn pass(&self, url: &Url) -> Result<()>;
}

/// Sends `ask` and follows where it leads.
///
/// # Errors
/// Those of `gate` and of [`Reach::addresses`], for each address on the way;
/// `FETCH_FAILED`, `CERTIFICATE_INVALID`.
pub async fn exchange(reach: &Reach, gate: &impl Gate, ask: Ask) -> Result<Answer> {
    let Ask { mut url, mut method, mut headers, mut body, most } = ask;
    for _ in 0..=MOST_REDIRECTS {
        url.set_fragment(None);
        gate.pass(&url)?;
        let sent = Sent { method: &method, headers: &headers, body: body.clone() };
        let Hop { status, headers: found, body: answer, truncated } =
            hop(reach, &url, sent, most).await?;
        let Some(next) = redirect(&url, status, &found) else {
            return Ok(Answer { url, status, headers: found, body: answer, truncated });
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
            remove(&mut headers, of_body);
        }
        if next.origin() != url.origin() {
            let is_secret = |name: &HeaderName| secrets::is_secret_name(name.as_str());
            remove(&mut headers, is_secret);
        }
        url = next;
    }
    Err(unreachable(&url, &format!("it redirects more than {MOST_REDIRECTS} times")))
}

fn remove(headers: &mut HeaderMap, is_meant: impl Fn(&HeaderName) -> bool) {
    let names: Vec<HeaderName> = headers.keys().filter(|name| is_meant(name)).cloned().collect();
    for name in names {
        headers.remove(name);
    }
}

/// Where an answer leads. What is no address of the web is answered as it is.
fn redirect(url: &Url, status: StatusCode, headers: &HeaderMap) -> Option<Url> {
    if !matches!(status.as_u16(), 301 | 302 | 303 | 307 | 308) {
        return None;
    }
    let location = headers.get(header::LOCATION)?;
    let mut next = url.join(&String::from_utf8_lossy(location.as_bytes())).ok()?;
    let _ = next.set_username("");
    let _ = next.set_password(None);
    matches!(next.scheme(), "http" | "https").then_some(next)
}
