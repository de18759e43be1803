//! The errors of a gateway that does not answer, and of what is not a gateway.

use browse_base::{Error, HINT_KEY};
use browse_pin::HttpsUrl;
use browse_proto::Reason;

/// The error of a gateway that does not answer.
pub fn unreachable(url: &HttpsUrl, why: &str) -> Error {
    let message = format!("the gateway at `{}` does not answer: {why}", url.origin());
    let hint = "Check the network and the address of the fleet, and ask its operator";
    Error::new(Reason::DaemonUnreachable, message).with(HINT_KEY, hint)
}

/// The error of what answers and is not a gateway.
pub fn foreign(what: &str) -> Error {
    let message = format!("what answers is not the gateway of a fleet: {what}");
    let hint = "Check the address of the fleet; a proxy in front of the gateway has to forward gRPC \
                over HTTP/2";
    Error::new(Reason::RemoteForeign, message).with(HINT_KEY, hint)
}

/// The error of a connection that broke.
pub fn broken(url: &HttpsUrl, error: &hyper::Error) -> Error {
    match error.is_parse() {
        true => foreign("it does not speak HTTP/2"),
        false => unreachable(url, &error.to_string()),
    }
}
