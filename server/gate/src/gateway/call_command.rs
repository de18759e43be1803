//! Which command a call is of.

use browse_base::{Error, Result};
use browse_fleet::opens_on_demand;
use browse_proto::{Command, Reason};
use http::Request;
use tonic::body::Body;

/// The command at the path of a call.
///
/// # Errors
/// `METHOD_UNKNOWN`; `FLEET_DENIED`.
pub fn command_of(request: &Request<Body>) -> Result<&'static Command> {
    let path = request.uri().path();
    let command = Command::by_path(path).ok_or_else(|| {
        let shown: String = path.chars().take(80).collect();
        Error::new(Reason::MethodUnknown, format!("`{}` is not a method", shown.escape_debug()))
    })?;
    match command.fleet {
        true => Ok(command),
        false => Err(Error::new(
            Reason::FleetDenied,
            format!("`{}` cannot be called in a fleet", command.name),
        )),
    }
}

/// Whether a command opens the session that it is for, which gets a place for it.
pub fn opens_session(command: &Command) -> bool {
    opens_on_demand(command) || command.name == "session new"
}
