//! What answers somewhere else and is not a daemon: a tunnel without its daemon, say, has
//! a page of its own to show.

use std::{error::Error, fmt, io};

use browse_proto::{Command, Reason, wire};
use http::{HeaderValue, Response, StatusCode, header};
use tokio_rustls::rustls;
use tonic::{Code, Status};

use crate::{
    failure::{Failure, Result},
    io_failure, remote,
};

/// What no daemon does.
#[derive(Debug)]
pub struct UnexpectedPeer(String);

impl UnexpectedPeer {
    /// It does this.
    pub fn new(what: impl Into<String>) -> Self {
        Self(what.into())
    }
}

impl fmt::Display for UnexpectedPeer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl Error for UnexpectedPeer {}

/// Refuses an answer that no daemon gives.
pub fn check_response<B>(answer: Response<B>) -> Result<Response<B>, Box<dyn Error + Send + Sync>> {
    let kind = answer.headers().get(header::CONTENT_TYPE).map(HeaderValue::as_bytes);
    let kind = kind.unwrap_or_default().to_ascii_lowercase();
    let status = answer.status();
    if status == StatusCode::OK && kind.starts_with(b"application/grpc") {
        return Ok(answer);
    }
    let kind: String = String::from_utf8_lossy(&kind).chars().take(60).collect();
    let kind = if kind.is_empty() { kind } else { format!(" with `{kind}`") };
    Err(UnexpectedPeer::new(format!("it answers HTTP {}{kind}", status.as_u16())).into())
}

