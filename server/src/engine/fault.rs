//! The engine's errors as errors of a call.

use browse_proto::Reason;

use super::error::{Error as Fault, Kind};
use crate::error::Error;

impl From<Fault> for Error {
    fn from(fault: Fault) -> Self {
        let message = fault.to_string();
        match fault {
            Fault::Browser(fault) => fault.into(),
            Fault::Refused { kind, metadata, .. } => {
                let error = Self::new(reason(kind), message);
                metadata.into_iter().fold(error, |error, (key, value)| error.with(key, value))
            }
        }
    }
}

fn reason(kind: Kind) -> Reason {
    match kind {
        Kind::SelectorInvalid => Reason::SelectorInvalid,
        Kind::NotFound => Reason::ElementNotFound,
        Kind::Ambiguous => Reason::ElementAmbiguous,
        Kind::RefStale => Reason::RefStale,
        Kind::RefUnknown => Reason::RefUnknown,
        Kind::RefOtherTab => Reason::RefOtherTab,
        Kind::Covered => Reason::ElementCovered,
        Kind::Hidden => Reason::ElementHidden,
        Kind::Disabled => Reason::ElementDisabled,
        Kind::Unstable => Reason::ElementUnstable,
        Kind::NotEditable => Reason::ElementNotEditable,
        Kind::WrongKind => Reason::ElementWrongKind,
        Kind::OptionNotFound => Reason::OptionNotFound,
        Kind::ValueRejected => Reason::ArgumentInvalid,
        Kind::Missed => Reason::ActionMissed,
        Kind::NothingFocused => Reason::NothingFocused,
        Kind::KeyUnknown => Reason::KeyUnknown,
        Kind::WaitTimeout => Reason::WaitTimeout,
        Kind::Internal => Reason::Bug,
    }
}
