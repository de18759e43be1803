//! One gRPC call over a connected socket, with messages as plain bytes.

mod codec;
mod connection;
mod context;
mod details;
mod foreign;
mod tls;
mod web;

use std::{mem::take, time::Duration};

use browse_proto::{Command, Reason, metadata, render::Untrusted};
use bytes::Bytes;
use http::uri::PathAndQuery;
use percent_encoding::percent_decode_str;
use tokio::time::timeout;
use tonic::{Request, Status, client::Grpc, metadata::MetadataMap};

use crate::{
    failure::{Failure, Result},
    reach::Daemon,
    remote,
};
use codec::BytesCodec;
use connection::Connection;
pub use context::Context;

/// Time that a call gets when neither the caller nor the command says.
pub const DEFAULT_TIMEOUT_MS: u64 = 30_000;

/// Messages hold at most this many bytes, both ways.
pub const MESSAGE_LIMIT: usize = 64 << 20;

/// The daemon answers by the deadline, or a quarter of a second later; after this
/// much more it is taken for one that hangs.
const GRACE: Duration = Duration::from_secs(1);

/// Time that a daemon elsewhere has to greet, if the call has no less.
const GREETING: Duration = Duration::from_secs(10);

/// What the headers of an answer say.
#[derive(Clone, Debug, Default)]
pub struct Notes {
    /// Nonce and source of page-derived content.
    pub untrusted: Option<Untrusted>,
    /// Something that the caller should be told.
    pub notice: Option<String>,
}

/// How a call failed.
#[derive(Debug)]
pub struct Broken {
    /// The failure.
    pub failure: Failure,
    /// Whether the daemon cannot have acted on the call.
    pub unsent: bool,
}

impl From<Failure> for Broken {
    /// What we could not prepare was not sent, but another daemon would not
    /// help it either.
    fn from(failure: Failure) -> Self {
        Self { failure, unsent: false }
    }
}

/// Makes a unary call.
pub async fn unary(
    daemon: Daemon,
    command: &Command,
    body: Bytes,
    context: &Context,
) -> Result<(Bytes, Notes), Broken> {
    let time = context.timeout.unwrap_or(Duration::from_millis(DEFAULT_TIMEOUT_MS));
    let limit = time + GRACE;
    let (broken, elsewhere) = (broken_at(&daemon), daemon.pin.is_some());
    let call = async {
        let mut client = client(daemon, time.min(GREETING)).await?;
        let request = request(context, body);
        client.ready().await.map_err(|error| broken(&Status::from_error(error)))?;
        let path = PathAndQuery::from_static(command.path);
        let answer = client.unary(request, path, BytesCodec).await;
        let answer = answer.map_err(|status| broken(&status))?;
        if elsewhere {
            foreign::readable(command, answer.get_ref()).map_err(Broken::from)?;
        }
        Ok::<_, Broken>(answer)
    };
    let response = timeout(limit, call).await.map_err(|_| late(command))??;
    let (headers, body, _) = response.into_parts();
    Ok((body, Notes::read(&headers)))
}

/// Makes a streaming call. `start` is given what the headers say, then `each`
/// every message; `end` what the stream says at its end, a failure included.
pub async fn streaming(
    daemon: Daemon,
    command: &Command,
    body: Bytes,
    context: &Context,
    start: impl FnOnce(Notes) -> Result<()>,
    mut each: impl FnMut(Bytes) -> Result<()>,
    end: impl FnOnce(Notes),
) -> Result<(), Broken> {
    let broken = broken_at(&daemon);
    let patience = context.timeout.unwrap_or(GREETING).min(GREETING);
    let call = async {
        let mut client = client(daemon, patience).await?;
        let request = request(context, body);
        client.ready().await.map_err(|error| broken(&Status::from_error(error)))?;
        let path = PathAndQuery::from_static(command.path);
        let response = client.server_streaming(request, path, BytesCodec).await;
        let response = response.map_err(|status| broken(&status))?;
        start(Notes::read(response.metadata())).map_err(Broken::from)?;
        let mut stream = response.into_inner();
        loop {
            match stream.message().await {
                Ok(Some(message)) => each(message).map_err(Broken::from)?,
                Ok(None) => break,
                Err(status) => {
                    let broken = broken(&status);
                    // Quotes of a page come with the warnings about them.
                    if broken.failure.page.is_empty() {
                        end(Notes::read(status.metadata()));
                    }
                    return Err(broken);
                }
            }
        }
        let trailers = stream.trailers().await.map_err(|status| broken(&status))?;
        end(trailers.map(|trailers| Notes::read(&trailers)).unwrap_or_default());
        Ok(())
    };
    match context.timeout.filter(|_| !command.runs_program()) {
        Some(limit) => timeout(limit + GRACE, call).await.map_err(|_| late(command))?,
        None => call.await,
    }
}

