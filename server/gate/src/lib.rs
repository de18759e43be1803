//! `browse-gate`: the gateway of a fleet.
//!
//! It authenticates callers at the edge, finds the pod of their session, and passes the call on
//! with a token of that pod. Each replica serves every call of a session that exists; one of
//! them, elected by a Lease, gives new sessions their place.

pub mod auth;
pub mod cluster;
pub mod config;
pub mod gateway;
pub mod login;
pub mod metrics;
pub mod observer;
pub mod peer;
pub mod placement;
pub mod pods;
pub mod public_address;
pub mod server;
pub mod traces;

mod duration;
mod expiring_map;
mod machine_tls;
mod pod_token_cache;
mod queue;
mod rates;
mod retry;
mod routes;
