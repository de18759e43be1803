//! Browsers elsewhere: the pairing block that an owner gave, the token that its
//! key is traded for, and where that is kept.

mod fields;
mod hex;
mod kept;
mod link;
mod seal;
mod tls;

use std::time::Duration;

use super::client::{Browse, Stream};
use super::error::{Error, Result};
use fields::{fields, text};
use kept::{Kept, VOUCHED, file, read, write};
use link::Link;
use seal::{Seal, unproven};
use tls::opener;

const REDEEM: &str = "/browse.v1.PairService/Redeem";
/// Time that the daemon has to take a key.
const PATIENCE: Duration = Duration::from_secs(30);
/// Field of the answer that holds the token.
const TOKEN: u32 = 1;

/// Makes a client of a browser elsewhere out of a pairing block, or of its link.
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
    let file = keep.map(file).transpose()?;
    let Link { address, key, pin, session } = Link::parse(block)?;
    let seal = session.map(Seal::new).transpose()?;
    let message = match &seal {
        None => fields(&[&key]),
        Some(seal) => seal.ask(&key),
    };
    let open = || opener(&address, &pin, seal.is_some());
    let stranger = Browse::through(&address, "", Some(open()?));
    let mut stream: Stream<()> = stranger.exchange(REDEEM, &message, PATIENCE)?;
    let mut answer = Vec::new();
    while let Some(message) = stream.bytes() {
        answer = message?;
    }
    let token = match &seal {
        None => text(&answer, TOKEN),
        Some(seal) => seal.open(&answer).ok_or_else(unproven)?,
    };
    if token.is_empty() {
        return Err(Error::foreign(&address, "its answer holds no token"));
    }
    if let Some(file) = file {
        let mut members = vec![("address", &*address), ("pin", &pin), ("token", &token)];
        members.extend(seal.as_ref().map(|_| ("trust", VOUCHED)));
        write(&file, &members)?;
    }
    Ok(Browse::through(&address, &token, Some(open()?)))
}

/// Makes a client of a browser elsewhere that [`redeem`] or the command line keeps
/// under this name.
///
/// # Errors
/// `REMOTE_UNKNOWN`, `REMOTE_FILE_INVALID`.
pub fn remote(name: &str) -> Result<Browse> {
    let kept = read(&file(name)?)?;
    let Some(Kept { address, pin, token, vouched }) = kept else {
        let hint = "Run `browse redeem <link>` with the link of a pairing block";
        let message = format!("there is no remote `{name}`");
        return Err(Error::new("REMOTE_UNKNOWN", message, hint, 5));
    };
    Ok(Browse::through(&address, &token, Some(opener(&address, &pin, vouched)?)))
}
