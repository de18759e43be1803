//! The body of a call, read to its end also when the call was refused before:
//! with a body on its way, HTTP/2 would be reset, and some clients then lose the
//! answer that says why.

use std::{
    pin::Pin,
    task::{Context, Poll},
    time::Duration,
};

use http_body_util::{BodyExt as _, Limited};
use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};
use tokio::time::timeout;

/// Bytes that are thrown away of a call that was refused.
const MAX_DRAINED_BYTES: usize = 64 << 10;
/// Time in which they have to come.
const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// A body whose rest is thrown away.
pub struct DrainedBody(Option<Incoming>);

impl DrainedBody {
    /// The body of a call.
    pub fn new(body: Incoming) -> Self {
        Self(Some(body))
    }
}

impl HttpBody for DrainedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        match &mut self.0 {
            Some(body) => Pin::new(body).poll_frame(cx),
            None => Poll::Ready(None),
        }
    }

    fn is_end_stream(&self) -> bool {
        self.0.as_ref().is_none_or(HttpBody::is_end_stream)
    }

    fn size_hint(&self) -> SizeHint {
        self.0.as_ref().map_or_else(SizeHint::default, HttpBody::size_hint)
    }
}

impl Drop for DrainedBody {
    fn drop(&mut self) {
        let Some(body) = self.0.take().filter(|body| !body.is_end_stream()) else { return };
        let Ok(runtime) = tokio::runtime::Handle::try_current() else { return };
        runtime.spawn(timeout(DRAIN_TIMEOUT, Limited::new(body, MAX_DRAINED_BYTES).collect()));
    }
}
