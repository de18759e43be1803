//! Who may do what.
//!
//! A call shows a token; the token names a grant; the grant holds a
//! capability; [`check`] weighs the capability against the command and answers
//! with a [`Permit`]. No handler is entered without one, and nothing else
//! makes one. The zero value of everything here is the closed one.

mod client;
mod delivery;
mod denied;
mod rate;
mod scopes;

mod capability;
mod grant;

mod audience;
mod authority;
mod claims;
mod grant_table;
mod root_token;

mod check;
pub mod layer;
mod method;

pub use audience::{Audience, Listener};
pub use authority::{Authority, GrantSpec, IssuedToken};
pub use capability::{Capability, ClientKind, SessionRule, TabPolicy};
pub use check::{Permit, check};
pub use client::ClientId;
pub use delivery::Delivery;
pub use denied::DeniedCommands;
pub use grant::{Grant, GrantUsage};
pub use method::CallMethod;
pub use rate::Rate;
pub use scopes::Scopes;
