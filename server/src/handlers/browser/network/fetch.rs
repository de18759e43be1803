//! HTTP from the daemon, without the browser and without its cookies.

use std::time::Duration;

use base64::{Engine as _, prelude::BASE64_STANDARD};
use browse_proto::{Reason, v1};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method, header};
use tokio::time::{Instant, timeout_at};
use url::Url;

use crate::{
    address,
    dispatch::{CallContext, egress},
};
use browse_base::{Error, Lock, Result};
use browse_content::Sources;
use browse_outbound::{
    ApprovalAction, FetchPolicy, NotAllowed, OutboundRequest, OutboundResponse, UrlGate,
    send_following_redirects,
};
use browse_policy::ClientKind;

/// Bytes of a body that are answered.
const MAX_BODY_BYTES: usize = 500_000;

/// Bytes of what is not JSON that are shown to whoever wanted JSON.
const MAX_EXCERPT_BYTES: usize = 2048;

/// Bytes that may be sent.
const MAX_REQUEST_BYTES: usize = 5 << 20;

/// Longest that a fetch takes.
const FETCH_TIMEOUT: Duration = Duration::from_secs(60);

/// Headers that the connection sets itself.
const RESERVED_HEADERS: [HeaderName; 10] = [
    header::HOST,
    header::CONNECTION,
    header::CONTENT_LENGTH,
    header::TRANSFER_ENCODING,
    header::ACCEPT_ENCODING,
    header::UPGRADE,
    header::TE,
    header::TRAILER,
    header::PROXY_AUTHORIZATION,
    header::EXPECT,
];

/// Fetches an address.
pub async fn fetch(cx: &CallContext, request: v1::FetchRequest) -> Result<v1::FetchResponse> {
    let requested = FetchOptions { parse: request.parse, headers: request.include };
    let ask = build_request(cx, &request.url, Method::GET, HeaderMap::new(), Bytes::new())?;
    Ok(v1::FetchResponse { answer: Some(execute(cx, ask, requested).await?) })
}

/// The text of the document at `url` by the rules of `fetch`, and whether it
/// was cut.
///
/// # Errors
/// Those of `fetch`; the document is not text.
pub(crate) async fn fetch_document(cx: &CallContext, url: &str) -> Result<(String, bool)> {
    let requested = FetchOptions { parse: false, headers: false };
    let ask = build_request(cx, url, Method::GET, HeaderMap::new(), Bytes::new())?;
    let fetched = execute(cx, ask, requested).await?;
    if fetched.base64 {
        let message = "what stands there is no text";
        return Err(Error::new(Reason::ArgumentInvalid, message).with("command", cx.command().name));
    }
    Ok((fetched.body, fetched.truncated))
}

/// Sends a request of any method, with headers and a body.
pub async fn fetch_send(
    cx: &CallContext,
    request: v1::FetchSendRequest,
) -> Result<v1::FetchSendResponse> {
    let requested = FetchOptions { parse: request.parse, headers: request.include };
    let body = request.body.unwrap_or_default();
    if body.len() > MAX_REQUEST_BYTES {
        let message = format!("the body has {} bytes", body.len());
        return Err(Error::new(Reason::TooLarge, message).with("limit", "5 MiB"));
    }
    let method = match request.method.as_deref() {
        Some(method) => method
            .to_ascii_uppercase()
            .parse()
            .ok()
            .filter(|method| *method != Method::CONNECT && *method != Method::TRACE),
        None => Some(Method::POST),
    };
    let method = method.ok_or_else(|| invalid_argument("the method is none that can be sent"))?;
    let headers = parse_headers(&request.header)?;
    let ask = build_request(cx, &request.url, method, headers, body.into())?;
    Ok(v1::FetchSendResponse { answer: Some(execute(cx, ask, requested).await?) })
}

/// What the caller wants to see.
struct FetchOptions {
    parse: bool,
    headers: bool,
}

