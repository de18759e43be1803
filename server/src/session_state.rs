//! What a session holds, and how it is sealed and stored. Nothing here has `Debug` that is
//! made of credentials.

mod contents;
mod counts;
mod key;
mod name;
mod seal;
mod store;

pub use contents::{
    MAX_STATE_BYTES, SavedOrigin, SavedTab, StateContents, pack_state, unpack_state,
};
pub use counts::{StateCounts, count_noun};
pub use key::{KeyLocation, Keyring, StateKey};
pub use name::StateName;
pub use seal::{seal, seal_within, unseal_within};
pub use store::{StateFileInfo, StateStore, unwritable};
