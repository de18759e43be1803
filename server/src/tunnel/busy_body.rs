//! A body that keeps its connection busy until it is gone.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use hyper::body::{Body as HttpBody, Bytes, Frame, SizeHint};
use tonic::{Status, body::Body};

use super::connection_limits::ConnectionPermit;

/// An answer that is on its way.
pub struct BusyBody {
    body: Body,
    _permit: ConnectionPermit,
}

impl BusyBody {
    /// `body`, for whose time the connection is busy.
    pub fn new(body: Body, busy: ConnectionPermit) -> Self {
        Self { body, _permit: busy }
    }
}

impl HttpBody for BusyBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}
