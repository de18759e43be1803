//! `browsed`: the browse daemon.

use std::process::ExitCode;

fn main() -> ExitCode {
    // These two must stay tiny, so they are entered before anything else is.
    let flag = std::env::args_os().nth(1);
    if flag.as_deref().is_some_and(|flag| flag == browse_server::guardian::GUARDIAN_FLAG) {
        return browse_server::guardian::run();
    }
    if flag.as_deref().is_some_and(|flag| flag == browse_server::skills::supervisor::SUPERVISE_FLAG)
    {
        return browse_server::skills::supervisor::run();
    }
    if flag.is_some_and(|flag| flag == browse_server::skills::ERASE_TYPES_FLAG) {
        return browse_server::skills::run_erase_process();
    }
    browse_server::daemon::main()
}
