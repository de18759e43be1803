//! Runs a handler that answers with a stream. The stream ends with its token.

use std::{pin::Pin, sync::Arc};

use browse_proto::{PageDerived, Reason, metadata, render::Untrusted};
use futures::{Stream, StreamExt, future::BoxFuture, stream::BoxStream};
use tokio::time::Instant;
use tonic::{
    Request, Response, Status,
    metadata::{Ascii, MetadataValue},
};

use super::{
    Context,
    run::{admit, guard},
};
use crate::{content::Delivery, daemon::Daemon, error::{Error, Result}, records::Entry};

/// What the glue names as the stream of an RPC.
pub type Answers<R> = Pin<Box<dyn Stream<Item = Result<R, Status>> + Send>>;

/// Runs a handler that answers with a stream.
pub async fn streaming<Q, R, F>(
    daemon: &Arc<Daemon>,
    request: Request<Q>,
    handler: F,
) -> Result<Response<Answers<R>>, Status>
where
    Q: prost::Message,
    R: prost::Message + PageDerived + Default + 'static,
    F: FnOnce(Arc<Context>, Q) -> BoxFuture<'static, Result<BoxStream<'static, Result<R>>>>,
{
    let begun = Instant::now();
    let call_in_flight = daemon.begin_call();
    let (permit, call) = admit(&request)?;
    let grant = Arc::clone(permit.grant());
    let entry = Entry::begin(&permit, &call, request.get_ref());
    let made = async {
        if daemon.is_ending() {
            return Err(Error::new(Reason::ShuttingDown, "the daemon is shutting down"));
        }
        let cx = Arc::new(Context::new(Arc::clone(daemon), permit, call).await?);
        let stream = handler(Arc::clone(&cx), request.into_inner()).await?;
        Ok((cx, stream))
    };
    let (cx, stream) = match made.await {
        Ok(made) => made,
        Err(error) => {
            daemon.activity().ended(entry, begun.elapsed(), Some(error.reason()));
            return Err(error.into());
        }
    };
    let announced = announce(&cx);
    let books = Books { daemon: Arc::clone(daemon), entry: Some(entry), begun, failed: None };
    let answers = async_stream::stream! {
        let _call_in_flight = call_in_flight;
        let mut books = books;
        let mut stream = stream;
        loop {
            let item = tokio::select! {
                item = stream.next() => item,
                error = grant.ended() => Some(Err(error)),
                _ = cx.daemon().ended() => None,
            };
            match item {
                Some(Ok(mut response)) => {
                    guard(&cx, &mut response);
                    yield Ok(response);
                }
                Some(Err(error)) => {
                    books.failed = Some(error.reason());
                    yield Err(Status::from(error));
                    return;
                }
                None => return,
            }
        }
    };
    let mut response = Response::new(Box::pin(answers) as Answers<R>);
    if let Some(value) = announced {
        response.metadata_mut().insert(metadata::UNTRUSTED, value);
    }
    Ok(response)
}

/// A stream may carry page-derived content later, so it is announced at once
/// when its messages have fields for it.
fn announce(cx: &Context) -> Option<MetadataValue<Ascii>> {
    let fields = cx.command().response.fields;
    let marked = fields.iter().any(|field| field.page);
    if !marked || cx.delivery() == Delivery::Raw {
        return None;
    }
    let nonce = format!("{:06x}", rand::random::<u32>() & 0x00ff_ffff);
    Untrusted { nonce, source: cx.source() }.entry().parse().ok()
}

/// Writes the call into the books when the stream ends, however it ends.
struct Books {
    daemon: Arc<Daemon>,
    entry: Option<Entry>,
    begun: Instant,
    failed: Option<Reason>,
}

impl Drop for Books {
    fn drop(&mut self) {
        if let Some(entry) = self.entry.take() {
            self.daemon.activity().ended(entry, self.begun.elapsed(), self.failed);
        }
    }
}
