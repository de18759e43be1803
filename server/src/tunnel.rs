//! The listener that other machines reach: a port of its own, TLS 1.3 alone,
//! open while somebody is paired or a tunnel forwards to it.

mod certificate;
mod connection;
mod held;
mod lines;
mod listener;
mod names;
mod place;
mod rest;

mod bare;
mod chain;
mod forward;
mod found;
mod handlers;
mod ngrok;
mod program;
mod public;
mod receipts;
mod said;
mod trust;
mod wish;

pub use certificate::Identity;
pub use forward::stop;
pub use handlers::{get_tunnel, start_tunnel, start_with_daemon, stop_tunnel};
pub use listener::{Endpoint, Tunnel};
pub use names::Names;
pub use ngrok::program as ngrok_program;
pub use place::Place;
pub use public::Public;
pub use trust::Trust;
pub use wish::{Provider, Wish};
