//! How to launch.

use std::ffi::OsString;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use browse_process::Guardian;

/// What the browser says it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum UserAgentMode {
    /// What the same Chromium says with a window.
    #[default]
    Plain,
    /// What Chromium says by itself: `HeadlessChrome`.
    Headless,
}

impl UserAgentMode {
    /// The mode of this name in the settings.
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "plain" => Some(Self::Plain),
            "headless" => Some(Self::Headless),
            _ => None,
        }
    }
}

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
    /// `BROWSE_USER_AGENT`; a browser with windows says the same in both modes.
    pub user_agent: UserAgentMode,
    /// `BROWSE_WEBMCP`: pages can offer tools.
    pub page_tools: bool,
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
            user_agent: UserAgentMode::default(),
            page_tools: false,
            profile: None,
            downloads: None,
            launch_timeout: Duration::from_secs(20),
            guardian: None,
        }
    }
}
