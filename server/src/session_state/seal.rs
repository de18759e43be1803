//! How a state lies on disk: a header, then the contents sealed with
//! AES-256-GCM, which vouches for the header too.
//!
//! ```text
//! 0   8  "BROWSE-S"
//! 8   1  version
//! 9   1  where the key is: 0 in a file, 1 in the keychain, 2 in a mounted file
//! 10  8  which key: the first bytes of its SHA-256
//! 18 12  nonce
//! 30     contents and tag
//! ```

use aes_gcm::{
    Aes256Gcm, KeyInit as _,
    aead::{Aead as _, Payload},
};
use browse_proto::Reason;
use zeroize::Zeroizing;

use super::{KeyLocation, StateKey, StateName};
use browse_base::{Error, Result};

const MAGIC: &[u8; 8] = b"BROWSE-S";
const VERSION: u8 = 1;
const NONCE_OFFSET: usize = 18;
const HEADER_BYTES: usize = 30;

/// The header of a sealed state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StateHeader {
    /// Where the key is.
    pub location: KeyLocation,
    /// Which key.
    key_id: [u8; 8],
}

/// Seals `contents` with a nonce of its own.
pub fn seal(key: &StateKey, contents: &[u8]) -> Vec<u8> {
    seal_within(key, contents, &[])
}

/// The same for a state that is opened with the same `context` alone: what stands around it.
pub fn seal_within(key: &StateKey, contents: &[u8], context: &[u8]) -> Vec<u8> {
    let mut sealed = Vec::with_capacity(HEADER_BYTES + contents.len() + 16);
    sealed.extend_from_slice(MAGIC);
    sealed.push(VERSION);
    sealed.push(key.location.to_byte());
    sealed.extend_from_slice(&key.id());
    let nonce: [u8; HEADER_BYTES - NONCE_OFFSET] = rand::random();
    sealed.extend_from_slice(&nonce);
    let authenticated = [&sealed[..], context].concat();
    let payload = Payload { msg: contents, aad: &authenticated };
    let body = cipher(key).encrypt(&nonce.into(), payload);
    sealed.extend(body.expect("a state is far smaller than the cipher bears"));
    sealed
}

/// Reads the header.
///
/// # Errors
/// `STATE_CORRUPT`, `STATE_NEWER`.
pub fn read_header(sealed: &[u8], name: &StateName) -> Result<StateHeader> {
    let corrupt = |why: &str| {
        let message = format!("the state `{name}` cannot be read: {why}");
        Error::new(Reason::StateCorrupt, message).with("name", name)
    };
    if !sealed.starts_with(MAGIC) {
        return Err(corrupt("it is not a state of browse"));
    }
    match sealed.get(MAGIC.len()) {
        Some(&VERSION) => {}
        Some(version) if *version > VERSION => {
            let message =
                format!("the state `{name}` is of version {version}, this browse knows {VERSION}");
            return Err(Error::new(Reason::StateNewer, message).with("name", name));
        }
        _ => return Err(corrupt("its version is unknown")),
    }
    if sealed.len() < HEADER_BYTES + 16 {
        return Err(corrupt("it is cut"));
    }
    let place = KeyLocation::from_byte(sealed[9])
        .ok_or_else(|| corrupt("the place of its key is unknown"))?;
    let mut key = [0; 8];
    key.copy_from_slice(&sealed[10..NONCE_OFFSET]);
    Ok(StateHeader { location: place, key_id: key })
}

/// Opens a sealed state.
///
/// # Errors
/// As [`read_header`]; `STATE_FOREIGN` when another key sealed it.
pub fn unseal(key: &StateKey, sealed: &[u8], name: &StateName) -> Result<Zeroizing<Vec<u8>>> {
    unseal_within(key, sealed, name, &[])
}

/// Opens a state that was sealed with `context`.
///
/// # Errors
/// As [`unseal`].
pub fn unseal_within(
    key: &StateKey,
    sealed: &[u8],
    name: &StateName,
    context: &[u8],
) -> Result<Zeroizing<Vec<u8>>> {
    let header = read_header(sealed, name)?;
    if header.key_id != key.id() {
        let message = format!(
            "the state `{name}` is sealed with another key than the one {}",
            key.location.description()
        );
        return Err(Error::new(Reason::StateForeign, message).with("name", name));
    }
    let (head, body) = sealed.split_at(HEADER_BYTES);
    let mut nonce = [0; HEADER_BYTES - NONCE_OFFSET];
    nonce.copy_from_slice(&head[NONCE_OFFSET..]);
    let authenticated = [head, context].concat();
    let payload = Payload { msg: body, aad: &authenticated };
    let opened = cipher(key).decrypt(&nonce.into(), payload);
    opened.map(Zeroizing::new).map_err(|_| {
        let message = format!("the state `{name}` cannot be read: it was changed or damaged");
        Error::new(Reason::StateCorrupt, message).with("name", name)
    })
}

fn cipher(key: &StateKey) -> Aes256Gcm {
    Aes256Gcm::new((&*key.bytes).into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name() -> StateName {
        "work".parse().expect("a name")
    }

    fn key(byte: u8) -> StateKey {
        StateKey { bytes: Zeroizing::new([byte; 32]), location: KeyLocation::File }
    }

    fn reason(key: &StateKey, sealed: &[u8]) -> Reason {
        unseal(key, sealed, &name()).map(drop).expect_err("it is wrong").reason()
    }

    #[test]
    fn what_was_sealed_is_opened() {
        let sealed = seal(&key(1), b"contents");
        assert_eq!(unseal(&key(1), &sealed, &name()).expect("it opens").as_slice(), b"contents");
        assert_eq!(read_header(&sealed, &name()).expect("a header").location, KeyLocation::File);
        assert_ne!(sealed, seal(&key(1), b"contents"));
        assert!(!sealed.windows(8).any(|part| part == b"contents"));
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let sealed = seal(&key(1), b"contents");
        for at in 0..sealed.len() {
            let mut changed = sealed.clone();
            changed[at] ^= 1;
            assert!(unseal(&key(1), &changed, &name()).is_err(), "byte {at}");
        }
        for length in 0..sealed.len() {
            assert_eq!(reason(&key(1), &sealed[..length]), Reason::StateCorrupt, "{length} bytes");
        }
    }

    #[test]
    fn a_state_is_opened_within_its_context_alone() {
        let sealed = seal_within(&key(1), b"contents", b"acme/work");
        let open = |context: &[u8]| unseal_within(&key(1), &sealed, &name(), context);
        assert_eq!(open(b"acme/work").expect("it opens").as_slice(), b"contents");
        for context in [&b"beta/work"[..], b"acme/worK", b""] {
            let error = open(context).map(drop).expect_err("it is another");
            assert_eq!(error.reason(), Reason::StateCorrupt);
        }
    }

    #[test]
    fn foreign_and_newer_states_are_told_from_damaged_ones() {
        let mut sealed = seal(&key(1), b"contents");
        assert_eq!(reason(&key(2), &sealed), Reason::StateForeign);
        assert_eq!(reason(&key(1), b"{\"cookies\": []}"), Reason::StateCorrupt);
        sealed[8] = VERSION + 1;
        assert_eq!(reason(&key(1), &sealed), Reason::StateNewer);
    }
}
