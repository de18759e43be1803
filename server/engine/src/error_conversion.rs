//! What the engine says is wrong, as a reason of the contract.

use browse_base::Error;

impl From<crate::Error> for Error {
    fn from(fault: crate::Error) -> Self {
        match fault {
            crate::Error::Browser(fault) => fault.into(),
            crate::Error::Refused { kind, message, metadata, page_texts: page } => {
                let error = Self::new(kind.reason(), message);
                let error =
                    metadata.into_iter().fold(error, |error, (key, value)| error.with(key, value));
                page.iter().fold(error, |error, (about, text)| error.with_quote(about, text))
            }
        }
    }
}
