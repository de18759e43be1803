//! Renews the token of a fleet when it is about to end. One process does so at a time, because
//! many issuers accept a refresh token once; the others take what it has written.

use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use browse_proto::Reason;

use crate::{
    failure::{Failure, Result},
    fleet_remote::FleetRemote,
    http_client::HttpClient,
    oidc::{self, Issuer, TokenAnswer, TokenSet},
    remote::{PendingRemoteFile, Remote},
};

/// Time before its end in which a token is renewed.
const RENEWAL_TIME_S: u64 = 30;

/// Time that a renewal gets, if the call has no less.
const RENEWAL_TIMEOUT: Duration = Duration::from_secs(15);

/// The error of OAuth for a refresh token that is good no more.
const INVALID_GRANT: &str = "invalid_grant";

/// The fleet of the remote `name`, with a token that is good for a while, where one can be got. The
/// renewal gets `time` at most, where it is given.
///
/// # Errors
/// The token has ended, and `TOKEN_EXPIRED`: so has the sign-in; `ISSUER_UNUSABLE`;
/// `FILE_UNWRITABLE`.
pub fn with_good_token(
    name: &str,
    fleet: FleetRemote,
    time: Option<Duration>,
) -> Result<FleetRemote> {
    if !is_due(&fleet) {
        return Ok(fleet);
    }
    match renew(name, max_renewal_time(time), is_due) {
        // Its last seconds may do.
        Err(_) if fleet.expires_at.is_some_and(|at| at > unix_time()) => Ok(fleet),
        outcome => outcome,
    }
}

/// The same when the gateway has rejected the token `rejected`: whatever time that has left, it is
/// renewed, unless another process has replaced it meanwhile.
///
/// # Errors
/// As [`with_good_token`], and `TOKEN_INVALID`: it cannot be replaced.
pub fn with_other_token(
    name: &str,
    fleet: FleetRemote,
    rejected: &str,
    time: Option<Duration>,
) -> Result<FleetRemote> {
    if fleet.token != rejected {
        return with_good_token(name, fleet, time);
    }
    let is_needed = |current: &FleetRemote| current.token == rejected || is_due(current);
    let renewed = renew(name, max_renewal_time(time), is_needed)?;
    // It was passed, or the issuer gives the same one for some time.
    if renewed.token == rejected {
        let message =
            format!("the gateway rejected the token of `{name}`, and it cannot be replaced");
        let hint = format!("Run `{}` again", renewed.login_command(name));
        return Err(Failure::new(Reason::TokenInvalid, message).with_hint(hint));
    }
    Ok(renewed)
}

/// Whether the token has ended and cannot be renewed.
pub fn has_ended(fleet: &FleetRemote) -> bool {
    fleet.renewal.is_none() && fleet.expires_at.is_some_and(|at| at <= unix_time())
}

/// Takes over what an issuer has made.
pub fn set_tokens(fleet: &mut FleetRemote, tokens: TokenSet) {
    fleet.token = tokens.access_token;
    fleet.expires_at = tokens.lifetime.map(|lifetime| unix_time() + lifetime.as_secs());
    // An issuer that sends no other refresh token means the one before.
    if let (Some(renewal), Some(refresh_token)) = (&mut fleet.renewal, tokens.refresh_token) {
        renewal.refresh_token = refresh_token;
    }
}

fn max_renewal_time(time: Option<Duration>) -> Duration {
    time.map_or(RENEWAL_TIMEOUT, |time| time.min(RENEWAL_TIMEOUT))
}

/// Renews the token if that is still needed once no other process renews it.
fn renew(
    name: &str,
    time: Duration,
    is_needed: impl Fn(&FleetRemote) -> bool,
) -> Result<FleetRemote> {
    let end = Instant::now() + time;
    // Before the refresh token is used up: what replaces it can be kept.
    let file = PendingRemoteFile::new(time)?;
    let mut fleet = match Remote::read(name)? {
        Remote::Fleet(fleet) => fleet,
        Remote::Paired(_) => {
            let message = format!("the remote `{name}` was replaced by a pairing just now");
            return Err(Failure::new(Reason::RemoteUnknown, message).with_hint("Run it again"));
        }
    };
    let Some(renewal) = fleet.renewal.clone().filter(|_| is_needed(&fleet)) else {
        return Ok(fleet);
    };
    let client = HttpClient::new(fleet.ca.clone())?;
    let issuer = Issuer::discover(&client, &fleet.url, &renewal.issuer, end)?;
    let fields = [
        ("grant_type", "refresh_token"),
        ("refresh_token", renewal.refresh_token.as_str()),
        ("client_id", renewal.client_id.as_str()),
    ];
    // Once it is sent, the refresh token may be used up: only the answer has the next one.
    let end = Instant::now() + RENEWAL_TIMEOUT;
    match issuer.request_token(&client, &fields, end) {
        Ok(TokenAnswer::Granted(tokens)) => {
            set_tokens(&mut fleet, tokens);
            file.save(name, &Remote::Fleet(fleet.clone()))?;
            Ok(fleet)
        }
        Ok(TokenAnswer::Refused(error)) if error.code == INVALID_GRANT => {
            let message = format!("the sign-in to `{name}` has ended: {}", error.text());
            let hint = format!("Run `{}` again", fleet.login_command(name));
            Err(Failure::new(Reason::TokenExpired, message).with_hint(hint))
        }
        Ok(TokenAnswer::Refused(error)) => {
            let why = format!("it does not renew the token: {}", error.text());
            Err(oidc::unusable_issuer(&renewal.issuer, &why))
        }
        Err(failure) => Err(oidc::unusable_issuer(&renewal.issuer, failure.why())),
    }
}

fn is_due(fleet: &FleetRemote) -> bool {
    let ends_soon = |at: u64| at <= unix_time() + RENEWAL_TIME_S;
    fleet.renewal.is_some() && fleet.expires_at.is_some_and(ends_soon)
}

/// Seconds since 1970.
fn unix_time() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs())
}
