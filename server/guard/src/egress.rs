//! What leaves a site that it was read on: a memory of what was read, as
//! hashes, and the rules on what may be sent where.
//!
//! Text counts by its letters and digits alone, in lower case: blanks, signs
//! and separators make no difference. What is sent is looked at in its usual
//! encodings as well, see [`views`].

mod alphanumeric_text;
mod canary;
mod codes;
mod decode;
mod reassembly;
mod rules;
mod sites;
mod taint_store;
mod urls;

pub use alphanumeric_text::AlphanumericText;
pub use canary::Canaries;
pub use decode::decodings;
pub use reassembly::{ChunkHistory, ReassembledText};
pub use rules::{DestinationKind, EgressChannel, EgressRule, TaintedPayload, violated_rule};
pub use sites::{Site, mentioned_sites};
pub use taint_store::{OutboundData, TaintMatch, TaintStore};
