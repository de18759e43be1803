//! What leaves a site that it was read on: a memory of what was read, as
//! hashes, and the rules on what may be sent where.
//!
//! Text counts by its letters and digits alone, in lower case: blanks, signs
//! and separators make no difference. What is sent is looked at in its usual
//! encodings as well, see [`views`].

mod address;
mod canary;
mod codes;
mod decode;
mod memory;
mod pieces;
mod rules;
mod sites;
mod stream;

pub use canary::Canaries;
pub use decode::views;
pub use memory::{Carried, Memory, Sent};
pub use pieces::{Pieces, Together};
pub use rules::{Cargo, Channel, Place, Rule, judge};
pub use sites::{Site, named_in};
pub use stream::Stream;
