//! One gRPC call over a connected socket, with messages as plain bytes.

mod codec;
mod connection;
mod context;
mod details;
mod peer;
mod prepared;
mod status;
mod tls;
mod unexpected_peer;
mod web;

use std::{error::Error, time::Duration};

use browse_proto::{Command, Reason};
use bytes::Bytes;
use http::uri::PathAndQuery;
use tokio::time::timeout;
use tonic::{Request, Status, client::Grpc};

use crate::{
    connect::{ConnectedDaemon, GATEWAY_UNREACHABLE_HINT},
    failure::{Failure, Result},
    limits::{DEFAULT_TIMEOUT_MS, MAX_MESSAGE_BYTES},
    response::ResponseNotices,
};
use codec::BytesCodec;
use connection::{DaemonConnection, UnusableCertificates};
pub use context::InvocationContext;
use peer::Peer;
pub use prepared::{send, send_by_name, send_streaming};

/// The daemon answers by the deadline, or a quarter of a second later; after this
/// much more it is taken for one that hangs.
const DEADLINE_GRACE: Duration = Duration::from_secs(1);

/// Time that a remote daemon has to greet, if the call has no less.
const HANDSHAKE_TIMEOUT: Duration = Duration::from_secs(10);

/// How a call failed.
#[derive(Debug)]
pub struct CallError {
    /// The failure.
    pub failure: Failure,
    /// Whether the daemon cannot have acted on the call.
    pub is_retryable: bool,
}

impl From<Failure> for CallError {
    /// What we could not prepare was not sent, but another daemon would not
    /// help it either.
    fn from(failure: Failure) -> Self {
        Self { failure, is_retryable: false }
    }
}

/// Makes a unary call.
pub async fn unary(
    daemon: ConnectedDaemon,
    command: &Command,
    body: Bytes,
    context: &InvocationContext,
) -> Result<(Bytes, ResponseNotices), CallError> {
    let time = context.timeout.unwrap_or(Duration::from_millis(DEFAULT_TIMEOUT_MS));
    let limit = time + DEADLINE_GRACE;
    let peer = Peer::of(&daemon);
    let broken = |status: &Status| call_error(&peer, status);
    let call = async {
        let mut client = client(daemon, &peer, time.min(HANDSHAKE_TIMEOUT)).await?;
        let request = request(context, body);
        client.ready().await.map_err(|error| broken(&Status::from_error(error)))?;
        let path = PathAndQuery::from_static(command.path);
        let answer = client.unary(request, path, BytesCodec).await;
        let answer = answer.map_err(|status| broken(&status))?;
        if peer.is_remote() {
            unexpected_peer::check_decodable(command, answer.get_ref())
                .map_err(|failure| CallError::from(peer.advise(failure)))?;
        }
        Ok::<_, CallError>(answer)
    };
    let response = timeout(limit, call).await.map_err(|_| deadline_error(command, &peer))??;
    let (headers, body, _) = response.into_parts();
    Ok((body, ResponseNotices::from_metadata(&headers)))
}

/// Makes a streaming call. `start` is given what the headers say, then `each`
/// every message; `end` what the stream says at its end, a failure included.
pub async fn streaming(
    daemon: ConnectedDaemon,
    command: &Command,
    body: Bytes,
    context: &InvocationContext,
    start: impl FnOnce(ResponseNotices) -> Result<()>,
    mut each: impl FnMut(Bytes) -> Result<()>,
    end: impl FnOnce(ResponseNotices),
) -> Result<(), CallError> {
    let peer = Peer::of(&daemon);
    let broken = |status: &Status| call_error(&peer, status);
    let max_wait = context.timeout.unwrap_or(HANDSHAKE_TIMEOUT).min(HANDSHAKE_TIMEOUT);
    let call = async {
        let mut client = client(daemon, &peer, max_wait).await?;
        let request = request(context, body);
        client.ready().await.map_err(|error| broken(&Status::from_error(error)))?;
        let path = PathAndQuery::from_static(command.path);
        let response = client.server_streaming(request, path, BytesCodec).await;
        let response = response.map_err(|status| broken(&status))?;
        start(ResponseNotices::from_metadata(response.metadata())).map_err(CallError::from)?;
        let mut stream = response.into_inner();
        loop {
            match stream.message().await {
                Ok(Some(message)) => each(message).map_err(CallError::from)?,
                Ok(None) => break,
                Err(status) => {
                    let broken = broken(&status);
                    // Quotes of a page come with the warnings about them.
                    if broken.failure.page.is_empty() {
                        end(ResponseNotices::from_metadata(status.metadata()));
                    }
                    return Err(broken);
                }
            }
        }
        let trailers = stream.trailers().await.map_err(|status| broken(&status))?;
        end(trailers.map(|trailers| ResponseNotices::from_metadata(&trailers)).unwrap_or_default());
        Ok(())
    };
    match context.timeout.filter(|_| !command.runs_program()) {
        Some(limit) => timeout(limit + DEADLINE_GRACE, call)
            .await
            .map_err(|_| deadline_error(command, &peer))?,
        None => call.await,
    }
}

