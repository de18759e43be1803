//! The listener that other machines reach: a port of its own, TLS 1.3 alone,
//! open while somebody is paired or a tunnel forwards to it.

mod busy_body;
mod certificate;
mod connection;
mod connection_limits;
mod display_line;
mod drain_body;
mod listen_config;
mod listener;

mod config;
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
mod tunnel_state;

pub use certificate::TunnelIdentity;
pub use config::{Provider, TunnelConfig, TunnelSettings};
pub use lifecycle::{start, stop};
pub use listen_config::ListenConfig;
pub use listener::{ListenerAddress, TunnelListener, TunnelParts, TunnelServices};
pub use ngrok::ngrok_path as ngrok_program;
pub use peer_authentication::PeerAuthentication;
pub use public_address::TunnelAddress;
pub use receipts::TunnelReceipt;
pub use tunnel_state::{RunningTunnel, TunnelStatus};
