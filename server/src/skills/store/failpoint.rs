//! Dies where a test wants it to.
//!
//! Each change of the disk passes here first. In a debug build, the variable
//! `BROWSE_FAULT_AT` names the one before which the daemon kills itself, as a
//! power cut would. A release build has none of this.

/// Passes, or ends the process.
#[cfg(debug_assertions)]
pub fn point() {
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicU64, Ordering};

    static FATAL: OnceLock<Option<u64>> = OnceLock::new();
    static PASSED: AtomicU64 = AtomicU64::new(0);
    let fatal = FATAL.get_or_init(|| std::env::var("BROWSE_FAULT_AT").ok()?.parse().ok());
    if let Some(fatal) = fatal
        && PASSED.fetch_add(1, Ordering::Relaxed) + 1 == *fatal
    {
        let _ = nix::sys::signal::raise(nix::sys::signal::Signal::SIGKILL);
    }
}

/// Passes.
#[cfg(not(debug_assertions))]
pub fn point() {}
