//! The other end of a relayed dashboard: a daemon, or the gateway of a fleet.

use std::{sync::Arc, time::Duration};

use browse_base::{Error, HINT_KEY, Result};
use browse_proto::{Command, Reason};
use http::{HeaderMap, HeaderValue, Response, header};
use http_body_util::Full;
use hyper::body::Incoming;
use serde_json::{Map, Value};
use tokio::time::timeout;
use tonic::body::Body;

use super::{
    daemon_client::DaemonClient, fleet_client::FleetClient, pairing_health::PairingHealth,
    relay_request::RelayTarget, tls,
};
use crate::{
    fleet_gateway,
    relay_http::{AnswerFailure, read_json_answer},
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
        let answer = read_json_answer(response, MAX_ANSWER_BYTES).await;
        answer.map_err(|failure| match failure {
            AnswerFailure::Reported(error) => error,
            AnswerFailure::Broken(why) => self.unreachable(&why),
            AnswerFailure::Foreign(what) => self.foreign(what),
        })
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
            Self::Fleet(_) => fleet_gateway::foreign(what),
        }
    }

    fn unreachable(&self, why: &str) -> Error {
        match self {
            Self::Daemon(daemon) => daemon.unreachable(why),
            Self::Fleet(fleet) => fleet.unreachable(why),
        }
    }
}
