//! CDP out: a WebSocket address of one session, for programs that speak the DevTools
//! protocol.
//!
//! An [`Addresses`] row is a capability; [`DevToolsListener`] serves its path; a
//! [`DevToolsClient`](client) is one connection. It presents the session as a browser of
//! its own: methods pass by the table of [`methods`], and what concerns the whole browser
//! is answered for the session alone.

mod addresses;
mod client;
mod gateway_clients;
mod handshake;
mod http_service;
mod listener;
mod message;
pub mod methods;
mod outbox;
mod parts;
mod record;
mod socket;

pub use addresses::{AddressTerms, Addresses, IssuedAddress};
pub use listener::DevToolsListener;
pub use parts::{DevToolsParts, SessionCheck};
pub use record::{ClientRecord, RecordClient};