fn build_request(
    cx: &CallContext,
    url: &str,
    method: Method,
    mut headers: HeaderMap,
    body: Bytes,
) -> Result<OutboundRequest> {
    let asker = address::UrlRequester { cwd: None, ..cx.url_requester() };
    let invalid = |message: &str| Error::new(Reason::UrlInvalid, message).with("url", url);
    let url = match url.trim_start().get(..5) {
        Some(scheme) if scheme.eq_ignore_ascii_case("file:") => {
            return Err(invalid("only http and https are fetched"));
        }
        _ => address::parse(url, &asker)?,
    };
    if !matches!(url.scheme(), "http" | "https") {
        return Err(invalid("only http and https are fetched"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        let message = "an address with a user and password is not fetched";
        return Err(Error::new(Reason::UrlInvalid, message));
    }
    let default = |headers: &mut HeaderMap, name: HeaderName, value: &'static str| {
        headers.entry(name).or_insert(HeaderValue::from_static(value));
    };
    default(&mut headers, header::ACCEPT, "*/*");
    default(&mut headers, header::USER_AGENT, concat!("browse/", env!("CARGO_PKG_VERSION")));
    Ok(OutboundRequest { url, method, headers, body, max_bytes: MAX_BODY_BYTES })
}

/// Reads `name: value` lines.
fn parse_headers(lines: &[String]) -> Result<HeaderMap> {
    let mut headers = HeaderMap::new();
    for line in lines {
        // The value may be a secret, so that no message quotes it.
        let (name, value) = line
            .split_once(':')
            .ok_or_else(|| invalid_argument("a header is `name: value`, and one has no colon"))?;
        let name: HeaderName = name
            .trim()
            .parse()
            .map_err(|_| invalid_argument("the name of a header is not valid"))?;
        if RESERVED_HEADERS.contains(&name) {
            return Err(invalid_argument(&format!("the header `{name}` is set by the connection")));
        }
        let value = HeaderValue::from_str(value.trim()).map_err(|_| {
            invalid_argument(&format!("the value of the header `{name}` is not valid"))
        })?;
        headers.append(name, value);
    }
    Ok(headers)
}

fn invalid_argument(message: &str) -> Error {
    Error::new(Reason::ArgumentInvalid, message).with("command", "fetch send")
}

/// The rules of the caller, for each address on the way.
struct CallerGate<'a> {
    cx: &'a CallContext,
    reach: &'a FetchPolicy,
    /// The addresses that this request was allowed: each may be checked several times.
    allowed: Lock<Vec<Url>>,
}

impl UrlGate for CallerGate<'_> {
    fn check_url(&self, url: &Url) -> Result<()> {
        self.cx.check_address(url)?;
        egress::check_redirect(self.cx, url)?;
        if self.cx.is_root() || self.reach.allows(url) {
            return Ok(());
        }
        let host = url.host_str().unwrap_or_default();
        let host = match url.port() {
            Some(port) => format!("{host}:{port}"),
            None => host.to_owned(),
        };
        let capability = self.cx.capability();
        let (command, approvals) = (self.cx.command().name, self.cx.daemon().approvals());
        let description = format!("{command} {host}");
        // The user of an agent's client is asked about one request, and the owner of a paired
        // agent about a host.
        let waiting = match capability.kind {
            ClientKind::Agent => {
                if self.allowed.lock().contains(url) {
                    return Ok(());
                }
                let mut whole = url.clone();
                whole.set_fragment(None);
                let shown = browse_secrets::redact(whole.as_str());
                let description = format!("{command} {}", browse_base::quote(&shown));
                let key = format!("{command} {whole}");
                let kind = Some(format!("{command} {host}"));
                approvals.check_once(capability, ApprovalAction { key, description, kind })
            }
            _ => approvals.check(capability, description.as_str()),
        };
        if waiting.is_ok() {
            self.allowed.lock().push(url.clone());
        }
        waiting.map_err(|refused| match refused {
            NotAllowed::Waits(id) => {
                let message = format!("`{description}` waits for the owner's approval");
                Error::new(Reason::ApprovalNeeded, message).with("id", id).with("host", host)
            }
            NotAllowed::Denied => {
                let message = format!("the owner denied `{description}`");
                Error::new(Reason::ApprovalDenied, message).with("host", host)
            }
        })
    }
}

