//! Agents on other machines: the names they go by, the keys that they redeem
//! and the tokens that they hold. Nothing of it outlives the daemon.

mod invitation;
mod proof;
mod setup_key;
mod tab_disposition;
mod table;
mod terms;

mod handlers;

pub use handlers::{
    get_identity, list_pairings, list_refusals, new_pairing, redeem, revoke_pairing,
};
pub use tab_disposition::TabDisposition;
pub use table::Pairings;

pub use crate::tunnel::{get_tunnel, start_tunnel, stop_tunnel};
