//! Places where a test kills the process that writes; nothing somewhere else.

/// Dies here when the test of this process wants it.
#[cfg(test)]
pub fn here(place: &str) {
    if wanted(place) {
        let me = nix::unistd::Pid::this();
        let _ = nix::sys::signal::kill(me, nix::sys::signal::Signal::SIGKILL);
    }
}

/// Whether the test of this process kills it at `place`.
#[cfg(test)]
pub fn wanted(place: &str) -> bool {
    std::env::var("BROWSE_TEST_CRASH").is_ok_and(|wanted| wanted == place)
}

/// Dies nowhere.
#[cfg(not(test))]
pub fn here(_: &str) {}

/// Never.
#[cfg(not(test))]
pub fn wanted(_: &str) -> bool {
    false
}
