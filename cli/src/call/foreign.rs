//! What answers elsewhere and is no daemon: a tunnel without its daemon, say, has
//! a page of its own to show.

use std::{error::Error, fmt, io};

use browse_proto::Reason;
use http::{HeaderValue, Response, StatusCode, header};
use tokio_rustls::rustls;

use crate::failure::Failure;

/// An answer that is none of gRPC.
#[derive(Debug)]
struct Foreign {
    status: StatusCode,
    kind: String,
}

impl fmt::Display for Foreign {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "it answers HTTP {}", self.status.as_u16())?;
        if self.kind.is_empty() { Ok(()) } else { write!(f, " with `{}`", self.kind) }
    }
}

impl Error for Foreign {}

/// Refuses an answer that no daemon gives.
pub fn check<B>(answer: Response<B>) -> Result<Response<B>, Box<dyn Error + Send + Sync>> {
    let kind = answer.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    let kind = kind.unwrap_or_default().to_ascii_lowercase();
    let status = answer.status();
    if status == StatusCode::OK && kind.starts_with(b"application/grpc") {
        return Ok(answer);
    }
    let kind = String::from_utf8_lossy(&kind).chars().take(60).collect();
    Err(Box::new(Foreign { status, kind }))
}

/// The failure to tell when what answered is no daemon.
pub fn told(error: &(dyn Error + 'static)) -> Option<Failure> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let found = inner.map_or(error, |inner| inner as &(dyn Error + 'static));
        if let Some(foreign) = found.downcast_ref::<Foreign>() {
            let message = format!("what answers is no daemon of browse: {foreign}");
            return Some(Failure::new(Reason::RemoteForeign, message));
        }
        // What came was no TLS at all, or none that we speak.
        if let Some(rustls::Error::InvalidMessage(_) | rustls::Error::PeerIncompatible(_)) =
            found.downcast_ref()
        {
            let message = "what answers is no daemon of browse: it does not speak TLS 1.3";
            return Some(Failure::new(Reason::RemoteForeign, message));
        }
        cause = error.source();
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_is_no_answer() {
        let answer = |status, kind: &str| {
            let answer = Response::builder().status(status).header(header::CONTENT_TYPE, kind);
            check(answer.body(()).expect("an answer"))
        };
        assert!(answer(200, "application/grpc").is_ok());
        assert!(answer(200, "application/grpc-web+proto").is_ok());
        for (status, kind) in
            [(200, "text/html; charset=utf-8"), (502, "application/grpc"), (404, "")]
        {
            let error = answer(status, kind).expect_err(kind);
            // As it comes out of the layers above.
            let status = tonic::Status::from_error(error);
            let failure = told(&status).expect("it is known");
            assert!(failure.is(Reason::RemoteForeign), "{failure:?}");
            assert!(failure.message.contains(kind) && failure.hint.contains("tunnel status"));
        }
    }
}
