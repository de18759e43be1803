//! The one place where a call is allowed or refused.

use std::sync::Arc;

use browse_proto::{Command, Reason, Scope};

use super::{CallMethod, Capability, ClientKind, Grant, Listener};
use browse_base::{Error, Result};

/// Leave to run one command, made by [`check`] alone.
#[derive(Clone, Debug)]
pub struct Permit {
    command: &'static Command,
    grant: Arc<Grant>,
    listener: Listener,
}

/// Weighs `grant` against `command`, for a call that came in at `listener`.
///
/// # Errors
/// The grant has ended, the user's configuration denies the command, the tunnel does
/// not serve it, or the scope is missing.
pub fn check(grant: &Arc<Grant>, command: &'static Command, listener: Listener) -> Result<Permit> {
    check_allowed(grant, CallMethod::Command(command), listener)?;
    Ok(Permit { command, grant: Arc::clone(grant), listener })
}

/// The same for a standard service, which has no handler of ours to permit.
pub(super) fn check_allowed(grant: &Grant, method: CallMethod, listener: Listener) -> Result<()> {
    grant.check_alive()?;
    if let CallMethod::Command(command) = method {
        grant.denied().check(command)?;
    }
    let capability = grant.capability();
    if listener == Listener::Tunnel && !method.is_served_on_tunnel(capability.kind) {
        let message = format!("`{}` cannot be called through a tunnel", method.name());
        return Err(Error::new(Reason::TunnelDenied, message));
    }
    if listener == Listener::Gateway && !method.is_served_in_fleet(capability.kind) {
        let message = match capability.kind {
            ClientKind::Dashboard => {
                format!("`{}` cannot be called from the dashboard of a fleet", method.name())
            }
            _ => format!("`{}` cannot be called in a fleet", method.name()),
        };
        return Err(Error::new(Reason::FleetDenied, message));
    }
    let known = capability.kind != ClientKind::Anonymous;
    let held = method.scope() == Scope::Any && known || capability.scopes.allows(method.scope());
    if !held {
        let required = method.scope().name();
        let message = format!("`{}` needs the `{required}` scope", method.name());
        let held = capability.scopes.names().join(",");
        let error = Error::new(Reason::ScopeDenied, message).with("required", required);
        return Err(error.with("held", held));
    }
    Ok(())
}

impl Permit {
    /// The command that may run.
    pub fn command(&self) -> &'static Command {
        self.command
    }

    /// What the caller may do.
    pub fn capability(&self) -> &Capability {
        self.grant.capability()
    }

    /// The grant behind it.
    pub fn grant(&self) -> &Arc<Grant> {
        &self.grant
    }

    /// Where the call came in.
    pub fn listener(&self) -> Listener {
        self.listener
    }

    /// Asks for another command on behalf of the same caller: a step of a
    /// chain or a batch.
    ///
    /// # Errors
    /// As [`check`].
    pub fn for_command(&self, command: &'static Command) -> Result<Self> {
        check(&self.grant, command, self.listener)
    }
}
