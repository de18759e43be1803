//! The program `browse-mcp`, which `browse mcp` executes.

use std::process::ExitCode;

fn main() -> ExitCode {
    ExitCode::from(browse_mcp::run(std::env::args().skip(1).collect()))
}
