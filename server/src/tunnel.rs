//! The listener that other machines reach: a port of its own, TLS 1.3 alone,
//! open while somebody is paired or a tunnel forwards to it.

mod allowed_hosts;
mod busy_body;
mod certificate;
mod connection;
mod connection_limits;
mod drain_body;
mod listen_config;
mod listener;

mod config;
mod handlers;
mod hash_chain;
mod lifecycle;
mod ngrok;
mod output_tail;
mod peer_authentication;
mod process;
mod program_path;
mod public_address;
mod receipts;
mod redact_command;

pub use allowed_hosts::AllowedHosts;
pub use certificate::TunnelIdentity;
pub use config::{Provider, TunnelConfig};
pub use handlers::{get_tunnel, start_tunnel, start_with_daemon, stop_tunnel};
pub use lifecycle::stop;
pub use listen_config::ListenConfig;
pub use listener::{Endpoint, TunnelListener};
pub use ngrok::ngrok_path as ngrok_program;
pub use peer_authentication::PeerAuthentication;
pub use public_address::PublicAddress;
