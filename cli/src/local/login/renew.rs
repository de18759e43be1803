//! `login --renew`: makes the token of a fleet good, for programs that read it from its file and
//! call the gateway themselves.

use std::time::Duration;

use browse_proto::Reason;

use super::{
    options::{RenewOptions, TokenSource},
    print_json,
};
use crate::{
    failure::{Failure, Result},
    fleet_remote::FleetRemote,
    fleet_token,
    globals::Globals,
    limits,
    remote::Remote,
};

/// Renews the token when it ends soon, as commands do, or when the gateway has rejected it. Prints
/// nothing but what `--json` asks for.
///
/// # Errors
/// `REMOTE_UNKNOWN`; `ARGUMENT_INVALID`: it is a pairing; those of the renewal.
pub fn run(options: &RenewOptions, globals: &Globals) -> Result<u8> {
    let name = &options.name;
    let fleet = match Remote::read(name)? {
        Remote::Fleet(fleet) => fleet,
        Remote::Paired(_) => return Err(paired(name)),
    };
    let rejected = match options.reads_rejected_token {
        true => {
            let time = Duration::from_millis(limits::DEFAULT_TIMEOUT_MS);
            TokenSource::Stdin.passed_token(globals.timeout.unwrap_or(time))?
        }
        false => None,
    };
    let fleet = match &rejected {
        Some(rejected) => fleet_token::with_other_token(name, fleet, rejected, globals.timeout)?,
        None => fleet_token::with_good_token(name, fleet, globals.timeout)?,
    };
    if fleet_token::has_ended(&fleet) {
        return Err(ended(name, &fleet));
    }
    match globals.json {
        true => print_json(name, &fleet),
        false => Ok(0),
    }
}

fn paired(name: &str) -> Failure {
    let message = format!("the remote `{name}` is a pairing, whose token is not renewed");
    Failure::new(Reason::ArgumentInvalid, message)
        .with_hint(format!("Use it as it is: `browse --remote {name} <command>`"))
}

fn ended(name: &str, fleet: &FleetRemote) -> Failure {
    let message = format!("the token of `{name}` has ended, and there is no refresh token");
    Failure::new(Reason::TokenExpired, message)
        .with_hint(format!("Run `{}` again", fleet.login_command(name)))
}
