//! Names of tenants and pods.

use std::fmt;

use browse_base::{Error, Result};
use browse_proto::Reason;
use serde::{Deserialize, Serialize};

/// Longest name of a tenant and uid of a pod, in bytes: what a label of Kubernetes holds.
const MAX_BYTES: usize = 63;

/// Who owns sessions: a team, a customer. Letters, digits, `-`, `_` and `.`, with a letter or a
/// digit at both ends, so that it is a label of Kubernetes.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct Tenant(String);

/// The uid of a pod, which is never used again, unlike its address.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub struct PodUid(String);

/// A session of the fleet.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct SessionKey {
    /// Whose it is.
    pub tenant: Tenant,
    /// Its name, which is unique within the tenant.
    pub session: String,
}

impl Tenant {
    /// Checks the name.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`.
    pub fn new(name: impl Into<String>) -> Result<Self> {
        checked(name.into(), "a tenant").map(Self)
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl PodUid {
    /// Checks the uid.
    ///
    /// # Errors
    /// `ARGUMENT_INVALID`.
    pub fn new(uid: impl Into<String>) -> Result<Self> {
        checked(uid.into(), "a pod").map(Self)
    }

    /// The uid.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

fn checked(name: String, of: &str) -> Result<String> {
    let is_end = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_alphanumeric);
    let bytes = name.as_bytes();
    let is_inner = |byte: &u8| byte.is_ascii_alphanumeric() || b"-_.".contains(byte);
    let is_good = bytes.len() <= MAX_BYTES
        && is_end(bytes.first())
        && is_end(bytes.last())
        && bytes.iter().all(is_inner);
    if is_good {
        return Ok(name);
    }
    let message = format!(
        "`{}` does not name {of}: it has 1 to {MAX_BYTES} letters, digits, `-`, `_` and `.`, with \
         a letter or a digit at both ends",
        name.chars().take(80).collect::<String>().escape_debug()
    );
    Err(Error::new(Reason::ArgumentInvalid, message).with("command", "fleet"))
}

impl TryFrom<String> for Tenant {
    type Error = Error;

    fn try_from(name: String) -> Result<Self> {
        Self::new(name)
    }
}

impl TryFrom<String> for PodUid {
    type Error = Error;

    fn try_from(uid: String) -> Result<Self> {
        Self::new(uid)
    }
}

impl From<Tenant> for String {
    fn from(tenant: Tenant) -> Self {
        tenant.0
    }
}

impl From<PodUid> for String {
    fn from(uid: PodUid) -> Self {
        uid.0
    }
}

impl fmt::Display for Tenant {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for PodUid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Display for SessionKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.tenant, self.session)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_is_a_label_of_kubernetes() {
        for name in ["a", "acme", "Team-7", "a.b_c", &"x".repeat(63)] {
            assert_eq!(Tenant::new(name).expect(name).as_str(), name);
        }
        for name in ["", "-a", "a-", ".", "a b", "a/b", "ä", "a\n", &"x".repeat(64)] {
            assert!(Tenant::new(name).is_err() && PodUid::new(name).is_err(), "{name:?}");
        }
        assert!(serde_json::from_str::<Tenant>("\"../other\"").is_err());
    }
}
