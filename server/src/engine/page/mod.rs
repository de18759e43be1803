//! One tab's engine: its script, its state, and the way to a frame.

pub mod deadline;
mod deep;
pub mod engine;
pub mod numbers;
pub mod script;

mod ahead;
mod blank;
pub(crate) mod choice;
pub(crate) mod closed_roots;
pub(crate) mod gather;
mod kept;
pub(crate) mod listeners;
pub(crate) mod numbering;
pub(crate) mod owners;
pub(crate) mod refs;
pub(crate) mod refusal;
pub(crate) mod sheets;
mod slots;
pub(crate) mod under_way;
pub(crate) mod wants;
pub(crate) mod wire;
pub(crate) mod witness;
