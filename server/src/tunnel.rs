//! The listener that other machines reach: a port of its own, TLS 1.3 alone,
//! open while somebody is paired.

mod certificate;
mod connection;
mod held;
mod lines;
mod listener;
mod names;
mod place;

pub use certificate::Identity;
pub use listener::{Endpoint, Tunnel};
pub use names::Names;
pub use place::Place;
