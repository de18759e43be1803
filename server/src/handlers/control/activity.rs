//! Who did what.

use std::sync::Arc;

use browse_proto::v1;
use futures::{Stream, StreamExt as _, stream};
use tokio_stream::wrappers::BroadcastStream;

use crate::dispatch::CallContext;
use browse_base::Result;

/// Answers the calls so far, and with `follow` those to come. Callers other
/// than root and dashboards see their own.
pub async fn activity(
    cx: Arc<CallContext>,
    request: v1::ActivityRequest,
) -> Result<impl Stream<Item = Result<v1::ActivityResponse>> + Send + 'static> {
    let (past, feed) = cx.daemon().activity().subscribe();
    // A follower that lags misses calls; it is identified by the gap in time alone.
    let coming = BroadcastStream::new(feed).filter_map(|entry| async { entry.ok() });
    let coming = match request.follow {
        // A follower must not hold up the end.
        true => {
            cx.mark_as_watcher();
            let daemon = Arc::clone(cx.daemon());
            coming.take_until(async move { daemon.shutdown_requested().await }).boxed()
        }
        false => stream::empty().boxed(),
    };
    let mine = move |entry: &v1::ActivityEntry| {
        cx.capability().sees_calls_in(&entry.session) || entry.client == cx.client().to_string()
    };
    let entries = stream::iter(past).chain(coming).filter(move |entry| {
        let mine = mine(entry);
        async move { mine }
    });
    Ok(entries.map(|entry| Ok(v1::ActivityResponse { entry: Some(entry), warnings: Vec::new() })))
}
