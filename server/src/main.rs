//! `browsed`: the browse daemon.

use std::process::ExitCode;

fn main() -> ExitCode {
    // The guardian must stay tiny, so it is entered before anything else is.
    if std::env::args_os().nth(1).is_some_and(|flag| flag == browse_server::guardian::FLAG) {
        return browse_server::guardian::run();
    }
    browse_server::daemon::main()
}