/// The failure to tell when what answered somewhere else is not a daemon.
pub fn failure_of_error(error: &(dyn Error + 'static)) -> Option<Failure> {
    find_cause(error, describe).map(peer_failure)
}

/// What to do where nothing was sent.
const UNSENT_HINT: &str =
    "Ask the owner to look at `browse tunnel status`, and for a new block; nothing was sent";

/// What stands in the status of an answer that broke off.
const INCOMPLETE_BODY: &str = "error reading a body from connection";

/// The same failure, of a greeting: no call was made.
pub fn during_handshake(failure: Failure) -> Failure {
    if failure.has_reason(Reason::RemoteForeign) { failure.with_hint(UNSENT_HINT) } else { failure }
}

/// The failure to tell of an answer from somewhere else that is none of a daemon: each
/// of those says its reason.
pub fn failure_of_status(status: &Status) -> Option<Failure> {
    let known = wire::error_info(status.details()).is_some();
    if known || matches!(status.code(), Code::DeadlineExceeded | Code::OutOfRange) {
        return None;
    }
    let broke = |error: &(dyn Error + 'static)| {
        let by_http2 = error.downcast_ref::<h2::Error>().map(ToString::to_string);
        by_http2.or_else(|| error.downcast_ref::<io::Error>().map(io_failure::error_text))
    };
    let source = status.source().map(ToString::to_string);
    // gRPC-Web keeps the text alone of what broke.
    let torn =
        || status.message().contains(INCOMPLETE_BODY).then(|| "the answer is torn".to_owned());
    let message = match find_cause(status, broke).or(source).or_else(torn) {
        Some(why) => format!("the connection broke: {why}"),
        None => {
            let (code, message) = (status.code(), status.message());
            let message = if message.is_empty() { format!("{code:?}") } else { message.to_owned() };
            return failure_of_error(status)
                .or(Some(peer_failure(format!("its answer gives no reason: {message}"))));
        }
    };
    let broken =
        || Failure::new(Reason::DaemonUnreachable, message).with_hint(remote::UNREACHABLE_HINT);
    Some(failure_of_error(status).unwrap_or_else(broken))
}

/// Refuses an answer to `command` that cannot be read.
pub fn check_decodable(command: &Command, answer: &[u8]) -> Result<()> {
    let read = wire::decode(command.response, answer);
    read.map(drop).map_err(|error| peer_failure(format!("its answer cannot be read: {error}")))
}

fn peer_failure(what: impl fmt::Display) -> Failure {
    let message = format!("what answers is not a daemon of browse: {what}");
    Failure::new(Reason::RemoteForeign, message)
}

/// What `look` finds in an error, or in what is behind it.
pub fn find_cause<T>(
    error: &(dyn Error + 'static),
    look: impl Fn(&(dyn Error + 'static)) -> Option<T>,
) -> Option<T> {
    let mut cause = Some(error);
    while let Some(error) = cause {
        let inner = error.downcast_ref::<io::Error>().and_then(io::Error::get_ref);
        let found = inner.map_or(error, |inner| inner as &(dyn Error + 'static));
        if let Some(found) = look(found) {
            return Some(found);
        }
        cause = error.source();
    }
    None
}

fn describe(error: &(dyn Error + 'static)) -> Option<String> {
    if let Some(foreign) = error.downcast_ref::<UnexpectedPeer>() {
        return Some(foreign.to_string());
    }
    if let Some(error) = error.downcast_ref::<rustls::Error>() {
        return match error {
            rustls::Error::AlertReceived(alert) => {
                Some(format!("it refuses the greeting of TLS with `{alert:?}`"))
            }
            rustls::Error::InvalidCertificate(_) | rustls::Error::General(_) => None,
            _ => Some("it does not speak TLS 1.3".to_owned()),
        };
    }
    if let Some(error) = error.downcast_ref::<h2::Error>().filter(|error| error.is_library()) {
        return Some(format!("it does not speak HTTP/2: {error}"));
    }
    let parse = error.downcast_ref::<hyper::Error>().is_some_and(hyper::Error::is_parse);
    parse.then(|| "it does not speak HTTP".to_owned())
}

#[cfg(test)]
mod tests {
    use tonic_types::{ErrorDetails, StatusExt as _};

    use super::*;

    #[test]
    fn a_page_is_no_answer() {
        let answer = |status, kind: &str| {
            let answer = Response::builder().status(status).header(header::CONTENT_TYPE, kind);
            check_response(answer.body(()).expect("an answer"))
        };
        assert!(answer(200, "application/grpc").is_ok());
        assert!(answer(200, "application/grpc-web+proto").is_ok());
        for (status, kind) in
            [(200, "text/html; charset=utf-8"), (502, "application/grpc"), (404, "")]
        {
            let error = answer(status, kind).expect_err(kind);
            // As it comes out of the layers above.
            let status = tonic::Status::from_error(error);
            let failure = failure_of_error(&status).expect("it is known");
            assert!(failure.has_reason(Reason::RemoteForeign), "{failure:?}");
            assert!(failure.message.contains(kind) && failure.hint.contains("tunnel status"));
        }
    }

    #[test]
    fn an_answer_without_a_reason_is_none_of_a_daemon() {
        let reported = |status: Status| failure_of_status(&status).expect("it is known");
        let odd = reported(Status::internal("\u{1b}[31mEVIL\u{9b} \u{202e}x"));
        assert!(odd.has_reason(Reason::RemoteForeign), "{odd:?}");
        assert!(
            odd.text().contains("EVIL") && !odd.text().contains(['\u{1b}', '\u{9b}', '\u{202e}'])
        );
        let torn = reported(Status::internal(format!("tonic-web: {INCOMPLETE_BODY}")));
        assert!(
            torn.has_reason(Reason::DaemonUnreachable) && torn.hint == remote::UNREACHABLE_HINT,
            "{torn:?}"
        );
        let broke = io::Error::from(io::ErrorKind::ConnectionReset);
        let broke = reported(Status::from_error(Box::new(broke)));
        assert!(broke.has_reason(Reason::DaemonUnreachable), "{broke:?}");
        assert!(failure_of_status(&Status::deadline_exceeded("late")).is_none());
        let info = ErrorDetails::with_error_info("TAB_DENIED", "browse", []);
        let denied = Status::with_error_details(Code::PermissionDenied, "it is another's", info);
        assert!(failure_of_status(&denied).is_none(), "a daemon says its reason");
        let command = Command::by_name("url").expect("it is in the contract");
        assert!(
            check_decodable(command, &[]).is_ok() && check_decodable(command, &[0xff; 4]).is_err()
        );
    }
}
