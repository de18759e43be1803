//! Where the daemon is that a page shows.

/// Where the daemon is that a page shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DaemonPlace {
    /// In this process.
    Here,
    /// On another machine, by a pairing.
    Paired,
    /// In the pods of a fleet.
    Fleet,
}
