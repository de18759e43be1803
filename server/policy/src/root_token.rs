//! The root token: 256 random bits, made at each start.
//!
//! It reads `browse-root-<daemon id>-<secret>`: the prefix lets secret scanners
//! find it, the id tells the token of another daemon from a forged one.

use subtle::ConstantTimeEq as _;

use browse_base::{Result, hex, random};

const ROOT_TOKEN_PREFIX: &str = "browse-root-";

/// The root token of one daemon.
pub struct RootToken(String);

/// What a token is to this daemon's root token.
#[derive(Debug, PartialEq, Eq)]
pub enum RootTokenMatch {
    /// It is the root token.
    Same,
    /// It is, or claims to be, the root token of another daemon.
    OtherDaemon,
    /// It claims to be ours and is not.
    Forged,
    /// It is something else.
    Other,
}

impl RootToken {
    /// Makes the token of the daemon `id`.
    ///
    /// # Errors
    /// The system has no random numbers.
    pub fn new(id: &str) -> Result<Self> {
        Ok(Self(format!("{ROOT_TOKEN_PREFIX}{id}-{}", hex(&random::<32>()?))))
    }

    /// The token, for the state file.
    pub fn expose(&self) -> &str {
        &self.0
    }

    /// Compares in a time that does not depend on where the two differ.
    pub fn compare(&self, token: &str, id: &str) -> RootTokenMatch {
        if bool::from(self.0.as_bytes().ct_eq(token.as_bytes())) {
            return RootTokenMatch::Same;
        }
        match token.strip_prefix(ROOT_TOKEN_PREFIX).and_then(|rest| rest.split_once('-')) {
            Some((other, _)) if other == id => RootTokenMatch::Forged,
            Some(_) => RootTokenMatch::OtherDaemon,
            None => RootTokenMatch::Other,
        }
    }
}

/// Whether `token` claims to be a root token, whoever made it.
pub fn has_root_prefix(token: &str) -> bool {
    token.starts_with(ROOT_TOKEN_PREFIX)
}

#[cfg(test)]
mod tests {
    use super::{RootToken, RootTokenMatch};

    #[test]
    fn it_is_told_from_others() {
        let token = |id| RootToken::new(id).expect("there are random numbers");
        let (ours, theirs) = (token("aa"), token("bb"));
        assert_eq!(ours.compare(ours.expose(), "aa"), RootTokenMatch::Same);
        assert_eq!(ours.compare(theirs.expose(), "aa"), RootTokenMatch::OtherDaemon);
        assert_eq!(ours.compare("browse-root-aa-00", "aa"), RootTokenMatch::Forged);
        assert_eq!(ours.compare("", "aa"), RootTokenMatch::Other);
        assert_eq!(ours.expose().len(), "browse-root-aa-".len() + 64);
    }
}
