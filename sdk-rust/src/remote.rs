//! Remote browsers: the pairing block that an owner gave, the token that its
//! key is traded for, and where that is kept.

mod credential_store;
mod hex;
mod pairing_link;
mod seal;
mod tls;

use std::time::Duration;

use super::client::{Browse, Stream};
use super::error::{Error, Result};
use super::json::Json;
use credential_store::{SESSION_KEY_MODE, StoredRemote, read_remote, remote_path, write_remote};
use pairing_link::PairingBlockLink;
use seal::{TokenSeal, unproven_error};
use tls::connector;

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
    let open = || connector(&address, &pin, seal.is_some());
    let stranger = Browse::with_connector(&address, "", Some(open()?));
    let mut stream: Stream<()> =
        stranger.start_call(REDEEM_PATH, &message, false, REDEEM_TIMEOUT)?;
    let mut answer = Json::Null;
    while let Some(document) = stream.next_document() {
        answer = document?;
    }
    let token = match &seal {
        None => seal::text_in(&answer, "token"),
        Some(seal) => seal.open_token(&answer).ok_or_else(unproven_error)?,
    };
    if token.is_empty() {
        return Err(Error::unexpected_peer(&address, "its answer holds no token"));
    }
    if let Some(file) = file {
        let mut members = vec![("address", &*address), ("pin", &pin), ("token", &token)];
        members.extend(seal.as_ref().map(|_| ("trust", SESSION_KEY_MODE)));
        write_remote(&file, &members)?;
    }
    Ok(Browse::with_connector(&address, &token, Some(open()?)))
}

/// Makes a client of a remote browser that [`redeem`] or the command line keeps
/// under this name.
///
/// # Errors
/// `REMOTE_UNKNOWN`, `REMOTE_FILE_INVALID`.
pub fn remote(name: &str) -> Result<Browse> {
    let kept = read_remote(&remote_path(name)?)?;
    let Some(StoredRemote { address, pin, token, allows_public_ca: vouched }) = kept else {
        let hint = "Run `browse redeem <link>` with the link of a pairing block";
        let message = format!("there is no remote `{name}`");
        return Err(Error::new("REMOTE_UNKNOWN", message, hint, 5));
    };
    Ok(Browse::with_connector(&address, &token, Some(connector(&address, &pin, vouched)?)))
}
