//! The name of a caller.

use std::{fmt, sync::Arc};

use browse_proto::Reason;

use browse_base::{Error, Result};

/// Longest name, in bytes.
const MAX_NAME_BYTES: usize = 128;

const ROOT: &str = "root";
const ANONYMOUS: &str = "stranger";

/// The name that a caller is known by: `root`, `skill:hackernews:1f3a`, or what
/// the owner called a paired agent.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ClientId(Arc<str>);

impl ClientId {
    /// Names a client that is not root.
    ///
    /// # Errors
    /// The name is empty, longer than 128 bytes, holds a blank or a control
    /// character, or is `root` in any case.
    pub fn new(name: impl AsRef<str>) -> Result<Self> {
        let name = name.as_ref();
        let refuse = |why: &str| {
            let message = format!("`{}` is not a name for a client: {why}", name.escape_debug());
            Err(Error::new(Reason::ArgumentInvalid, message).with("command", "session"))
        };
        if name.is_empty() {
            refuse("it is empty")
        } else if name.len() > MAX_NAME_BYTES {
            refuse("it is longer than 128 bytes")
        } else if name.chars().any(|letter| letter.is_whitespace() || letter.is_control()) {
            refuse("it holds a blank or a control character")
        } else if [ROOT, ANONYMOUS].contains(&name.to_lowercase().as_str()) {
            refuse("the name is reserved")
        } else {
            Ok(Self(name.into()))
        }
    }

    /// The holder of the root token.
    pub fn root() -> Self {
        Self(ROOT.into())
    }

    /// Whoever has no token.
    pub fn anonymous() -> Self {
        Self(ANONYMOUS.into())
    }

    /// Whether this is the holder of the root token.
    pub fn is_root(&self) -> bool {
        &*self.0 == ROOT
    }

    /// The name.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl fmt::Debug for ClientId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

#[cfg(test)]
mod tests {
    use super::ClientId;

    #[test]
    fn root_is_reserved_in_any_case() {
        for name in ["", "root", "ROOT", "Root", "a b", "a\nb", &"x".repeat(129)] {
            assert!(ClientId::new(name).is_err(), "{name:?}");
        }
    }

    #[test]
    fn ordinary_names_pass() {
        for name in ["skill:hackernews:1f3a", "claude", "rooter", "büro"] {
            assert_eq!(ClientId::new(name).expect(name).as_str(), name);
        }
    }
}
