//! The life of the daemon: settings, one instance per project, listeners,
//! start and end.

mod connection;
mod lifecycle;
mod lock;
mod log;
mod project;
mod reflection;
mod serve;
mod settings;
mod state_file;
mod supervision;

mod instance;

pub use connection::serve as serve_connection;
pub use instance::DaemonParts;
pub use instance::{Daemon, InFlightCall, ShutdownReason};
pub use lifecycle::main;
pub use project::Project;
pub use serve::services;
pub use settings::{Settings, SettingsReader};
pub use state_file::StateFile;
pub use supervision::{browser_options, supervise_browser};
