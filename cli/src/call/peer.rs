//! Whom a call goes to, and what its caller can do when it fails there.

use browse_proto::Reason;

use crate::{
    address::DaemonSocket,
    connect::{ConnectedDaemon, GATEWAY_UNREACHABLE_HINT, ServerIdentity},
    failure::Failure,
    limits::{MAX_IN_PROCESS_ANSWER_BYTES, MAX_MESSAGE_BYTES},
    remote,
};

/// What to do when another server answers at the address of a gateway.
const FOREIGN_HINT: &str =
    "Check the address of the fleet; a proxy in front of the gateway has to pass gRPC on";

/// Whom a call goes to.
#[derive(Clone, Debug)]
pub enum Peer {
    /// A daemon that was started here, or whose address was named.
    Daemon,
    /// A daemon on another machine, by a pairing.
    Paired,
    /// The gateway of a fleet.
    Gateway {
        /// The command that signs in again; none where callers bring a token.
        login: Option<String>,
    },
    /// The gateway that this process is.
    InProcess,
}

impl Peer {
    /// The one at the other end of this connection.
    pub fn of(daemon: &ConnectedDaemon) -> Self {
        if let DaemonSocket::InProcess(_) = &daemon.socket {
            return Self::InProcess;
        }
        match &daemon.expected_identity {
            None => Self::Daemon,
            Some(ServerIdentity::Paired { .. }) => Self::Paired,
            Some(ServerIdentity::Gateway(gateway)) => {
                Self::Gateway { login: gateway.login.clone() }
            }
        }
    }

    /// Whether it is reached as a remote.
    pub fn is_remote(&self) -> bool {
        !matches!(self, Self::Daemon)
    }

    /// Bytes that an answer from there may have.
    pub fn max_answer_bytes(&self) -> usize {
        match self {
            Self::InProcess => MAX_IN_PROCESS_ANSWER_BYTES,
            Self::Daemon | Self::Paired | Self::Gateway { .. } => MAX_MESSAGE_BYTES,
        }
    }

    /// The same failure with the hint that fits there. Nobody restarts a remote daemon, and no
    /// pairing outlives it.
    pub fn advise(&self, failure: Failure) -> Failure {
        match self {
            Self::Daemon => failure,
            Self::Paired if has_any(&failure, &[Reason::DaemonUnreachable]) => {
                failure.with_hint(remote::UNREACHABLE_HINT)
            }
            Self::Paired if has_any(&failure, &[Reason::ShuttingDown, Reason::TokenRevoked]) => {
                failure.with_hint(remote::PAIRING_ENDED_HINT)
            }
            Self::Paired => failure,
            Self::Gateway { .. } | Self::InProcess
                if has_any(&failure, &[Reason::DaemonUnreachable]) =>
            {
                failure.with_hint(GATEWAY_UNREACHABLE_HINT)
            }
            Self::Gateway { .. } | Self::InProcess
                if has_any(&failure, &[Reason::RemoteForeign]) =>
            {
                failure.with_hint(FOREIGN_HINT)
            }
            Self::Gateway { login: Some(login) } if has_any(&failure, TOKEN_REASONS) => {
                failure.with_hint(format!("Run `{login}` again"))
            }
            Self::Gateway { .. } | Self::InProcess => failure,
        }
    }
}

fn has_any(failure: &Failure, reasons: &[Reason]) -> bool {
    reasons.iter().any(|reason| failure.has_reason(*reason))
}

/// Why a gateway does not accept a token.
const TOKEN_REASONS: &[Reason] = &[
    Reason::TokenMissing,
    Reason::TokenInvalid,
    Reason::TokenExpired,
    Reason::TokenRevoked,
    Reason::TokenForeign,
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gateway_gives_its_own_hints_but_those_of_the_sign_in() {
        let login = Some("browse login https://a.example --name a".to_owned());
        let peer = Peer::Gateway { login };
        let advised = |reason| peer.advise(Failure::new(reason, "words")).hint.clone();
        for reason in TOKEN_REASONS {
            assert_eq!(advised(*reason), "Run `browse login https://a.example --name a` again");
        }
        let busy = Failure::new(Reason::FleetBusy, "words").with_hint("Try again in 700 ms");
        assert_eq!(peer.advise(busy).hint, "Try again in 700 ms");
        assert!(advised(Reason::DaemonUnreachable).contains("operator"));
    }
}
