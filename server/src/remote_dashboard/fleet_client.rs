//! Calls of a fleet, at its gateway, as those of a person: with the header of dashboards and the
//! session of the command line, until the sign-in has ended.

use std::sync::Arc;

use browse_base::{Error, Lock, Result};
use browse_proto::{Reason, metadata};
use http::{HeaderMap, HeaderValue, Response};
use hyper::body::Incoming;
use tonic::body::Body;

use super::{pairing_health::PairingHealth, relay_request::RemoteFleet};
use crate::fleet_gateway::{CallContent, FleetSignIn, GatewayClient};

/// Calls one fleet.
pub struct FleetClient {
    name: String,
    /// The session of calls that name none.
    session: Option<HeaderValue>,
    gateway: GatewayClient,
    health: Arc<PairingHealth>,
    /// Why no later call succeeds.
    end: Lock<Option<Error>>,
}

impl FleetClient {
    /// A client without a connection.
    ///
    /// # Errors
    /// As [`FleetSignIn::open`]; `ARGUMENT_INVALID`: the session cannot be one.
    pub fn new(fleet: RemoteFleet) -> Result<Self> {
        let session = fleet.session.as_deref().map(session_header).transpose()?;
        let sign_in = FleetSignIn::open(fleet.home, fleet.name.clone(), fleet.program)?;
        Ok(Self {
            name: fleet.name,
            session,
            gateway: GatewayClient::new(sign_in),
            health: Arc::default(),
            end: Lock::default(),
        })
    }

    /// What its calls have shown.
    pub fn health(&self) -> &Arc<PairingHealth> {
        &self.health
    }

    /// The name of the fleet on this machine.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Why no later call succeeds: the sign-in has ended, or `browse logout` has removed it.
    pub fn end(&self) -> Option<Error> {
        let failure = self.gateway.sign_in().read().err();
        let removed = failure.filter(|error| error.reason() == Reason::RemoteUnknown);
        removed.or_else(|| self.end.lock().clone())
    }

    /// The error of a gateway that does not answer.
    pub fn unreachable(&self, why: &str) -> Error {
        self.gateway.unreachable(why)
    }

    /// Sends a request to `path` with the token of the sign-in.
    ///
    /// # Errors
    /// As [`GatewayClient::post`].
    pub async fn post(
        &self,
        path: &str,
        mut headers: HeaderMap,
        body: Body,
    ) -> Result<Response<Incoming>> {
        headers.insert(metadata::DASHBOARD, HeaderValue::from_static("1"));
        if let Some(session) = &self.session
            && !headers.contains_key(metadata::SESSION)
        {
            headers.insert(metadata::SESSION, session.clone());
        }
        let content = CallContent::read(body).await?;
        let sent = self.gateway.post(path, &headers, content).await;
        match &sent {
            Ok(_) => self.health.note_answer(false),
            Err(error) if ends_sign_in(error) => {
                self.end.lock().get_or_insert_with(|| error.clone());
                self.health.note_answer(true);
            }
            Err(error) if error.reason() == Reason::DaemonUnreachable => {
                self.health.note_unreachable();
            }
            Err(_) => {}
        }
        sent
    }
}

/// Whether the error means that the sign-in has ended, so that no later call succeeds.
fn ends_sign_in(error: &Error) -> bool {
    matches!(
        error.reason(),
        Reason::TokenMissing
            | Reason::TokenInvalid
            | Reason::TokenExpired
            | Reason::TokenRevoked
            | Reason::TokenForeign
            | Reason::RemoteUnknown
    )
}

fn session_header(session: &str) -> Result<HeaderValue> {
    HeaderValue::try_from(session).map_err(|_| {
        let message = format!("`{}` does not name a session", session.escape_debug());
        Error::new(Reason::ArgumentInvalid, message).with("command", "dashboard")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_ends_with_its_token_and_not_with_its_issuer() {
        for reason in [Reason::TokenExpired, Reason::TokenInvalid, Reason::RemoteUnknown] {
            assert!(ends_sign_in(&Error::new(reason, "it has ended")), "{}", reason.name());
        }
        for reason in [Reason::IssuerUnusable, Reason::DaemonUnreachable] {
            assert!(!ends_sign_in(&Error::new(reason, "it does not answer")), "{}", reason.name());
        }
    }
}
