//! Who may do what.
//!
//! A call shows a token; the token names a grant; the grant holds a
//! capability; [`check`] weighs the capability against the command and answers
//! with a [`Permit`]. No handler is entered without one, and nothing else
//! makes one. The zero value of everything here is the closed one.

mod client;
mod denied;
mod hosts;
mod rate;
mod scopes;

mod capability;
mod grant;

mod audience;
mod authority;
mod claims;
mod grants;
mod root;

mod check;
pub mod layer;
mod method;

pub use audience::{Audience, Listener};
pub use authority::{Authority, GrantSpec, Minted};
pub use capability::{Capability, Kind, SessionRule, TabPolicy};
pub use check::{Permit, check};
pub use client::ClientId;
pub use denied::DeniedCommands;
pub use grant::{Calls, Grant};
pub use hosts::{HostPattern, Hosts, place};
pub use method::Method;
pub use rate::Rate;
pub(crate) use root::{hex, random};
pub use scopes::Scopes;