async fn client(
    daemon: ConnectedDaemon,
    peer: &Peer,
    max_wait: Duration,
) -> Result<Grpc<DaemonConnection>, CallError> {
    let place = daemon.address.authority().to_owned();
    let connection = DaemonConnection::open(daemon, max_wait).await.map_err(|error| {
        if let Some(failure) = peer.is_remote().then(|| handshake_failure(&*error, peer)).flatten()
        {
            return CallError { failure, is_retryable: false };
        }
        let message = match peer.is_remote() {
            true => format!("the daemon at `{place}` does not answer: {error}"),
            false => format!("the daemon broke the connection: {error}"),
        };
        let failure = Failure::new(Reason::DaemonUnreachable, message);
        CallError { failure: peer.advise(failure), is_retryable: true }
    })?;
    let client = Grpc::new(connection);
    Ok(client
        .max_decoding_message_size(peer.max_answer_bytes())
        .max_encoding_message_size(MAX_MESSAGE_BYTES))
}

fn request(context: &InvocationContext, body: Bytes) -> Request<Bytes> {
    let mut request = Request::new(body);
    context.write_metadata(request.metadata_mut());
    if let Some(timeout) = context.timeout {
        request.set_timeout(timeout);
    }
    request
}

/// What a remote has shown in place of what was expected of it; nothing was sent.
fn handshake_failure(error: &(dyn Error + 'static), peer: &Peer) -> Option<Failure> {
    if let Some(unusable) = error.downcast_ref::<UnusableCertificates>() {
        return Some(unusable.0.clone());
    }
    let failure = match peer {
        Peer::Gateway { .. } | Peer::InProcess => tls::untrusted_certificate(error),
        Peer::Daemon | Peer::Paired => tls::pin_mismatch(error),
    };
    let failure = failure.or_else(|| unexpected_peer::failure_of_error(error))?;
    Some(peer.advise(unexpected_peer::during_handshake(failure)))
}

/// How a call to `peer` failed, by its status.
fn call_error(peer: &Peer, status: &Status) -> CallError {
    let foreign = peer.is_remote().then(|| unexpected_peer::failure_of_status(status)).flatten();
    if let Some(failure) = foreign {
        return CallError { failure: peer.advise(failure), is_retryable: false };
    }
    let failure = peer.advise(status::failure_of(status, peer.max_answer_bytes()));
    // `SHUTTING_DOWN` is an answer in place of the call.
    let unsent = failure.has_reason(Reason::ShuttingDown) || connection::was_not_sent(status);
    CallError { failure, is_retryable: unsent }
}

fn deadline_error(command: &Command, peer: &Peer) -> CallError {
    let name = command.name;
    let message = format!("the daemon did not answer `{name}` by its deadline, and seems to hang");
    let hint = match peer {
        Peer::Daemon | Peer::Paired => {
            "Run `browse status`; when that hangs, too, run `browse restart`"
        }
        Peer::Gateway { .. } | Peer::InProcess => GATEWAY_UNREACHABLE_HINT,
    };
    Failure::new(Reason::DaemonUnreachable, message).with_hint(hint).into()
}
