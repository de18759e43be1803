//! What is running, for `status` and `doctor`.

use std::path::PathBuf;

/// Which kind of Chromium runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flavour {
    /// `chromium-headless-shell`: quick to start, every tab visible.
    HeadlessShell,
    /// The full browser in `--headless`.
    Headless,
    /// The full browser with windows.
    Headed,
}

/// Whether Chromium's own sandbox confines its renderers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sandbox {
    /// It does.
    On,
    /// It cannot work here, and this is why.
    Off {
        /// The reason, one sentence.
        reason: String,
    },
}

/// The running browser.
#[derive(Debug, Clone)]
pub struct BrowserInfo {
    /// The binary that runs.
    pub executable: PathBuf,
    /// Its kind.
    pub flavour: Flavour,
    /// Such as `HeadlessChrome/156.0.7444.52`.
    pub product: String,
    /// The user agent it sends.
    pub user_agent: String,
    /// Process id of the browser process.
    pub pid: u32,
    /// State of the sandbox.
    pub sandbox: Sandbox,
    /// Set when /dev/shm was missing or too small to use.
    pub shared_memory_note: Option<String>,
    /// The user data directory.
    pub profile: PathBuf,
    /// Where downloads land until they are whole; temporary, 0700.
    pub downloads: PathBuf,
    /// Where files lie that pages are given; temporary, 0700.
    pub uploads: PathBuf,
}
