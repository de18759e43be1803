//! The handlers of PairService: agents on other machines, and the tunnel to them.

mod pairings;
mod tab_disposition;

pub use super::tunnel::{get_tunnel, start_tunnel, stop_tunnel};
pub use pairings::{
    get_identity, list_pairings, list_refusals, new_pairing, redeem, revoke_pairing,
};
