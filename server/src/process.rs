//! The process of a daemon: one for each project, its listeners, its start and its end.

mod config;
mod connection;
mod lifecycle;
mod lock;
mod log;
mod pod;
mod reflection;
mod remote_dashboard;
mod serve;
mod skill_relay;
mod state_file;
mod supervision;
mod upgrade;

pub use connection::serve as serve_connection;
pub use lifecycle::main;
pub use serve::services;
pub use state_file::StateFile;
pub use supervision::supervise_browser;
