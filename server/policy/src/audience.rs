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
    /// The listener of a pod, which the gateway of its fleet alone reaches.
    Gateway,
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
    /// A caller of a fleet, by its gateway.
    Gateway,
}

impl Listener {
    /// Every listener.
    pub const ALL: [Self; 5] =
        [Self::Local, Self::Tunnel, Self::Skills, Self::Dashboard, Self::Gateway];

    /// The tokens that it takes.
    pub fn audiences(self) -> &'static [Audience] {
        match self {
            Self::Local => &[Audience::Local, Audience::Skill],
            Self::Tunnel => &[Audience::Tunnel],
            Self::Skills => &[Audience::Skill],
            Self::Dashboard => &[Audience::Dashboard],
            Self::Gateway => &[Audience::Gateway],
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
            Self::Gateway => "gateway",
        };
        format!("daemon:{id}:{word}")
    }
}
