//! Settings: flag, then environment, then the project's `config.toml`, then
//! that of the home of browse, then the default.
//!
//! Unknown keys and bad values refuse to start, and say where they stand.

mod edit;
mod file;
mod keys;
mod listing;
mod raw_setting;
mod read;
mod sources;

pub use edit::{AppliedEdit, ConfigEdit, apply};
pub use keys::{KEYS, SettingKey};
pub use listing::{ListedSetting, list};

use std::{
    path::{Path, PathBuf},
    time::Duration,
};

use crate::{
    egress::EgressMode,
    notes::LibrarySettings,
    skills::SandboxMode,
    tunnel::{Provider, TunnelSettings},
};
use browse_chromium::{CdpAddress, DialogPolicy, UserAgentMode};
use browse_content::{ContentLayers, LlmSettings};
use browse_models::ModelSettings;
use browse_net::HostRules;
use browse_policy::DeniedCommands;

pub use read::SettingsReader;
pub use sources::ConfigFiles;

/// Every setting, with its type.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Folder of the project.
    pub project: PathBuf,
    /// Home of browse: global skills, caches, trust.
    pub home: PathBuf,
    /// Where the daemon writes how it is reached.
    pub state_file: PathBuf,
    /// Port on 127.0.0.1; 0 lets the system choose.
    pub port: u16,
    /// Time without a call after which the daemon stops.
    pub idle_timeout: Duration,
    /// Chromium to use instead of one that is found.
    pub chromium: Option<PathBuf>,
    /// The browser that runs already and has the session `default`.
    pub cdp_url: Option<CdpAddress>,
    /// Arguments for Chromium on top of ours.
    pub chromium_args: Vec<String>,
    /// Starts no browser: for tests of the daemon itself.
    pub no_browser: bool,
    /// Starts the browser with the first command that needs it.
    pub defer_browser: bool,
    /// Folder of the bundled skills, instead of the one beside the program.
    pub bundled_skills: Option<PathBuf>,
    /// What untrusted skills are held to.
    pub skill_sandbox: SandboxMode,
    /// Bytes of memory that all processes of an untrusted skill take together.
    pub skill_memory: u64,
    /// Bytes that `load-html` takes.
    pub max_html_bytes: usize,
    /// Windows that the pages of a session may have open.
    pub max_windows: usize,
    /// Commands that nobody may call.
    pub deny: DeniedCommands,
    /// Hosts that `fetch` reaches without approval, wherever they lead.
    pub fetch_allow: HostRules,
    /// Keeps the key of states in the keychain where that works.
    pub keychain: bool,
    /// What happens to questions of pages that no answer was given for beforehand.
    pub dialogs: DialogPolicy,
    /// What the browser says it is.
    pub user_agent: UserAgentMode,
    /// Lets pages offer tools.
    pub webmcp: bool,
    /// Lets a person at a dashboard start a shell.
    pub dashboard_terminal: bool,
    /// The public collection of notes.
    pub library: LibrarySettings,
    /// Certificate of the listener for paired agents, instead of one of ours.
    pub tunnel_cert: Option<PathBuf>,
    /// The key of that certificate.
    pub tunnel_key: Option<PathBuf>,
    /// The tunnel that starts with the daemon.
    pub tunnel: Option<Provider>,
    /// The command of that tunnel.
    pub tunnel_cmd: Option<String>,
    /// Opens the listener for paired agents with the daemon, on this machine,
    /// and no tunnel.
    pub tunnel_local_only: bool,
    /// Says a word on skills to those who drive one host for long.
    pub skillify_prompts: bool,
    /// What is done about text that leaves its site; by the kind of caller
    /// when nothing is set.
    pub egress: Option<EgressMode>,
    /// Keeps local analytics of notes on sites.
    pub telemetry: bool,
    /// Which layers watch over the content of pages.
    pub layers: ContentLayers,
    /// Switches the classifiers off; everything else that guards stays.
    pub security_off: bool,
    /// The classifier from a folder.
    pub model: ModelSettings,
    /// The language model that is asked about text, when one is.
    pub transcript: Option<LlmSettings>,
}

impl Settings {
    /// `<project>/.browse`: state, logs, configuration and skills.
    pub fn project_dir(&self) -> PathBuf {
        self.project.join(".browse")
    }

    /// The folder of the state file and the logs.
    pub fn state_folder(&self) -> PathBuf {
        self.state_file.parent().unwrap_or(Path::new("/")).to_path_buf()
    }

    /// What the tunnel and its listener take from them.
    pub fn tunnel_settings(&self) -> TunnelSettings {
        TunnelSettings {
            home: self.home.clone(),
            certificate: self.tunnel_cert.clone(),
            key: self.tunnel_key.clone(),
            provider: self.tunnel,
            command: self.tunnel_cmd.clone(),
            local_only: self.tunnel_local_only,
        }
    }

    /// The log file of the daemon.
    pub fn log_file(&self) -> PathBuf {
        self.state_file.with_file_name("daemon.log")
    }
}
