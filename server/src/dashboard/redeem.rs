//! Trades the code of a link for the token of a dashboard.

use browse_base::{Error, Result};
use browse_policy::layer::{json_answer, read_json};
use browse_proto::Reason;
use http::{HeaderValue, Request, Response, header};
use hyper::body::Incoming;
use serde::{Deserialize, Serialize};
use tonic::body::Body;

use super::{DaemonPlace, DashboardListener};

/// Bytes of a request: a code in JSON.
const MAX_BODY_BYTES: usize = 1 << 10;

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
    /// Whether the daemon is on another machine.
    remote: bool,
    /// Whether it is the pods of a fleet.
    fleet: bool,
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
    let RedeemRequest { code } = read_json(request.into_body(), MAX_BODY_BYTES).await?;
    let opened = listener.redeem(&code)?;
    let answer = RedeemResponse {
        token: &opened.token,
        read_only: !opened.scopes.contains(&"write"),
        scopes: &opened.scopes,
        expires_at: humantime::format_rfc3339_seconds(opened.expires_at).to_string(),
        version: listener.version(),
        build_id: listener.build_id(),
        remote: listener.place() != DaemonPlace::Here,
        fleet: listener.place() == DaemonPlace::Fleet,
    };
    json_answer(&answer)
}
