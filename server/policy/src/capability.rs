//! What a caller may do.

use super::{ClientId, Rate, Scopes};
use crate::Delivery;
use browse_net::HostPolicy;

/// Everything that a token stands for.
#[derive(Clone, Debug)]
pub struct Capability {
    /// Who calls.
    pub client: ClientId,
    /// What sort of caller it is.
    pub kind: ClientKind,
    /// Commands it may call.
    pub scopes: Scopes,
    /// Hosts its tabs may visit.
    pub hosts: HostPolicy,
    /// Tabs it may touch.
    pub tabs: TabPolicy,
    /// Session it acts in.
    pub session: SessionRule,
    /// Calls a second.
    pub rate: Rate,
    /// How it gets page-derived content.
    pub delivery: Delivery,
}

/// What sort of caller a capability is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ClientKind {
    /// The user's own shell.
    Root,
    /// One run of a skill.
    Skill,
    /// An agent program on this machine, with a token of its own.
    Agent,
    /// A person at a dashboard.
    Dashboard,
    /// An agent on another machine.
    Paired,
    /// A caller of a fleet, which the gateway knows.
    Tenant,
    /// Somebody on another machine who has no token yet.
    Anonymous,
}

impl ClientKind {
    /// The word for it in tokens.
    pub fn name(self) -> &'static str {
        match self {
            Self::Root => "root",
            Self::Skill => "skill",
            Self::Agent => "agent",
            Self::Dashboard => "dashboard",
            Self::Paired => "paired",
            Self::Tenant => "tenant",
            Self::Anonymous => "stranger",
        }
    }
}

/// Which tabs of its session a caller may touch.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TabPolicy {
    /// Those that it opened.
    #[default]
    Own,
    /// All of them.
    Session,
}

/// Which session a caller acts in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum SessionRule {
    /// This one, whatever it asks for.
    Only(String),
    /// The one it asks for.
    Any,
}

impl SessionRule {
    /// Whether the token is good for the session `name`.
    pub fn covers(&self, name: &str) -> bool {
        match self {
            Self::Only(own) => own == name,
            Self::Any => true,
        }
    }
}

impl Capability {
    /// What the root token stands for.
    pub fn root() -> Self {
        Self {
            client: ClientId::root(),
            kind: ClientKind::Root,
            scopes: Scopes::ALL,
            hosts: HostPolicy::Any,
            tabs: TabPolicy::Session,
            session: SessionRule::Any,
            rate: Rate::Unlimited,
            delivery: Delivery::Guarded,
        }
    }

    /// What somebody without a token stands for, where anonymous callers may call:
    /// nothing but what needs none.
    pub fn anonymous() -> Self {
        Self {
            client: ClientId::anonymous(),
            kind: ClientKind::Anonymous,
            scopes: Scopes::default(),
            hosts: HostPolicy::None,
            tabs: TabPolicy::Own,
            session: SessionRule::Only(String::new()),
            rate: Rate::Unlimited,
            delivery: Delivery::Guarded,
        }
    }

    /// Whether the holder of the root token calls.
    pub fn is_root(&self) -> bool {
        self.kind == ClientKind::Root
    }

    /// Whether what others do in the session `name` is its business: the local user's, in a
    /// shell or at a dashboard.
    pub fn sees_calls_in(&self, name: &str) -> bool {
        matches!(self.kind, ClientKind::Root | ClientKind::Dashboard) && self.session.covers(name)
    }

    /// The hosts that its tabs may visit.
    pub fn hosts(&self) -> &HostPolicy {
        &self.hosts
    }
}
