//! Snapshots as pictures: the boxes of refs, or their heat.

mod annotate;
mod capture;
mod heat;

pub use annotate::annotate_snapshot;
pub use heat::heat_snapshot;
