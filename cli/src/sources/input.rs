//! Standard input, read to its end but never without end.

use std::io::{self, IsTerminal as _, Read as _};

use browse_proto::Reason;

use crate::{
    failure::{Failure, Result},
    save,
};

/// All of standard input, at most `limit` bytes.
pub fn read(command: &str, limit: usize) -> Result<String> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        let message = format!("`{command}` reads standard input, which is a terminal");
        return Err(Failure::with(
            Reason::ArgumentInvalid,
            message,
            [("command", command.to_owned())],
        ));
    }
    let mut bytes = Vec::new();
    let read = stdin.lock().take(limit as u64 + 1).read_to_end(&mut bytes);
    read.map_err(|error| unreadable("standard input", &save::cause(&error)))?;
    if bytes.len() > limit {
        let message = format!("standard input holds more than {limit} bytes");
        return Err(super::too_large(message, limit));
    }
    String::from_utf8(bytes).map_err(|_| unreadable("standard input", "it is not UTF-8"))
}

/// The failure for what cannot be read.
pub fn unreadable(what: &str, why: &str) -> Failure {
    Failure::new(Reason::FileUnreadable, format!("{what} cannot be read: {why}"))
}
