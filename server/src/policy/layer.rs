//! The tower stack in front of the services: every call passes it, and what it
//! does not let through never reaches a handler.
//!
//! It is a tower stack because a tonic interceptor never sees which method is
//! called. Each filter answers with a proper gRPC status; gRPC-Web stands
//! outermost and turns that into its own form for callers on HTTP/1.1.

mod audit;
mod authorize;
mod explain;
mod filter;
mod intake;
mod json;
mod origin;
mod rate;
mod reply;
mod trace;

mod stack;

pub use audit::Refusal;
pub use authorize::Peer;
pub use intake::Known;
pub use origin::Origin;
pub use stack::{Gate, Guarded, guard};
