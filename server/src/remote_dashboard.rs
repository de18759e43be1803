//! The dashboard of a daemon on another machine, or of a fleet, for `browse --remote <name>
//! dashboard`: this machine serves the page at a listener as the daemon has for its own, and passes
//! the calls of the page on. The token of the pairing or the sign-in stays here: the page has one
//! that is good at this listener alone.

mod relay;

mod forwarder;
mod watched_body;

mod relay_client;

mod daemon_client;
mod fleet_client;
mod pairing_health;
mod tls;

mod relay_request;

pub use relay::RemoteDashboard;
pub use relay_request::RelayRequest;
