//! What a path of HTTP/2 asks for.

use browse_proto::{Command, Scope};

use super::ClientKind;

/// What a call asks for.
#[derive(Clone, Copy, Debug)]
pub enum CallMethod {
    /// A command of the contract.
    Command(&'static Command),
    /// A method of a standard service, served on the local listener only.
    Standard(Scope),
}

/// The standard services. Health needs no token: who starts a daemon asks it
/// before anything else.
const STANDARD_METHODS: &[(&str, Scope)] = &[
    ("/grpc.health.v1.Health/Check", Scope::Public),
    ("/grpc.health.v1.Health/Watch", Scope::Public),
    ("/grpc.health.v1.Health/List", Scope::Public),
    ("/grpc.reflection.v1.ServerReflection/ServerReflectionInfo", Scope::Meta),
    ("/grpc.reflection.v1alpha.ServerReflection/ServerReflectionInfo", Scope::Meta),
];

impl CallMethod {
    /// The method at `path`; none when nothing is served there.
    pub fn by_path(path: &str) -> Option<Self> {
        let standard = STANDARD_METHODS.iter().find(|(known, _)| *known == path);
        let standard = standard.map(|(_, scope)| Self::Standard(*scope));
        standard.or_else(|| Command::by_path(path).map(Self::Command))
    }

    /// The scope that a caller needs.
    pub fn scope(self) -> Scope {
        match self {
            Self::Command(command) => command.scope,
            Self::Standard(scope) => scope,
        }
    }

    /// Whether the tunnel listener serves it to callers of this kind. A person at a dashboard
    /// has commands of its own there, and an agent none of those.
    pub fn is_served_on_tunnel(self, kind: ClientKind) -> bool {
        match (self, kind) {
            (Self::Command(command), ClientKind::Dashboard) => command.remote_dashboard,
            (Self::Command(command), _) => command.tunnel,
            (Self::Standard(_), _) => false,
        }
    }

    /// Whether a pod serves it to callers of this kind. A person at a dashboard has those of its
    /// commands there that one has at a dashboard of a pairing.
    pub fn is_served_in_fleet(self, kind: ClientKind) -> bool {
        match (self, kind) {
            (Self::Command(command), ClientKind::Dashboard) => {
                command.fleet && command.remote_dashboard
            }
            (Self::Command(command), _) => command.fleet,
            (Self::Standard(_), _) => false,
        }
    }

    /// Its name for people.
    pub fn name(self) -> &'static str {
        match self {
            Self::Command(command) => command.name,
            Self::Standard(_) => "a standard service",
        }
    }
}
