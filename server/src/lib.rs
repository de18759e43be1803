//! The daemon of browse. The modules stand in layers: each uses only those below it,
//! and the tests in `cli/tests/cli/modules.rs` fail when one does not.

// The process: start, listeners, end.
pub mod process;

// The handlers of all services.
pub mod handlers;

// From a permitted call to its handler and back.
pub mod dispatch;

// The state of the daemon.
pub mod daemon;
pub mod settings;

// The parts of that state, which know of no call.
pub mod remote_dashboard;
pub mod terminal;
pub mod tunnel;
pub mod window;

pub mod agents;
pub mod attached;
pub mod dashboard;
pub mod devtools;
pub mod egress;
pub mod fleet_sessions;
pub mod kept_sessions;
pub mod notes;
pub mod pairing;
pub mod skills;

pub mod fleet_relay;

pub mod fleet_gateway;

pub mod session_state;
pub mod talk;

pub mod address;
pub mod idle_timer;
pub mod keychain;
pub mod loopback;
pub mod notices;
pub mod project;
pub mod relay_http;
pub mod session_sharing;
pub mod ttl;
pub mod upgrade;

#[cfg(test)]
mod testing;
