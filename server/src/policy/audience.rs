//! Listeners, and the audiences that tokens are made for.

/// Where a call came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listener {
    /// Loopback: this machine.
    Local,
    /// The locked listener that other machines reach.
    Tunnel,
}

/// The listener that a token is good for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Audience {
    /// A program on this machine.
    Local,
    /// An agent on another machine.
    Tunnel,
    /// A skill that the daemon spawned.
    Skill,
}

impl Listener {
    /// Every listener.
    pub const ALL: [Self; 2] = [Self::Local, Self::Tunnel];

    /// The tokens that it takes.
    pub fn audiences(self) -> &'static [Audience] {
        match self {
            Self::Local => &[Audience::Local, Audience::Skill],
            Self::Tunnel => &[Audience::Tunnel],
        }
    }
}

impl Audience {
    /// The `aud` claim of a token for the daemon `id`.
    pub(super) fn claim(self, id: &str) -> String {
        let word = match self {
            Self::Local => "local",
            Self::Tunnel => "tunnel",
            Self::Skill => "skill",
        };
        format!("daemon:{id}:{word}")
    }
}
