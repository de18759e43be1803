//! The body of a response that is observed on its way to the caller: its end is that of the call.

use std::{
    pin::Pin,
    task::{Context, Poll},
};

use bytes::Bytes;
use http_body::{Frame, SizeHint};
use tonic::{Status, body::Body};

use super::{
    call_record::CallRecord,
    outcome::{GrpcOutcome, OutcomeReader},
};

/// A body with the record of its call.
pub struct ObservedBody {
    inner: Body,
    reader: OutcomeReader,
    /// None after the end.
    record: Option<CallRecord>,
}

impl ObservedBody {
    /// Observes a body that has not ended.
    pub fn new(inner: Body, reader: OutcomeReader, record: CallRecord) -> Self {
        Self { inner, reader, record: Some(record) }
    }

    /// Ends the record; dropping it writes it.
    fn end(&mut self, outcome: Option<GrpcOutcome>) {
        if let (Some(mut record), Some(outcome)) = (self.record.take(), outcome) {
            record.set_outcome(outcome);
        }
    }
}

impl http_body::Body for ObservedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let polled = Pin::new(&mut self.inner).poll_frame(cx);
        match &polled {
            Poll::Pending => {}
            Poll::Ready(Some(Ok(frame))) => {
                if let Some(data) = frame.data_ref() {
                    self.reader.read_data(data);
                } else if let Some(trailers) = frame.trailers_ref() {
                    self.reader.read_trailers(trailers);
                }
                // Who reads it may not ask again.
                if self.inner.is_end_stream() {
                    let outcome = self.reader.outcome();
                    self.end(Some(outcome));
                }
            }
            Poll::Ready(Some(Err(_))) => {
                let outcome = self.reader.known().unwrap_or(GrpcOutcome::BROKEN);
                self.end(Some(outcome));
            }
            Poll::Ready(None) => {
                let outcome = self.reader.outcome();
                self.end(Some(outcome));
            }
        }
        polled
    }

    fn is_end_stream(&self) -> bool {
        self.inner.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.inner.size_hint()
    }
}

impl Drop for ObservedBody {
    fn drop(&mut self) {
        // The caller went away, unless it knows all.
        let outcome = self.reader.known();
        self.end(outcome);
    }
}
