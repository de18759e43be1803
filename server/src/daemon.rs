//! The life of the daemon: settings, one instance per project, listeners,
//! start and end.

mod connection;
mod keep;
mod life;
mod lock;
mod log;
mod project;
mod reflection;
mod serve;
mod settings;
mod state_file;

mod instance;

pub use connection::serve as serve_connection;
pub use instance::Parts;
pub use instance::{Call, Daemon, Ending};
pub use keep::{browser_options, keep_browser};
pub use life::main;
pub use project::Project;
pub use serve::services;
pub use settings::{Settings, SettingsReader};
pub use state_file::StateFile;
