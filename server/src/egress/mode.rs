//! What the guard does about an act that a rule stops.

use crate::policy::Kind;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Nothing but to say that the guard is off.
    Off,
    /// The act is done, its caller told, and it is written down.
    Warn,
    /// The act waits for the owner's approval.
    Block,
}

impl Mode {
    /// The mode of this name.
    pub fn named(text: &str) -> Option<Self> {
        match text {
            "off" => Some(Self::Off),
            "warn" => Some(Self::Warn),
            "block" => Some(Self::Block),
            _ => None,
        }
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warn => "warn",
            Self::Block => "block",
        }
    }

    /// What holds for a caller when no setting says so: the owner's own agents
    /// are warned, others wait.
    pub fn usual(kind: Kind) -> Self {
        match kind {
            Kind::Root => Self::Warn,
            Kind::Skill | Kind::Paired => Self::Block,
        }
    }
}
