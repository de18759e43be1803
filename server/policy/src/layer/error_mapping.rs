//! Gives a reason to the failures that tonic finds before a handler runs: a
//! message that is too large, or no message at all.

use std::{
    convert::Infallible,
    task::{Context, Poll},
};

use browse_proto::Reason;
use futures::future::{FutureExt as _, Map};
use http::{Request, Response};
use tonic::{Code, Status, body::Body};
use tower::{Layer, Service};

use browse_base::{Error, HINT_KEY, quote};

/// The layer.
#[derive(Clone, Copy, Debug)]
pub struct ErrorMappingLayer;

/// A service whose failures all have a reason.
#[derive(Clone, Debug)]
pub struct ErrorMappingService<S>(S);

impl<S> Layer<S> for ErrorMappingLayer {
    type Service = ErrorMappingService<S>;

    fn layer(&self, inner: S) -> Self::Service {
        ErrorMappingService(inner)
    }
}

type ErrorMappingResult = Result<Response<Body>, Infallible>;

impl<S> Service<Request<Body>> for ErrorMappingService<S>
where
    S: Service<Request<Body>, Response = Response<Body>, Error = Infallible>,
{
    type Response = Response<Body>;
    type Error = Infallible;
    type Future = Map<S::Future, fn(ErrorMappingResult) -> ErrorMappingResult>;

    fn poll_ready(&mut self, cx: &mut Context<'_>) -> Poll<Result<(), Infallible>> {
        self.0.poll_ready(cx)
    }

    fn call(&mut self, request: Request<Body>) -> Self::Future {
        self.0.call(request).map(|answer| answer.map(map_error))
    }
}

fn map_error(response: Response<Body>) -> Response<Body> {
    let status = Status::from_header_map(response.headers());
    match status.as_ref().and_then(error_of_status) {
        Some(error) => Status::from(error).into_http(),
        None => response,
    }
}

/// What a status of tonic's own making means; ours carry details.
fn error_of_status(status: &Status) -> Option<Error> {
    if !status.details().is_empty() {
        return None;
    }
    let reported = quote(status.message());
    match status.code() {
        Code::OutOfRange => Some(Error::new(Reason::TooLarge, reported).with("limit", 64 << 20)),
        Code::Unimplemented => Some(Error::new(Reason::MethodUnknown, "there is no such method")),
        Code::Internal => {
            let message = format!("the message cannot be read: {reported}");
            let hint = "Send the protobuf message of the method, in one frame of gRPC";
            Some(Error::new(Reason::ArgumentInvalid, message).with(HINT_KEY, hint))
        }
        // The standard services have codes of their own.
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{Code, Error, Reason, Status, error_of_status};

    #[test]
    fn failures_of_the_transport_get_a_reason() {
        let of = |status: &Status| error_of_status(status).map(|error| error.reason());
        assert_eq!(of(&Status::new(Code::OutOfRange, "too long")), Some(Reason::TooLarge));
        assert_eq!(of(&Status::internal("no protobuf")), Some(Reason::ArgumentInvalid));
        assert_eq!(of(&Status::unimplemented("")), Some(Reason::MethodUnknown));
        assert_eq!(of(&Status::ok("")), None);
        assert_eq!(of(&Status::not_found("no such service")), None);
        assert_eq!(of(&Error::new(Reason::RefStale, "gone").into()), None);
    }
}
