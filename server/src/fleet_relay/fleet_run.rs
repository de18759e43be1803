//! One run of a skill in a session of a fleet. Each call of the skill goes on to the gateway, which
//! holds it to the hosts of the skill, to reading and writing, and to its session. So does the pod,
//! below the page.

use std::{sync::Arc, time::Duration};

use browse_base::{Error, HINT_KEY, Result};
use browse_net::HostPolicy;
use browse_policy::Grant;
use browse_proto::{Command, Reason, metadata};
use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Response, header};
use serde_json::{Map, Value, json};
use tokio::time::timeout;
use tonic::body::Body;

use super::relayed_answer::relay;
use crate::{
    fleet_gateway::{CallContent, FleetSignIn, GatewayClient},
    relay_http::selected,
};

/// Milliseconds that the session gets to find a place in the fleet.
const PLACE_TIMEOUT_MS: u64 = 30_000;

/// Time on top of that until the gateway has answered.
const ANSWER_MARGIN: Duration = Duration::from_secs(15);

/// Time that the session gets to be closed.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(5);

/// What a skill may do.
const SKILL_SCOPES: &str = "read,write";

/// Headers of a call that the gateway gets.
const CALL_HEADERS: [HeaderName; 5] = [
    header::CONTENT_TYPE,
    HeaderName::from_static("grpc-timeout"),
    HeaderName::from_static("grpc-encoding"),
    HeaderName::from_static("grpc-accept-encoding"),
    HeaderName::from_static(metadata::TAB),
];

/// What a run is made of.
pub struct FleetRunParts {
    /// The fleet.
    pub sign_in: Arc<FleetSignIn>,
    /// Where the skill acts.
    pub session: RunSession,
    /// The hosts of its manifest.
    pub hosts: HostPolicy,
}

/// The session of the fleet that a skill acts in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum RunSession {
    /// One that is opened for the run, and held to the hosts of the skill.
    Own(String),
    /// The one that the user works in.
    Caller(String),
}

/// A run whose session is open.
pub struct FleetRun {
    client: GatewayClient,
    session: RunSession,
    session_header: HeaderValue,
    hosts_header: HeaderValue,
}

impl RunSession {
    /// Its name.
    pub fn name(&self) -> &str {
        match self {
            Self::Own(name) | Self::Caller(name) => name,
        }
    }
}

impl FleetRun {
    /// A run whose session is not open yet.
    ///
    /// # Errors
    /// The session or the hosts are not text of a header.
    pub(super) fn new(parts: FleetRunParts) -> Result<Self> {
        let FleetRunParts { sign_in, session, hosts } = parts;
        let value = |text: &str| {
            HeaderValue::try_from(text)
                .map_err(|error| Error::new(Reason::Bug, format!("`{text}`: {error}")))
        };
        Ok(Self {
            session_header: value(session.name())?,
            hosts_header: value(&hosts.patterns().join(","))?,
            client: GatewayClient::new(sign_in),
            session,
        })
    }

    /// Opens the session, and checks that the fleet holds the skill to its hosts.
    ///
    /// # Errors
    /// As [`super::OpenFleetRun::open`].
    pub(super) async fn open(&self) -> Result<()> {
        let limit = Duration::from_millis(PLACE_TIMEOUT_MS) + ANSWER_MARGIN;
        timeout(limit, self.open_session()).await.unwrap_or_else(|_| {
            let message = "the gateway of the fleet did not open a session in time";
            Err(Error::new(Reason::DeadlineExceeded, message))
        })
    }

    async fn open_session(&self) -> Result<()> {
        // The session of the user has the rules of the user.
        let mut headers = match &self.session {
            RunSession::Own(_) => self.skill_headers(),
            RunSession::Caller(_) => self.session_headers(),
        };
        headers.insert("connect-timeout-ms", HeaderValue::from(PLACE_TIMEOUT_MS));
        let opened = self.call("tabs", headers, json!({})).await;
        opened.map_err(explain_session_of_token)?;
        let identity = self.call("whoami", self.skill_headers(), json!({})).await?;
        if identity.get("kind").and_then(Value::as_str) == Some("skill") {
            return Ok(());
        }
        let message = "the fleet is of a version that does not hold skills to their hosts";
        Err(Error::new(Reason::FleetDenied, message)
            .with(HINT_KEY, "Ask its operator to upgrade it, or leave `--remote` out"))
    }

    /// Closes the session that was opened for the run.
    ///
    /// # Errors
    /// `SCOPE_DENIED`: the token of the sign-in does not close sessions. Those of the gateway.
    pub(super) async fn close(&self) -> Result<()> {
        let RunSession::Own(name) = &self.session else { return Ok(()) };
        let message = json!({ "name": name });
        let closing = self.call("session close", self.session_headers(), message);
        match timeout(CLOSE_TIMEOUT, closing).await {
            Ok(Err(error)) if error.reason() != Reason::SessionNotFound => Err(error),
            Ok(_) => Ok(()),
            Err(_) => Err(Error::new(Reason::DeadlineExceeded, "the gateway does not answer")),
        }
    }

    /// The session.
    pub fn session(&self) -> &RunSession {
        &self.session
    }

    /// Passes a call of the skill on: `message` is its body, in the frame of gRPC. It ends with
    /// `grant`.
    ///
    /// # Errors
    /// `SESSION_DENIED`: the call names another session. The gateway cannot be reached, or it
    /// rejects the token of the sign-in; what it answers else is the answer.
    pub async fn forward(
        &self,
        command: &'static Command,
        headers: &HeaderMap,
        message: Bytes,
        grant: &Arc<Grant>,
    ) -> Result<Response<Body>> {
        let mut named = headers.get_all(metadata::SESSION).iter();
        if named.any(|name| *name != self.session_header) {
            let message = "the token is not good for another session than that of the run";
            return Err(Error::new(Reason::SessionDenied, message));
        }
        let mut sent = self.skill_headers();
        sent.extend(selected(headers, &CALL_HEADERS));
        sent.insert(header::TE, HeaderValue::from_static("trailers"));
        let content = CallContent::Whole(message);
        let answer = tokio::select! {
            biased;
            error = grant.wait_until_ended() => return Err(error),
            answer = self.client.post(command.path, &sent, content) => answer?,
        };
        relay(answer, Arc::clone(grant))
    }

    async fn call(
        &self,
        command: &str,
        headers: HeaderMap,
        message: Value,
    ) -> Result<Map<String, Value>> {
        let path = Command::by_name(command).map(|command| command.path);
        let path = path.ok_or_else(|| {
            Error::new(Reason::Bug, format!("the contract has no command `{command}`"))
        })?;
        self.client.call(path, headers, &message).await
    }

    /// Headers of a call that the user makes in the session.
    fn session_headers(&self) -> HeaderMap {
        let session = HeaderName::from_static(metadata::SESSION);
        HeaderMap::from_iter([(session, self.session_header.clone())])
    }

    /// Headers of a call that the skill makes.
    fn skill_headers(&self) -> HeaderMap {
        let mut headers = self.session_headers();
        headers.insert(metadata::SCOPES, HeaderValue::from_static(SKILL_SCOPES));
        headers.insert(metadata::SKILL_HOSTS, self.hosts_header.clone());
        headers
    }
}

/// What to do when the token of the sign-in is for one session.
fn explain_session_of_token(error: Error) -> Error {
    if error.reason() != Reason::SessionDenied {
        return error;
    }
    let hint = "A skill has a session of its own: sign in with a token for all sessions. A skill that \
                is trusted can act in that of the token: name it with `--session`";
    error.with(HINT_KEY, hint)
}
