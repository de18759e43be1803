//! `browsed`: the browse daemon.

use std::process::ExitCode;

fn main() -> ExitCode {
    // These must stay tiny, so they are entered before anything else is.
    let flag = std::env::args_os().nth(1);
    if flag.as_deref().is_some_and(|flag| flag == browse_process::GUARDIAN_FLAG) {
        return browse_process::run();
    }
    if flag.as_deref().is_some_and(|flag| flag == browse_chromium::BRIDGE_FLAG) {
        return browse_chromium::run_bridge();
    }
    if flag.is_some_and(|flag| flag == browse_server::skills::supervisor::SUPERVISE_FLAG) {
        return browse_server::skills::supervisor::run();
    }
    browse_server::process::main()
}