async fn execute(
    cx: &CallContext,
    ask: OutboundRequest,
    requested: FetchOptions,
) -> Result<v1::Fetched> {
    let reach = cx.daemon().outbound();
    let rules = CallerGate { cx, reach, allowed: Lock::default() };
    let begun = Instant::now();
    let host = ask.url.host_str().unwrap_or_default().to_owned();
    let limit = cx.deadline().min(begun + FETCH_TIMEOUT);
    let answer =
        timeout_at(limit, send_following_redirects(reach, &rules, ask)).await.map_err(|_| {
            let took = begun.elapsed().as_secs_f64();
            let message = format!("`{host}` gave no whole answer within {took:.1} s");
            Error::new(Reason::DeadlineExceeded, message).with("host", &host)
        })??;
    let mut sources = Sources::default();
    sources.add_url(answer.url.as_str());
    cx.set_sources(sources);
    Ok(to_fetched(answer, &requested, begun.elapsed()))
}

fn to_fetched(answer: OutboundResponse, requested: &FetchOptions, took: Duration) -> v1::Fetched {
    let show = |(name, value): (&HeaderName, &HeaderValue)| v1::Header {
        name: name.to_string(),
        value: browse_secrets::redact_header(
            name.as_str(),
            &String::from_utf8_lossy(value.as_bytes()),
        ),
    };
    let headers: Vec<_> = answer.headers.iter().map(show).collect();
    let mime = answer.headers.get(header::CONTENT_TYPE).map(|value| value.as_bytes());
    let mut fetched = v1::Fetched {
        status: u32::from(answer.status.as_u16()),
        url: answer.url.to_string(),
        mime: mime.map(|mime| String::from_utf8_lossy(mime).into_owned()).unwrap_or_default(),
        size: answer.body.len() as u64,
        truncated: answer.truncated,
        duration_ms: (took.as_secs_f64() * 10_000.0).round() / 10.0,
        ..Default::default()
    };
    if requested.headers {
        let line = |header: &v1::Header| format!("{}: {}\n", header.name, header.value);
        fetched.head = headers.iter().map(line).collect();
    }
    fetched.headers = headers;
    fill_body(&mut fetched, &answer.body, requested);
    fetched
}

/// Puts the body where it belongs: as JSON, as text, or as base64.
fn fill_body(fetched: &mut v1::Fetched, body: &[u8], requested: &FetchOptions) {
    if requested.parse {
        match serde_json::from_slice::<&serde_json::value::RawValue>(body) {
            Ok(value) => return fetched.value = value.get().to_owned(),
            Err(error) => {
                let cut = if fetched.truncated { "the body was cut, and" } else { "the body" };
                fetched.note = format!("{cut} is not JSON: {error}");
                let shown = body.len().min(MAX_EXCERPT_BYTES);
                fetched.truncated |= shown < body.len();
                return fetched.body = String::from_utf8_lossy(&body[..shown]).into_owned();
            }
        }
    }
    match std::str::from_utf8(body) {
        Ok(text) if !text.contains('\0') => fetched.body = text.to_owned(),
        // The cut may go through a letter.
        Err(error) if fetched.truncated && error.error_len().is_none() => {
            fetched.body = String::from_utf8_lossy(&body[..error.valid_up_to()]).into_owned();
        }
        _ if is_text(&fetched.mime) => fetched.body = String::from_utf8_lossy(body).into_owned(),
        _ => {
            fetched.base64 = true;
            fetched.body = BASE64_STANDARD.encode(body);
        }
    }
}

/// Whether the type says that it is text, in whatever encoding.
fn is_text(mime: &str) -> bool {
    let mime = mime.to_ascii_lowercase();
    mime.starts_with("text/") || ["json", "xml", "javascript"].iter().any(|of| mime.contains(of))
}
