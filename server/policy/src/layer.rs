//! The tower stack in front of the services: every call passes it, and what it
//! does not let through never reaches a handler.
//!
//! It is a tower stack because a tonic interceptor never sees which method is
//! called. Each filter answers with a proper gRPC status; gRPC-Web stands
//! outermost and turns that into its own form for callers on HTTP/1.1.

mod allowed_hosts;
mod audit;
mod authorize;
mod call_timeout;
mod error_mapping;
mod filter;
mod http_response;
mod json;
mod json_message;
mod json_notices;
mod json_stream;
mod origin;
mod rate;
mod request_body;
mod trace;

mod stack;

pub use allowed_hosts::AllowedHosts;
pub use audit::RefusedCall;
pub use authorize::{PeerAddress, bearer_token};
pub use call_timeout::{parse_grpc_timeout, requested_timeout};
pub use http_response::{error_reply, json_error};
pub use json::{grpc_answer, into_grpc, response_for};
pub use json_message::{json_answer, read_json};
pub use origin::{EXTENSION_ORIGIN, OriginCheck, check_page};
pub use request_body::AuthenticatedFlag;
pub use stack::{GatedService, LayerConfig, with_gate};
