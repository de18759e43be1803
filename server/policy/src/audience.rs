//! Listeners, and the audiences that tokens are made for.

/// Where a call came in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listener {
    /// Loopback: this machine.
    Local,
    /// The locked listener that other machines reach.
    Tunnel,
    /// The Unix socket that confined skills reach.
    Skills,
    /// The page of the dashboard, and what it calls.
    Dashboard,
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
    /// The page of a dashboard.
    Dashboard,
}

impl Listener {
    /// Every listener.
    pub const ALL: [Self; 4] = [Self::Local, Self::Tunnel, Self::Skills, Self::Dashboard];

    /// The tokens that it takes.
    pub fn audiences(self) -> &'static [Audience] {
        match self {
            Self::Local => &[Audience::Local, Audience::Skill],
            Self::Tunnel => &[Audience::Tunnel],
            Self::Skills => &[Audience::Skill],
            Self::Dashboard => &[Audience::Dashboard],
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
            Self::Dashboard => "dashboard",
        };
        format!("daemon:{id}:{word}")
    }
}
