//! How a supervisor tells the daemon what the program ended with. It is reported
//! as soon as nothing of the program is left: what the kernel clears away
//! behind it takes longer than many a program runs.

use std::io;
use std::sync::{Mutex, MutexGuard, PoisonError};

use nix::unistd::{close, write};

/// Whether all is over. Held by whoever ends processes, so that nobody does
/// when their numbers may be those of others.
static HAS_REPORTED: Mutex<bool> = Mutex::new(false);

/// Ends all by `end`, unless all is over.
pub fn unless_reported(end: impl FnOnce()) {
    let over = lock_reported();
    if !*over {
        end();
    }
}

/// Says the code to whoever listens, who has heard everything else by then.
/// From now on nobody is ended.
pub fn report_exit(code: u8) {
    *lock_reported() = true;
    // Nothing is printed after this.
    let _ = (close(1), close(2));
    // A daemon that is gone does not hear it; what is not a socket takes nothing.
    let _ = write(io::stdin(), &[code]);
}

fn lock_reported() -> MutexGuard<'static, bool> {
    HAS_REPORTED.lock().unwrap_or_else(PoisonError::into_inner)
}
