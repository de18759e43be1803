//! The program `browse`.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(browse_cli::run(std::env::args_os().skip(1)))
}
