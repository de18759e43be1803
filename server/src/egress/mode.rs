//! What the guard does about an act that a rule stops.

use browse_policy::ClientKind;

/// What is done.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EgressMode {
    /// Nothing but to say that the guard is off.
    Off,
    /// The action runs, its caller gets a notice, and a record is written.
    Warn,
    /// The act is refused until the owner approves it.
    Block,
    /// The same, and the call waits for the owner until its deadline.
    Ask,
}

impl EgressMode {
    /// The mode of this name.
    pub fn from_name(text: &str) -> Option<Self> {
        match text {
            "off" => Some(Self::Off),
            "warn" => Some(Self::Warn),
            "block" => Some(Self::Block),
            "ask" => Some(Self::Ask),
            _ => None,
        }
    }

    /// Whether an act needs the owner's approval.
    pub fn needs_approval(self) -> bool {
        matches!(self, Self::Block | Self::Ask)
    }

    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Off => "off",
            Self::Warn => "warn",
            Self::Block => "block",
            Self::Ask => "ask",
        }
    }

    /// What holds for a caller when no setting says so: the owner's own agents
    /// are warned, others wait.
    pub fn default_for(kind: ClientKind) -> Self {
        match kind {
            // A person at a dashboard decides what leaves.
            ClientKind::Dashboard => Self::Off,
            ClientKind::Root | ClientKind::Agent => Self::Warn,
            ClientKind::Skill | ClientKind::Paired | ClientKind::Tenant | ClientKind::Anonymous => {
                Self::Block
            }
        }
    }
}
