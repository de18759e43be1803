//! The failure that the status of a call stands for.

use browse_proto::{Reason, wire};
use tonic::{Code, Status};

use crate::{failure::Failure, response::ResponseNotices};

/// What to do when an answer is too large.
const SMALLER_ANSWER_HINT: &str =
    "Ask for less: a part of the page, one element, or an image as jpeg";

/// The failure of a call, by its status. An answer may have `max_answer_bytes`.
pub fn failure_of(status: &Status, max_answer_bytes: usize) -> Failure {
    let Some(info) = wire::error_info(status.details()) else {
        let limit = format!("{} MiB", max_answer_bytes >> 20);
        if status.code() == Code::OutOfRange {
            let message = format!("the answer is larger than {limit}");
            return Failure::with_values(Reason::TooLarge, message, [("limit", limit)])
                .with_hint(SMALLER_ANSWER_HINT);
        }
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
        Code::ResourceExhausted => Reason::TooLarge,
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
