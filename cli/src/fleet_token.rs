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
    match renew(name, time.map_or(RENEWAL_TIMEOUT, |time| time.min(RENEWAL_TIMEOUT))) {
        // Its last seconds may do.
        Err(_) if fleet.expires_at.is_some_and(|at| at > unix_time()) => Ok(fleet),
        outcome => outcome,
    }
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

fn renew(name: &str, time: Duration) -> Result<FleetRemote> {
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
    let Some(renewal) = fleet.renewal.clone().filter(|_| is_due(&fleet)) else {
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
