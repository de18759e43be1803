//! The details of a status, kept from tonic where they are not base64: it would
//! panic, and the peer could end this process.

use std::{
    pin::Pin,
    task::{Context, Poll, ready},
};

use bytes::Bytes;
use http::{HeaderMap, Response};
use hyper::body::{Body as HttpBody, Frame, SizeHint};
use tonic::{Status, body::Body, metadata::MetadataMap};

/// The header and trailer that they stand in.
const STATUS_DETAILS: &str = "grpc-status-details-bin";

/// An answer whose details can be read, or are left out: they stand in its
/// headers or in its trailers.
pub fn sanitize_details(answer: Response<Body>) -> Response<Body> {
    let mut answer = answer.map(|body| Body::new(SanitizedBody(body)));
    remove_unreadable_details(answer.headers_mut());
    answer
}

struct SanitizedBody(Body);

impl HttpBody for SanitizedBody {
    type Data = Bytes;
    type Error = Status;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
        let mut frame = ready!(Pin::new(&mut self.0).poll_frame(cx));
        if let Some(Ok(frame)) = &mut frame
            && let Some(trailers) = frame.trailers_mut()
        {
            remove_unreadable_details(trailers);
        }
        Poll::Ready(frame)
    }

    fn is_end_stream(&self) -> bool {
        self.0.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.0.size_hint()
    }
}

fn remove_unreadable_details(headers: &mut HeaderMap) {
    // Only tonic knows which base64 tonic takes.
    let known = headers.get(STATUS_DETAILS).map(|value| {
        let alone =
            HeaderMap::from_iter([(http::HeaderName::from_static(STATUS_DETAILS), value.clone())]);
        let alone = MetadataMap::from_headers(alone);
        alone.get_bin(STATUS_DETAILS).is_some_and(|value| value.to_bytes().is_ok())
    });
    if known == Some(false) {
        headers.remove(STATUS_DETAILS);
    }
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;

    use browse_proto::Reason;
    use http::HeaderValue;

    use super::{super::unexpected_peer, *};

    struct Trailers(Option<HeaderMap>);

    impl HttpBody for Trailers {
        type Data = Bytes;
        type Error = Status;

        fn poll_frame(
            mut self: Pin<&mut Self>,
            _: &mut Context<'_>,
        ) -> Poll<Option<Result<Frame<Bytes>, Status>>> {
            Poll::Ready(self.0.take().map(|trailers| Ok(Frame::trailers(trailers))))
        }
    }

    #[tokio::test(flavor = "current_thread")]
    async fn details_that_are_no_base64_are_left_out_and_others_stay() {
        for (details, kept) in
            [(&b"\xff\xfe!!!"[..], false), (b"A", false), (b"AAA=", true), (b"AAA", true)]
        {
            let headers = || {
                let value = HeaderValue::from_bytes(details).expect("a header may hold it");
                let mut headers = HeaderMap::new();
                headers.insert("grpc-status", HeaderValue::from_static("7"));
                headers.insert(STATUS_DETAILS, value);
                headers
            };
            let mut answer = Response::new(Body::new(Trailers(Some(headers()))));
            *answer.headers_mut() = headers();
            let (head, mut body) = sanitize_details(answer).into_parts();
            let frame = poll_fn(|cx| Pin::new(&mut body).poll_frame(cx)).await;
            let trailers = frame.expect("a frame").expect("it is whole").into_trailers();
            for headers in [head.headers, trailers.expect("trailers")] {
                let status = Status::from_header_map(&headers).expect("it has one");
                assert_eq!(!status.details().is_empty(), kept, "{details:?}");
                let failure =
                    unexpected_peer::failure_of_status(&status).expect("it is not a daemon's");
                assert!(failure.has_reason(Reason::RemoteForeign), "{failure:?}");
            }
        }
    }
}
