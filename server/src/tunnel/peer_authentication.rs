//! By what agents know the daemon.

/// By what an agent knows that it talks to this daemon.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PeerAuthentication {
    /// The public key of its certificate: TLS ends here.
    Pin,
    /// The session key of the block: TLS may end at a tunnel.
    SessionKey,
}

impl PeerAuthentication {
    /// The word for it.
    pub fn name(self) -> &'static str {
        match self {
            Self::Pin => "pin",
            Self::SessionKey => "session-key",
        }
    }
}
