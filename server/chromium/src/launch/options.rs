//! How to launch.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use browse_process::Guardian;

/// What the settings say about the browser process.
#[derive(Clone)]
pub struct LaunchOptions {
    /// `BROWSE_CHROMIUM`; must exist when set.
    pub executable: Option<PathBuf>,
    /// Show windows.
    pub headed: bool,
    /// Variables that say where windows are shown, instead of our own.
    pub display_variables: Vec<(String, OsString)>,
    /// `BROWSE_CHROMIUM_ARGS`, appended to ours.
    pub extra_args: Vec<String>,
    /// A profile that the user named and that is kept; else a temporary one.
    pub profile: Option<PathBuf>,
    /// Folder in which the browser gets a private one for files that pages send;
    /// else they land with the profile. Files are moved out of it cheaply when
    /// they are to stay on the same file system.
    pub downloads: Option<PathBuf>,
    /// How long the browser may take to its first answer.
    pub launch_timeout: Duration,
    /// Reported of the process and the profile, so that both end with the daemon.
    pub guardian: Option<Arc<Guardian>>,
}

impl Default for LaunchOptions {
    fn default() -> Self {
        Self {
            executable: None,
            headed: false,
            display_variables: Vec::new(),
            extra_args: Vec::new(),
            profile: None,
            downloads: None,
            launch_timeout: Duration::from_secs(20),
            guardian: None,
        }
    }
}
