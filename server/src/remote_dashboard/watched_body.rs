//! A stream of the daemon on its way to the page: read as fast as the page reads it, and noted
//! when it ends.

use std::{
    pin::Pin,
    sync::Arc,
    task::{Context, Poll},
};

use hyper::body::{Body as HttpBody, Bytes, Frame, Incoming, SizeHint};

use super::pairing_health::PairingHealth;

/// The body of a stream.
pub struct WatchedBody {
    body: Incoming,
    health: Arc<PairingHealth>,
}

impl WatchedBody {
    /// `body`, whose end `health` learns of.
    pub fn new(body: Incoming, health: Arc<PairingHealth>) -> Self {
        Self { body, health }
    }
}

impl HttpBody for WatchedBody {
    type Data = Bytes;
    type Error = hyper::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, hyper::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

impl Drop for WatchedBody {
    fn drop(&mut self) {
        self.health.note_stream_end();
    }
}
