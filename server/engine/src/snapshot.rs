//! Snapshots: the whole frame tree as lines an agent can read and act on.

pub mod options;
pub mod tree;

pub(crate) mod assemble;
pub(crate) mod budget;
pub(crate) mod capture;
pub(crate) mod diff;
pub(crate) mod frame_walks;
pub(crate) mod render;
pub(crate) mod walk_answer;
