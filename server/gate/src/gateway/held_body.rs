//! The body of a response with something that is kept until its end, such as a place among those that
//! may be under way.

use std::{
    convert::Infallible,
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use http_body_util::combinators::BoxBody;

/// A body, and what is dropped with it.
pub struct HeldBody<T> {
    inner: BoxBody<Bytes, Infallible>,
    _held: T,
}

impl<T> HeldBody<T> {
    /// Keeps `held` as long as the body.
    pub fn new(inner: BoxBody<Bytes, Infallible>, held: T) -> Self {
        Self { inner, _held: held }
    }
}

impl<T: Unpin> http_body::Body for HeldBody<T> {
    type Data = Bytes;
    type Error = Infallible;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Infallible>>> {
        Pin::new(&mut self.inner).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}
