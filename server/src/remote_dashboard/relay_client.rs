//! The other end of a relayed dashboard: a daemon, or the gateway of a fleet.

use std::{sync::Arc, time::Duration};

use browse_base::{Error, HINT_KEY, Result};
use browse_proto::{Command, Reason};
use http::{HeaderMap, HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyExt as _, Full, Limited};
use hyper::body::Incoming;
use serde_json::{Map, Value};
use tokio::time::timeout;
use tonic::body::Body;

use super::{
    daemon_client::DaemonClient, fleet_client::FleetClient, gateway_tls,
    pairing_health::PairingHealth, relay_request::RelayTarget, tls,
};

/// Time that a call for ourselves gets.
const CALL_TIMEOUT: Duration = Duration::from_secs(20);

/// Bytes of an answer to such a call, which may be the page.
const MAX_ANSWER_BYTES: usize = 32 << 20;

/// What to do when the pairing ends, by the owner or with the daemon.
pub const PAIRING_ENDED_HINT: &str =
    "Ask the owner for a new block (`browse pair new <name> --dashboard`), and redeem that";

/// Calls the other end.
pub enum RelayClient {
    /// A daemon, by a pairing.
    Daemon(DaemonClient),
    /// A fleet, by a sign-in.
    Fleet(Box<FleetClient>),
}

impl RelayClient {
    /// A client without a connection.
    ///
    /// # Errors
    /// What is known of the other end is not whole.
    pub fn new(target: RelayTarget) -> Result<Self> {
        Ok(match target {
            RelayTarget::Daemon(daemon) => Self::Daemon(DaemonClient::new(daemon)?),
            RelayTarget::Fleet(fleet) => Self::Fleet(Box::new(FleetClient::new(fleet)?)),
        })
    }

    /// What its calls have shown.
    pub fn health(&self) -> &Arc<PairingHealth> {
        match self {
            Self::Daemon(daemon) => daemon.health(),
            Self::Fleet(fleet) => fleet.health(),
        }
    }

    /// Sends a request to `path` with its own token.
    ///
    /// # Errors
    /// As [`DaemonClient::post`] and [`FleetClient::post`].
    pub async fn post(
        &self,
        path: &str,
        headers: HeaderMap,
        body: Body,
    ) -> Result<Response<Incoming>> {
        match self {
            Self::Daemon(daemon) => daemon.post(path, headers, body).await,
            Self::Fleet(fleet) => fleet.post(path, headers, body).await,
        }
    }

    /// Calls `Service/Method` for ourselves, without arguments.
    ///
    /// # Errors
    /// Those of the command, and of [`RelayClient::post`].
    pub async fn call(&self, method: &str) -> Result<Map<String, Value>> {
        let called = timeout(CALL_TIMEOUT, self.call_in_json(method)).await;
        called.map_err(|_| self.unreachable("a call takes more than 20 s"))?
    }

    async fn call_in_json(&self, method: &str) -> Result<Map<String, Value>> {
        let json = HeaderValue::from_static("application/json");
        let headers = HeaderMap::from_iter([(header::CONTENT_TYPE, json)]);
        let path = format!("/browse.v1.{method}");
        let response = self.post(&path, headers, Body::new(Full::from("{}"))).await?;
        let (parts, body) = response.into_parts();
        let bytes = Limited::new(body, MAX_ANSWER_BYTES).collect().await;
        let bytes = bytes.map_err(|error| self.unreachable(&error.to_string()))?.to_bytes();
        if parts.status != StatusCode::OK {
            return Err(self.error_of(&bytes));
        }
        serde_json::from_slice(&bytes).map_err(|_| self.foreign("its answer is not JSON"))
    }

    /// Whether its dashboard may call this. What a daemon refuses is left to that.
    ///
    /// # Errors
    /// `FLEET_DENIED`.
    pub fn check_served(&self, command: &Command) -> Result<()> {
        match self {
            Self::Fleet(_) if !(command.fleet && command.remote_dashboard) => {
                let message = format!("the dashboard of a fleet has no `{}`", command.name);
                Err(Error::new(Reason::FleetDenied, message))
            }
            Self::Daemon(_) | Self::Fleet(_) => Ok(()),
        }
    }

    /// Why no later call succeeds, once that is so.
    pub fn end(&self) -> Option<Error> {
        match self {
            Self::Fleet(fleet) => fleet.end(),
            Self::Daemon(daemon) => daemon.health().is_ended().then(|| {
                let message = "the pairing has ended: it was revoked, or its time is over";
                Error::new(Reason::TokenInvalid, message).with(HINT_KEY, PAIRING_ENDED_HINT)
            }),
        }
    }

    /// The error when it has not answered for a long time.
    pub fn silence(&self, time: Duration) -> Error {
        let seconds = time.as_secs();
        match self {
            Self::Fleet(fleet) => fleet.unreachable(&format!("nothing came for {seconds} s")),
            Self::Daemon(_) => {
                let message = format!("the daemon has not answered for {seconds} s");
                let error = Error::new(Reason::DaemonUnreachable, message);
                error.with(HINT_KEY, PAIRING_ENDED_HINT)
            }
        }
    }

    /// The error of what answers and is another server.
    pub fn foreign(&self, what: &str) -> Error {
        match self {
            Self::Daemon(_) => tls::foreign(what),
            Self::Fleet(_) => gateway_tls::foreign(what),
        }
    }

    fn unreachable(&self, why: &str) -> Error {
        match self {
            Self::Daemon(daemon) => daemon.unreachable(why),
            Self::Fleet(fleet) => fleet.unreachable(why),
        }
    }

    /// The error in the answer to a call that failed.
    fn error_of(&self, answer: &[u8]) -> Error {
        known_error(answer).unwrap_or_else(|| self.foreign("its error gives no reason"))
    }
}

fn known_error(answer: &[u8]) -> Option<Error> {
    let document: Value = serde_json::from_slice(answer).ok()?;
    let info = &document["details"][0]["debug"];
    let reason = info["reason"].as_str().and_then(Reason::by_name)?;
    let error = Error::new(reason, document["message"].as_str().unwrap_or_default());
    Some(match info["hint"].as_str() {
        Some(hint) => error.with(HINT_KEY, hint),
        None => error,
    })
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_error_of_the_other_end_keeps_its_reason_and_hint() {
        let debug = json!({"reason": "TUNNEL_DENIED", "hint": "Do it there"});
        let answer = json!({"message": "no", "details": [{"debug": debug}]});
        let error = known_error(answer.to_string().as_bytes()).expect("an error");
        assert_eq!((error.reason(), error.hint()), (Reason::TunnelDenied, "Do it there".into()));
        for other in ["", "<html>", "{}", r#"{"details":[{"debug":{"reason":"NOPE"}}]}"#] {
            assert!(known_error(other.as_bytes()).is_none(), "{other}");
        }
    }
}
