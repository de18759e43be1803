//! Standard input, read to its end but never without end.

use std::{
    io::{self, IsTerminal as _, Read as _},
    sync::mpsc,
    thread,
    time::Duration,
};

use browse_proto::Reason;

use crate::{
    failure::{Failure, Result},
    io_failure,
    limits::too_large,
};

/// All of standard input, at most `limit` bytes, when it ends within `delay`.
/// Who starts us may leave a pipe open that nobody writes to.
pub fn read_stdin(command: &str, limit: usize, max_wait: Duration) -> Result<String> {
    let stdin = io::stdin();
    if stdin.is_terminal() {
        let message = format!("`{command}` reads standard input, which is a terminal");
        return Err(Failure::with_values(
            Reason::ArgumentInvalid,
            message,
            [("command", command.to_owned())],
        ));
    }
    let (send, read) = mpsc::channel();
    thread::spawn(move || {
        let mut bytes = Vec::new();
        let outcome = stdin.lock().take(limit as u64 + 1).read_to_end(&mut bytes);
        // Nobody listens any more when it came too late.
        let _ = send.send(outcome.map(|_| bytes));
    });
    let Ok(read) = read.recv_timeout(max_wait) else {
        let message = format!("standard input did not end within {} s", max_wait.as_secs_f64());
        return Err(Failure::new(Reason::DeadlineExceeded, message)
            .with_hint(format!("End it, or give `browse {command}` more time with `--timeout`")));
    };
    let bytes = read.map_err(|error| {
        unreadable("standard input", &io_failure::error_text(&error))
            .with_hint("Give it from a file or a pipe")
    })?;
    if bytes.len() > limit {
        let message = format!("standard input holds more than {limit} bytes");
        return Err(too_large(message, limit));
    }
    let text = String::from_utf8(bytes)
        .map_err(|_| unreadable("standard input", "it is not UTF-8"))
        .map_err(|failure| failure.with_hint("Give UTF-8 on standard input"))?;
    // Editors of other systems begin files with a byte order mark.
    Ok(text.strip_prefix('\u{feff}').map(str::to_owned).unwrap_or(text))
}

/// The failure for what cannot be read.
pub fn unreadable(what: &str, why: &str) -> Failure {
    Failure::new(Reason::FileUnreadable, format!("{what} cannot be read: {why}"))
}
