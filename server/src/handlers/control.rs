//! The handlers of DaemonService: the control plane. None of them asks a page
//! anything, so they answer while every tab hangs.

mod activity;
mod agents;
mod cdp_url;
mod doctor;
mod memory;
mod security;
mod security_layers;
mod security_log;
mod security_model;
mod sessions;
mod status;

pub use activity::activity;
pub use agents::open_agent;
pub use cdp_url::{cdp_url, check_devtools_client};
pub use doctor::doctor;
pub use memory::memory;
pub use security::{security_scan, security_status};
pub use security_log::security_log;
pub use security_model::security_install_model;
pub use sessions::{close_session, list_sessions, new_session};
pub use status::{restart, status, stop, version};
