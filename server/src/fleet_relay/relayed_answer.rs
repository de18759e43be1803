//! An answer of the gateway on its way to a skill: what a skill reads of it, until its token ends.

use std::sync::Arc;

use browse_base::Result;
use browse_policy::Grant;
use browse_proto::metadata;
use bytes::Bytes;
use futures::StreamExt as _;
use http::{HeaderMap, HeaderName, HeaderValue, Response, StatusCode, header};
use http_body_util::{BodyStream, StreamBody};
use hyper::body::{Frame, Incoming};
use tonic::body::Body;

use crate::{fleet_gateway::foreign, relay_http::selected};

/// Headers and trailers that a skill gets.
const ANSWER_HEADERS: [HeaderName; 10] = [
    header::CONTENT_TYPE,
    header::RETRY_AFTER,
    HeaderName::from_static("grpc-encoding"),
    HeaderName::from_static("grpc-status"),
    HeaderName::from_static("grpc-message"),
    HeaderName::from_static("grpc-status-details-bin"),
    HeaderName::from_static(metadata::UNTRUSTED),
    HeaderName::from_static(metadata::WARNINGS),
    HeaderName::from_static(metadata::UNSEEN),
    HeaderName::from_static(metadata::NOTICE),
];

/// Passes an answer on, which breaks off with `grant`.
///
/// # Errors
/// `REMOTE_FOREIGN`: it is not one of gRPC.
pub fn relay(response: Response<Incoming>, grant: Arc<Grant>) -> Result<Response<Body>> {
    let (parts, body) = response.into_parts();
    let kind = parts.headers.get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    let is_grpc = kind.is_some_and(|kind| kind.starts_with(b"application/grpc"));
    if parts.status != StatusCode::OK || !is_grpc {
        return Err(foreign(&format!("it answers HTTP {}", parts.status.as_u16())));
    }
    let ended = async move { grant.wait_until_ended().await };
    let frames = BodyStream::new(body).map(|frame| frame.map(with_selected_trailers));
    let body = StreamBody::new(frames.take_until(Box::pin(ended)));
    let mut response = Response::new(Body::new(body));
    *response.headers_mut() = selected(&parts.headers, &ANSWER_HEADERS);
    Ok(response)
}

fn with_selected_trailers(frame: Frame<Bytes>) -> Frame<Bytes> {
    match frame.into_trailers() {
        Ok(trailers) => Frame::trailers(selected(&trailers, &ANSWER_HEADERS)),
        Err(frame) => frame,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_skill_gets_the_status_and_no_other_trailers() {
        let mut trailers = HeaderMap::new();
        for (name, value) in [("grpc-status", "7"), ("set-cookie", "a"), ("authorization", "b")] {
            trailers.append(name, HeaderValue::from_static(value));
        }
        let frame = with_selected_trailers(Frame::trailers(trailers));
        let passed = frame.into_trailers().expect("trailers");
        assert_eq!((passed.len(), &passed["grpc-status"]), (1, &HeaderValue::from_static("7")));
        let data = with_selected_trailers(Frame::data(Bytes::from_static(b"x")));
        assert_eq!(data.into_data().expect("data"), "x");
    }
}
