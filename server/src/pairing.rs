//! Agents and dashboards on other machines: the names they go by, the keys that they redeem
//! and the tokens that they hold. Nothing of it outlives the daemon.

mod invitation;
pub(crate) mod proof;
pub(crate) mod setup_key;
mod table;
pub(crate) mod terms;

pub use invitation::PairingInvitation;
pub use table::{NewPairing, PairingEntry, Pairings};
pub use terms::{PairingKind, PairingTerms};
