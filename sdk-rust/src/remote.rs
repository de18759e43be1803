//! Remote browsers: the pairing block that an owner gave, the token that its
//! key is traded for, and where that is kept; the fleets that lie beside them.

mod credential_store;
mod fleet;
mod fleet_state;
mod gateway;
mod hex;
mod pairing_link;
mod renewal;
mod seal;
mod tls;

use std::sync::Arc;
use std::time::Duration;

use super::client::{Browse, DaemonEndpoint, EndpointSource, Stream};
use super::discovery::remote_name;
use super::environment::{self, in_named_session};
use super::error::{Error, Result};
use super::json::Json;
use credential_store::{
    PairedRemote, SESSION_KEY_MODE, StoredRemote, read_remote, remote_path, unknown_remote,
    write_remote,
};
use fleet::Fleet;
use pairing_link::PairingBlockLink;
use seal::{TokenSeal, unproven_error};
use tls::{PAIRED_HINTS, paired_peer};

const REDEEM_PATH: &str = "/browse.v1.PairService/Redeem";
/// Time that the daemon has to take a key.
const REDEEM_TIMEOUT: Duration = Duration::from_secs(30);

/// Makes a client of a remote browser out of a pairing block, or of its link.
///
/// The key of a block is good once. With `keep` the token is kept under that
/// name, where [`remote`] and the command line find it; without, it goes with the
/// client.
///
/// # Errors
/// `PAIRING_LINK_INVALID`, `REMOTE_MISMATCH`, `REMOTE_UNPROVEN`,
/// `SETUP_KEY_INVALID`, `FILE_UNWRITABLE`, and what a call may answer.
pub fn redeem(block: &str, keep: Option<&str>) -> Result<Browse> {
    // A name that cannot be costs no key.
    let file = keep.map(remote_path).transpose()?;
    let PairingBlockLink { address, setup_key: key, pin, session_key: session } =
        PairingBlockLink::parse(block)?;
    let seal = session.map(TokenSeal::new).transpose()?;
    let message = match &seal {
        None => Json::object([("key", key.into())]),
        Some(seal) => seal.redeem_request(&key),
    };
    let peer = Arc::new(paired_peer(&address, &pin, seal.is_some())?);
    let client = |token: &str| {
        Browse::with_endpoint(DaemonEndpoint::new(&address, token, Some(Arc::clone(&peer))), None)
    };
    let mut stream: Stream<()> =
        client("").start_call(REDEEM_PATH, &message, false, REDEEM_TIMEOUT)?;
    let mut answer = Json::Null;
    while let Some(document) = stream.next_document() {
        answer = document?;
    }
    let token = match &seal {
        None => seal::text_in(&answer, "token"),
        Some(seal) => seal.open_token(&answer).ok_or_else(unproven_error)?,
    };
    if token.is_empty() {
        let what = "its answer holds no token";
        return Err(Error::unexpected_peer(&address, what, PAIRED_HINTS.foreign));
    }
    if let Some(file) = file {
        let mut members = vec![("address", &*address), ("pin", &pin), ("token", &token)];
        members.extend(seal.as_ref().map(|_| ("trust", SESSION_KEY_MODE)));
        write_remote(&file, &members)?;
    }
    Ok(client(&token))
}

/// Makes a client of a remote browser that [`redeem`] or the command line keeps
/// under this name, or of a fleet that `browse login` signed in to. A token of a fleet
/// that is about to end is renewed before the next call, by the program `browse` of
/// `BROWSE_CLI` or of the path.
///
/// # Errors
/// `REMOTE_UNKNOWN`, `REMOTE_FILE_INVALID`, `CERTIFICATE_UNUSABLE`.
pub fn remote(name: &str) -> Result<Browse> {
    let path = remote_path(name)?;
    match read_remote(&path)? {
        None => Err(unknown_remote(name)),
        Some(StoredRemote::Paired(PairedRemote { address, pin, token, allows_public_ca })) => {
            let peer = Arc::new(paired_peer(&address, &pin, allows_public_ca)?);
            Ok(Browse::with_endpoint(DaemonEndpoint::new(&address, &token, Some(peer)), None))
        }
        Some(StoredRemote::Fleet(state)) => {
            let fleet = Fleet::shared(name, &path, state)?;
            let source: Arc<dyn EndpointSource> = fleet.clone();
            Ok(Browse::with_endpoint(fleet.stored_endpoint(), Some(source)))
        }
    }
}

/// Makes a client of what the environment names: the remote of `BROWSE_REMOTE`, else the
/// daemon of `BROWSE_ADDR` with `BROWSE_TOKEN` or `BROWSE_SKILL_TOKEN`, else that of the
/// state file of the project. It acts in the session of `BROWSE_SESSION`. In the run of
/// a skill the daemon counts, and not `BROWSE_REMOTE`.
///
/// # Errors
/// `DAEMON_NOT_RUNNING`, `STATE_FILE_INVALID`, and those of [`remote`].
pub fn connect() -> Result<Browse> {
    match remote_name() {
        Some(name) => remote(&name).map(in_named_session),
        None => environment::connect(),
    }
}
