//! Runs a handler: until its deadline, for as long as the token is good, and
//! guards what it answers.

use std::{sync::Arc, time::Duration};

use browse_proto::{PageDerived, Reason, metadata, render::Untrusted};
use futures::future::BoxFuture;
use tokio::time::{Instant, timeout_at};
use tonic::{
    Request, Response, Status,
    metadata::{Ascii, MetadataValue},
};

use super::{Context, call::Call};
use crate::{
    content::{self, Delivery},
    daemon::Daemon,
    error::{Error, Result},
    policy::Permit,
    records::Entry,
    sessions::BrowserState,
};

/// Time beyond the deadline that a handler gets to say itself what was late.
const MARGIN: Duration = Duration::from_millis(100);

/// Bytes that a message may have.
pub const MOST_BYTES: usize = 64 << 20;

/// The permit and the metadata of a call.
pub fn admit<Q>(request: &Request<Q>) -> Result<(Permit, Call)> {
    let permit = request.extensions().get::<Permit>().cloned();
    let permit = permit.ok_or_else(|| Error::new(Reason::Bug, "the call was not authorized"))?;
    Ok((permit, Call::read(request.metadata())?))
}

/// Runs a handler that answers once.
pub async fn unary<Q, R, F>(
    daemon: &Arc<Daemon>,
    request: Request<Q>,
    handler: F,
) -> Result<Response<R>, Status>
where
    Q: prost::Message,
    R: prost::Message + PageDerived + Default,
    F: for<'a> FnOnce(&'a Context, Q) -> BoxFuture<'a, Result<R>>,
{
    let begun = Instant::now();
    let _call = daemon.begin_call();
    let (permit, call) = admit(&request)?;
    let entry = Entry::begin(&permit, &call, request.get_ref());
    let outcome = answer(daemon, permit, call, request.into_inner(), handler).await;
    daemon.activity().ended(entry, begun.elapsed(), outcome.as_ref().err().map(Error::reason));
    Ok(outcome?)
}

async fn answer<Q, R, F>(
    daemon: &Arc<Daemon>,
    permit: Permit,
    call: Call,
    request: Q,
    handler: F,
) -> Result<Response<R>>
where
    R: prost::Message + PageDerived + Default,
    F: for<'a> FnOnce(&'a Context, Q) -> BoxFuture<'a, Result<R>>,
{
    if daemon.is_ending() {
        return Err(ending(daemon));
    }
    let begun = Instant::now();
    let grant = Arc::clone(permit.grant());
    let timeout = call.timeout;
    let work = async {
        // The first tab may have to wait for the browser, so the deadline
        // holds for making the context too.
        let making = Context::new(Arc::clone(daemon), permit, call);
        let cx = match timeout {
            Some(limit) => timeout_at(begun + limit + MARGIN, making)
                .await
                .map_err(|_| late("the browser is still starting"))??,
            None => making.await?,
        };
        let mut response = within(&cx, handler(&cx, request)).await?;
        let found = guard(&cx, &mut response);
        fits(&response)?;
        Ok::<_, Error>(announce(&cx, response, found))
    };
    let mut response = tokio::select! {
        done = work => done?,
        error = grant.ended() => return Err(error),
        () = gone(daemon) => return Err(ending(daemon)),
    };
    if grant.capability().is_root()
        && let Some(notice) = daemon.take_notice()
    {
        tell(&mut response, &notice);
    }
    Ok(response)
}

/// Waits for `work` until the deadline of the call.
pub async fn within<R>(cx: &Context, work: impl Future<Output = Result<R>>) -> Result<R> {
    match timeout_at(cx.deadline() + MARGIN, work).await {
        Ok(done) => done,
        Err(_) => Err(overdue(cx)),
    }
}

/// What a call that was given up has to say. An abandoned call still runs in
/// the browser: the tab is kept from others until it answers again.
fn overdue(cx: &Context) -> Error {
    let command = cx.command();
    if let Some(tab) = cx.tab_if_any().filter(|_| cx.talks_to_page()) {
        tab.quarantine();
    }
    let acts = command.group == "input" || matches!(command.name, "js" | "eval");
    match acts {
        true => {
            let message = format!("`{}` was sent, and the page gave no answer", command.name);
            Error::new(Reason::OutcomeUnknown, message)
        }
        false => late(&format!("`{}` was not answered in time", command.name)),
    }
}

fn late(message: &str) -> Error {
    Error::new(Reason::DeadlineExceeded, message)
}

/// Guards `response`; tells whether it has page-derived content.
pub fn guard(cx: &Context, response: &mut dyn PageDerived) -> bool {
    content::guard(response, cx.delivery())
}

fn announce<R: prost::Message>(cx: &Context, response: R, found: bool) -> Response<R> {
    let mut response = Response::new(response);
    if (found || cx.is_page_derived()) && cx.delivery() == Delivery::Guarded {
        let nonce = format!("{:06x}", rand::random::<u32>() & 0x00ff_ffff);
        let untrusted = Untrusted { nonce, source: cx.source() };
        if let Ok(value) = untrusted.entry().parse::<MetadataValue<Ascii>>() {
            response.metadata_mut().insert(metadata::UNTRUSTED, value);
        }
    }
    response
}

fn tell<R>(response: &mut Response<R>, notice: &str) {
    let encoded =
        percent_encoding::utf8_percent_encode(notice, percent_encoding::CONTROLS).to_string();
    if let Ok(value) = encoded.parse::<MetadataValue<Ascii>>() {
        response.metadata_mut().insert(metadata::NOTICE, value);
    }
}

/// Waits until the browser has ended, while calls are in flight.
async fn gone(daemon: &Daemon) {
    daemon.ended().await;
    // A call that ends the daemon has to be answered; others get a moment.
    tokio::time::sleep(Duration::from_millis(300)).await;
}

fn ending(daemon: &Daemon) -> Error {
    match daemon.sessions().slot().state() {
        BrowserState::Gone(reason) => {
            Error::new(Reason::BrowserGone, format!("the browser is gone: {reason}"))
        }
        _ => Error::new(Reason::ShuttingDown, "the daemon is shutting down"),
    }
}

/// Refuses an answer that does not fit into a message.
fn fits(response: &impl prost::Message) -> Result<()> {
    let length = response.encoded_len();
    if length <= MOST_BYTES {
        return Ok(());
    }
    let message = format!("the answer has {length} bytes");
    Err(Error::new(Reason::TooLarge, message).with("limit", "64 MiB"))
}