async fn client(daemon: Daemon, patience: Duration) -> Result<Grpc<Connection>, Broken> {
    let elsewhere = daemon.pin.is_some();
    let place = daemon.address.authority().to_owned();
    let connection = Connection::open(daemon, patience).await.map_err(|error| {
        let told = elsewhere.then(|| tls::mismatch(&*error).or_else(|| foreign::told(&*error)));
        if let Some(failure) = told.flatten() {
            return Broken { failure: foreign::before_a_call(failure), unsent: false };
        }
        let message = match elsewhere {
            true => format!("the daemon at `{place}` does not answer: {error}"),
            false => format!("the daemon broke the connection: {error}"),
        };
        let failure = Failure::new(Reason::DaemonUnreachable, message);
        Broken { failure: hinted(failure, elsewhere), unsent: true }
    })?;
    let client = Grpc::new(connection);
    Ok(client.max_decoding_message_size(MESSAGE_LIMIT).max_encoding_message_size(MESSAGE_LIMIT))
}

fn request(context: &Context, body: Bytes) -> Request<Bytes> {
    let mut request = Request::new(body);
    context.write(request.metadata_mut());
    if let Some(timeout) = context.timeout {
        request.set_timeout(timeout);
    }
    request
}

/// How a call to `daemon` failed, by its status.
fn broken_at(daemon: &Daemon) -> impl Fn(&Status) -> Broken + use<> {
    let elsewhere = daemon.pin.is_some();
    move |status| {
        if let Some(failure) = elsewhere.then(|| foreign::answered(status)).flatten() {
            return Broken { failure, unsent: false };
        }
        let failure = hinted(Failure::from_status(status), elsewhere);
        // `SHUTTING_DOWN` is an answer in place of the call.
        let unsent = failure.is(Reason::ShuttingDown) || connection::was_not_sent(status);
        Broken { failure, unsent }
    }
}

/// Nobody restarts a daemon elsewhere, and no pairing outlives it.
fn hinted(failure: Failure, elsewhere: bool) -> Failure {
    match elsewhere {
        true if failure.is(Reason::DaemonUnreachable) => failure.hint(remote::HINT),
        true if failure.is(Reason::ShuttingDown) || failure.is(Reason::TokenRevoked) => {
            failure.hint(remote::OVER)
        }
        _ => failure,
    }
}

fn late(command: &Command) -> Broken {
    let name = command.name;
    let message = format!("the daemon did not answer `{name}` by its deadline, and seems to hang");
    let hint = "Run `browse status`; when that hangs, too, run `browse restart`";
    Failure::new(Reason::DaemonUnreachable, message).hint(hint).into()
}

impl Notes {
    /// Adds what the end of a stream says.
    pub fn add(&mut self, end: Self) {
        match (&mut self.untrusted, end.untrusted) {
            (Some(begun), Some(ended)) => {
                begun.warnings.extend(ended.warnings);
                begun.unseen =
                    if ended.unseen.is_empty() { take(&mut begun.unseen) } else { ended.unseen };
            }
            (begun @ None, ended) => *begun = ended,
            (Some(_), None) => {}
        }
    }

    /// Reads what metadata says.
    pub fn read(headers: &MetadataMap) -> Self {
        let entry = |name| headers.get(name).and_then(|value| value.to_str().ok());
        let decoded = |name| {
            entry(name).map(|value| percent_decode_str(value).decode_utf8_lossy().into_owned())
        };
        let warnings = decoded(metadata::WARNINGS);
        let untrusted = entry(metadata::UNTRUSTED).and_then(Untrusted::parse);
        let untrusted =
            untrusted.map(|known| known.with(warnings.as_deref(), entry(metadata::UNSEEN)));
        Self { untrusted, notice: decoded(metadata::NOTICE) }
    }
}
