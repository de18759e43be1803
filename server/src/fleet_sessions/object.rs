//! The object of a session: a header that says which pod wrote it and when, then a sealed state.
//!
//! ```text
//! 0     8  "BROWSE-F"
//! 8     1  version
//! 9     8  epoch, which rises by one with each write
//! 17    8  when the session was saved, in seconds since 1970
//! 25    1  length of the uid
//! 26    n  uid of the pod
//! 26+n     the state, as `state save` seals it, within the header and the name of the session
//! ```
//!
//! Numbers are big-endian. Each session has a key of its own, so that none is used for more saves
//! than random nonces allow.

use browse_base::{Error, Result};
use browse_fleet::{PodUid, Tenant};
use browse_proto::Reason;
use zeroize::Zeroizing;

use crate::session_state::{StateKey, StateName, seal_within, unseal_within};

const MAGIC: &[u8; 8] = b"BROWSE-F";
const VERSION: u8 = 1;
const UID_OFFSET: usize = 26;

/// The session that an object is of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ObjectName {
    pub tenant: Tenant,
    pub session: StateName,
}

/// Who wrote an object.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct ObjectHeader {
    /// Rises by one with each write.
    pub epoch: u64,
    /// When the session was saved, in seconds since 1970.
    pub saved_at: u64,
    /// The pod that holds the session.
    pub pod: PodUid,
}

impl ObjectName {
    /// The key of its states.
    pub fn key(&self, fleet: &StateKey) -> StateKey {
        fleet.derive(&[&b"browse fleet state\0"[..], self.text().as_bytes()].concat())
    }

    /// Neither part has a slash.
    pub fn text(&self) -> String {
        format!("{}/{}", self.tenant, self.session)
    }
}

impl ObjectHeader {
    fn to_bytes(&self) -> Vec<u8> {
        let uid = self.pod.as_str().as_bytes();
        let length = u8::try_from(uid.len()).expect("a uid has at most 63 bytes");
        let mut bytes = Vec::with_capacity(UID_OFFSET + uid.len());
        bytes.extend_from_slice(MAGIC);
        bytes.push(VERSION);
        bytes.extend_from_slice(&self.epoch.to_be_bytes());
        bytes.extend_from_slice(&self.saved_at.to_be_bytes());
        bytes.push(length);
        bytes.extend_from_slice(uid);
        bytes
    }
}

/// The object with `contents`.
pub(super) fn pack_object(
    header: &ObjectHeader,
    name: &ObjectName,
    key: &StateKey,
    contents: &[u8],
) -> Vec<u8> {
    let mut bytes = header.to_bytes();
    let sealed = seal_within(key, contents, &context(&bytes, name));
    bytes.extend_from_slice(&sealed);
    bytes
}

/// The header of an object, which is not authenticated yet, and its length.
///
/// # Errors
/// `STATE_CORRUPT`, `STATE_NEWER`.
pub(super) fn read_header(bytes: &[u8], name: &ObjectName) -> Result<(ObjectHeader, usize)> {
    let name = &name.session;
    if let Some(version) = bytes.get(MAGIC.len()).filter(|version| **version > VERSION)
        && bytes.starts_with(MAGIC)
    {
        let message = format!(
            "the stored session `{name}` is of version {version}, this browse knows {VERSION}"
        );
        return Err(Error::new(Reason::StateNewer, message).with("name", name));
    }
    parse_header(bytes).ok_or_else(|| {
        let message = format!("the stored session `{name}` cannot be read: it was changed or cut");
        Error::new(Reason::StateCorrupt, message).with("name", name)
    })
}

/// The header and the contents of an object.
///
/// # Errors
/// As [`read_header`]; `STATE_FOREIGN`: it was sealed with another key, or for another session.
pub(super) fn unpack_object(
    bytes: &[u8],
    name: &ObjectName,
    key: &StateKey,
) -> Result<(ObjectHeader, Zeroizing<Vec<u8>>)> {
    let (header, length) = read_header(bytes, name)?;
    let (head, sealed) = bytes.split_at(length);
    let contents = unseal_within(key, sealed, &name.session, &context(head, name))?;
    Ok((header, contents))
}

fn parse_header(bytes: &[u8]) -> Option<(ObjectHeader, usize)> {
    let rest = bytes.strip_prefix(MAGIC)?.strip_prefix(&[VERSION])?;
    let (epoch, rest) = rest.split_first_chunk::<8>()?;
    let (saved_at, rest) = rest.split_first_chunk::<8>()?;
    let (length, rest) = rest.split_first()?;
    let uid = rest.get(..usize::from(*length))?;
    let pod = PodUid::new(std::str::from_utf8(uid).ok()?).ok()?;
    let header = ObjectHeader {
        epoch: u64::from_be_bytes(*epoch),
        saved_at: u64::from_be_bytes(*saved_at),
        pod,
    };
    Some((header, UID_OFFSET + uid.len()))
}

/// What the seal vouches for beside the contents.
fn context(header: &[u8], name: &ObjectName) -> Vec<u8> {
    [header, name.text().as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(tenant: &str, session: &str) -> ObjectName {
        let tenant = Tenant::new(tenant).expect("a name");
        ObjectName { tenant, session: session.parse().expect("a name") }
    }

    fn fleet_key(digit: &str) -> StateKey {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("key");
        std::fs::write(&path, digit.repeat(64)).expect("a file");
        StateKey::mounted(&path).expect("a key")
    }

    fn object(of: &ObjectName) -> Vec<u8> {
        let header =
            ObjectHeader { epoch: 7, saved_at: 99, pod: PodUid::new("p-1").expect("a uid") };
        pack_object(&header, of, &of.key(&fleet_key("a")), b"sid=secret")
    }

    fn reason(bytes: &[u8], of: &ObjectName, key: &StateKey) -> Reason {
        unpack_object(bytes, of, key).map(drop).expect_err("it does not open").reason()
    }

    #[test]
    fn what_was_packed_is_unpacked_and_is_not_readable() {
        let work = name("acme", "work");
        let bytes = object(&work);
        let (header, contents) =
            unpack_object(&bytes, &work, &work.key(&fleet_key("a"))).expect("it opens");
        assert_eq!((header.epoch, header.saved_at, header.pod.as_str()), (7, 99, "p-1"));
        assert_eq!(contents.as_slice(), b"sid=secret");
        assert!(!bytes.windows(6).any(|part| part == b"secret"));
    }

    #[test]
    fn an_object_is_good_for_its_session_and_its_key_alone() {
        let work = name("acme", "work");
        let bytes = object(&work);
        for other in [name("beta", "work"), name("acme", "mail")] {
            let key = other.key(&fleet_key("a"));
            assert_eq!(reason(&bytes, &other, &key), Reason::StateForeign);
            // Nor with the key of the session that it was of.
            let key = work.key(&fleet_key("a"));
            assert_eq!(reason(&bytes, &other, &key), Reason::StateCorrupt);
        }
        assert_eq!(reason(&bytes, &work, &work.key(&fleet_key("b"))), Reason::StateForeign);
    }

    #[test]
    fn a_changed_or_cut_object_is_refused() {
        let work = name("acme", "work");
        let (bytes, key) = (object(&work), work.key(&fleet_key("a")));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert!(unpack_object(&changed, &work, &key).is_err(), "byte {at}");
            assert!(unpack_object(&bytes[..at], &work, &key).is_err(), "{at} bytes");
        }
        let mut newer = bytes;
        newer[8] = VERSION + 1;
        assert_eq!(reason(&newer, &work, &key), Reason::StateNewer);
    }
}
