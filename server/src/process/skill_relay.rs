//! Stands between the gate and the handlers: the calls of a skill that drives the browser of a
//! fleet go on to its gateway, those of all others to the handlers. The gate has checked the token
//! of the run and the scope of the command.

use std::{
    convert::Infallible,
    path::Path,
    sync::Arc,
    task::{Context, Poll},
};

use browse_base::{Error, Result};
use browse_net::host_and_port;
use browse_policy::{ClientKind, Permit};
use browse_proto::{Reason, Requires, wire};
use futures::{
    FutureExt as _,
    future::{BoxFuture, Either},
};
use http::{Request, Response};
use http_body_util::{BodyExt as _, Limited};
use tonic::{Status, body::Body};
use tower::Service;

use crate::{
    address::{self, UrlRequester},
    daemon::Daemon,
    dispatch::MAX_MESSAGE_BYTES,
    fleet_relay::FleetRun,
};

/// Bytes before a message of gRPC: whether it is compressed, and its length.
const FRAME_HEAD_BYTES: usize = 5;

/// Services behind the relay.
#[derive(Clone)]
pub struct SkillRelay<S> {
    daemon: Arc<Daemon>,
    inner: S,
}

/// A call that goes on to a fleet.
struct RelayedCall {
    run: Arc<FleetRun>,
    permit: Permit,
    request: Request<Body>,
}

impl<S> SkillRelay<S> {
    /// The relay of `daemon` before `inner`.
    pub fn new(daemon: Arc<Daemon>, inner: S) -> Self {
        Self { daemon, inner }
    }

    /// The run that a call is of, when that drives the browser of a fleet.
    fn run_of(&self, request: &Request<Body>) -> Option<(Arc<FleetRun>, Permit)> {
        let permit = request.extensions().get::<Permit>()?;
        let capability = permit.capability();
        if capability.kind != ClientKind::Skill {
            return None;
        }
        let run = self.daemon.skills().fleet_runs().get(&capability.client)?;
        Some((run, permit.clone()))
    }
}

impl<S> Service<Request<Body>> for SkillRelay<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Either<S::Future, BoxFuture<'static, Result<Response<Body>, Infallible>>>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.inner.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        let Some((run, permit)) = self.run_of(&request) else {
            return Either::Left(self.inner.call(request));
        };
        let daemon = Arc::clone(&self.daemon);
        let call = RelayedCall { run, permit, request };
        let relayed = async move {
            let answered = call.relay(&daemon.settings().home).await;
            Ok(answered.unwrap_or_else(|error| Status::from(error).into_http()))
        };
        Either::Right(relayed.boxed())
    }
}

impl RelayedCall {
    async fn relay(self, home: &Path) -> Result<Response<Body>> {
        let Self { run, permit, request } = self;
        let (parts, body) = request.into_parts();
        let message = Limited::new(body, MAX_MESSAGE_BYTES + FRAME_HEAD_BYTES).collect().await;
        let message = message.map_err(|error| {
            Error::new(Reason::RequestInvalid, format!("the message cannot be read: {error}"))
        })?;
        let message = message.to_bytes();
        check_address(&permit, &message, home)?;
        run.forward(permit.command(), &parts.headers, message, permit.grant()).await
    }
}

/// Refuses an address that the skill may not open before the call leaves this machine. Links,
/// frames and steps are held to its hosts in the pod.
///
/// # Errors
/// `HOST_DENIED`; as [`address::parse`].
fn check_address(permit: &Permit, message: &[u8], home: &Path) -> Result<()> {
    let command = permit.command();
    if command.requires != Requires::Navigation {
        return Ok(());
    }
    let field = command.request.fields.iter().find(|field| field.name == "url");
    let text = field.and_then(|field| {
        let encoded = message.get(FRAME_HEAD_BYTES..).filter(|_| message[0] == 0)?;
        wire::text_field(encoded, field.number)
    });
    let Some(text) = text else { return Ok(()) };
    let url = address::parse(&text, &UrlRequester { cwd: None, home })?;
    let hosts = permit.capability().hosts();
    if hosts.allows(&url) {
        return Ok(());
    }
    let message = format!("the token is not good for `{}`", host_and_port(&url));
    Err(Error::new(Reason::HostDenied, message).with("allowed", hosts.patterns().join(", ")))
}
