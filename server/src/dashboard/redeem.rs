//! Trades the code of a link for the token of a dashboard.

use browse_base::{Error, Result};
use browse_proto::Reason;
use http::{HeaderValue, Request, Response, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use serde::{Deserialize, Serialize};
use tonic::body::Body;

use super::DashboardListener;

/// Bytes of a request: a code in JSON.
const MAX_BODY_BYTES: usize = 1 << 10;

/// Time in which they have to come.
const BODY_TIMEOUT: std::time::Duration = std::time::Duration::from_secs(10);

#[derive(Deserialize)]
struct RedeemRequest {
    code: String,
}

#[derive(Serialize)]
struct RedeemResponse<'a> {
    token: &'a str,
    scopes: &'a [&'static str],
    expires_at: String,
    version: &'a str,
    build_id: &'a str,
    /// Whether it may look only.
    read_only: bool,
}

/// Answers a request with a code.
///
/// # Errors
/// The request is not one; the code is not good.
pub(super) async fn answer(
    listener: &DashboardListener,
    request: Request<Incoming>,
) -> Result<Response<Body>> {
    let invalid = || Error::new(Reason::RequestInvalid, "the body is not a code in JSON");
    let kind = request.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    if kind != Some(b"application/json".as_slice()) {
        return Err(invalid());
    }
    let body = Limited::new(request.into_body(), MAX_BODY_BYTES).collect();
    let body = tokio::time::timeout(BODY_TIMEOUT, body).await;
    let body =
        body.map_err(|_| Error::new(Reason::RequestSlow, "the body did not come in time"))?;
    let bytes = body.map_err(|_| invalid())?.to_bytes();
    let RedeemRequest { code } = serde_json::from_slice(&bytes).map_err(|_| invalid())?;
    let opened = listener.redeem(&code)?;
    let answer = RedeemResponse {
        token: &opened.token,
        read_only: !opened.scopes.contains(&"write"),
        scopes: &opened.scopes,
        expires_at: humantime::format_rfc3339_seconds(opened.expires_at).to_string(),
        version: listener.version(),
        build_id: listener.build_id(),
    };
    let text = serde_json::to_vec(&answer)
        .map_err(|error| Error::new(Reason::Bug, format!("the answer is not JSON: {error}")))?;
    let mut response = Response::new(Body::new(Full::from(text)));
    let json = HeaderValue::from_static("application/json");
    response.headers_mut().insert(header::CONTENT_TYPE, json);
    Ok(response)
}
