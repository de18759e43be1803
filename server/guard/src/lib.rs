//! What the daemon knows about text that a stranger wrote.
//!
//! Pure functions, without a browser and without the contract, so that they
//! can be trained, measured and fuzzed by themselves. The daemon calls them at
//! its one chokepoint for page-derived content.

mod clean;
pub mod egress;

pub use clean::clean;
