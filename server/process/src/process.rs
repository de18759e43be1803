//! What runs inside the guardian process.
//!
//! It is entered before any runtime exists: one thread, one buffer, a list.

use std::io::{BufRead, BufReader};
use std::process::ExitCode;

use nix::sys::signal::SigSet;

use super::ledger::Ledger;
use super::sweep::sweep;

/// The argument that makes `browsed` a guardian.
pub const GUARDIAN_FLAG: &str = "--guardian";

/// Listens until the daemon is gone, then tidies up.
pub fn run() -> ExitCode {
    // Whatever ends the daemon politely must not end us first. Blocked signals
    // stay pending for ever; only SIGKILL gets through.
    let _ = SigSet::all().thread_block();
    // Holds no directory of the user's busy.
    let _ = std::env::set_current_dir("/");
    let mut ledger = Ledger::default();
    // A successor is born knowing what its predecessor gets.
    for line in std::env::args().skip(2) {
        ledger.apply(&line);
    }
    let mut lines = BufReader::with_capacity(1024, std::io::stdin().lock());
    let mut line = Vec::new();
    loop {
        line.clear();
        match lines.read_until(b'\n', &mut line) {
            // A last line without its end was torn by the death: not trusted.
            Ok(0) | Err(_) => break,
            Ok(_) if line.last() != Some(&b'\n') => break,
            Ok(_) => ledger.apply(String::from_utf8_lossy(&line).trim_end()),
        }
    }
    sweep(ledger.entries());
    ExitCode::SUCCESS
}
