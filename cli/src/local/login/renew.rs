//! `login --renew`: makes the token of a fleet good, for programs that read it from its file and
//! call the gateway themselves.

use std::time::Duration;

use browse_proto::Reason;

use super::options::{RenewOptions, TokenSource};
use crate::{
    failure::{Failure, Result},
    fleet_remote::FleetRemote,
    fleet_token, limits,
    remote::Remote,
};

/// The fleet with a token that is good: it is renewed when it ends soon, as commands do, and when
/// the gateway has rejected it. Each step gets `time` at most, where it is given.
///
/// # Errors
/// `REMOTE_UNKNOWN`; `ARGUMENT_INVALID`: it is a pairing; those of the renewal.
pub fn renewed_fleet(options: &RenewOptions, time: Option<Duration>) -> Result<FleetRemote> {
    let name = &options.name;
    let fleet = match Remote::read(name)? {
        Remote::Fleet(fleet) => fleet,
        Remote::Paired(_) => return Err(paired(name)),
    };
    let rejected = match options.reads_rejected_token {
        true => {
            let default = Duration::from_millis(limits::DEFAULT_TIMEOUT_MS);
            TokenSource::Stdin.passed_token(time.unwrap_or(default))?
        }
        false => None,
    };
    let fleet = match &rejected {
        Some(rejected) => fleet_token::with_other_token(name, fleet, rejected, time)?,
        None => fleet_token::with_good_token(name, fleet, time)?,
    };
    match fleet_token::has_ended(&fleet) {
        true => Err(ended(name, &fleet)),
        false => Ok(fleet),
    }
}

fn paired(name: &str) -> Failure {
    let message = format!("the remote `{name}` is a pairing, whose token is not renewed");
    Failure::new(Reason::ArgumentInvalid, message)
        .with_hint(format!("Use it as it is: `browse --remote {name} <command>`"))
}

fn ended(name: &str, fleet: &FleetRemote) -> Failure {
    let message = format!("the token of `{name}` has ended, and it cannot be renewed");
    Failure::new(Reason::TokenExpired, message)
        .with_hint(format!("Run `{}` again", fleet.login_command(name)))
}
