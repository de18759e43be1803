//! The failure that the status of a call stands for.

use browse_proto::{Reason, wire};
use tonic::{Code, Status};

use crate::{failure::Failure, limits::MAX_MESSAGE_BYTES, response::ResponseNotices};

/// The failure of a call, by its status.
pub fn failure_of(status: &Status) -> Failure {
    let Some(info) = wire::error_info(status.details()) else {
        let limit = format!("{} MiB", MAX_MESSAGE_BYTES >> 20);
        let (reason, message) = (reason_of(status.code()), message_of(status));
        return Failure::with_values(reason, message, [("limit", limit)]);
    };
    let message = status.message().to_owned();
    let failure = Failure::from_daemon(&info.reason, message, info.metadata);
    let untrusted = ResponseNotices::from_metadata(status.metadata()).untrusted;
    failure.with_page_quotes(wire::error_page(status.details()), untrusted)
}

/// The reason of a status without details: the transport made it, or something
/// that is not a daemon of ours.
fn reason_of(code: Code) -> Reason {
    match code {
        Code::DeadlineExceeded => Reason::DeadlineExceeded,
        Code::Unimplemented => Reason::MethodUnknown,
        Code::Unauthenticated => Reason::TokenInvalid,
        Code::ResourceExhausted | Code::OutOfRange => Reason::TooLarge,
        Code::Unavailable | Code::Unknown | Code::Internal | Code::Cancelled => {
            Reason::DaemonUnreachable
        }
        _ => Reason::Bug,
    }
}

fn message_of(status: &Status) -> String {
    match status.message() {
        "" => format!("the daemon answered {:?}", status.code()),
        message => message.to_owned(),
    }
}
