//! The life of the daemon: settings, one instance per project, listeners,
//! start and end.

mod life;
mod lock;
mod log;
mod project;
mod serve;
mod settings;
mod state_file;

mod instance;

pub use instance::Parts;
pub use instance::{Daemon, Ending};
pub use life::{browser_options, main};
pub use project::Project;
pub use settings::{Settings, SettingsReader};
pub use state_file::StateFile;
