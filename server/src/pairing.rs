//! Agents on other machines: the names they go by, the keys that they redeem
//! and the tokens that they hold. Nothing of it outlives the daemon.

mod block;
mod fate;
mod key;
mod offer;
mod proof;
mod table;

mod handlers;

pub use fate::Fate;
pub use handlers::{
    get_identity, list_pairings, list_refusals, new_pairing, redeem, revoke_pairing,
};
pub use table::Pairings;

pub use crate::tunnel::{get_tunnel, start_tunnel, stop_tunnel};
