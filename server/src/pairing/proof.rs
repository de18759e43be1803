//! By what an agent knows that an answer comes from the daemon that wrote its
//! block, when something in between ends TLS.

use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use crate::policy::hex;

/// `HMAC-SHA256(session key, challenge ‖ 0 ‖ token)`, as hexadecimal. Nothing
/// without a challenge.
pub fn proof(session_key: &[u8; 32], challenge: &str, token: &str) -> String {
    let mac = Hmac::<Sha256>::new_from_slice(session_key);
    let Some(mut mac) = mac.ok().filter(|_| !challenge.is_empty()) else { return String::new() };
    mac.update(challenge.as_bytes());
    mac.update(&[0]);
    mac.update(token.as_bytes());
    hex(&mac.finalize().into_bytes())
}

#[cfg(test)]
mod tests {
    use super::proof;

    #[test]
    fn a_proof_is_of_key_challenge_and_token() {
        let good = proof(&[7; 32], "c", "t");
        assert_eq!(good.len(), 64);
        let others =
            [proof(&[8; 32], "c", "t"), proof(&[7; 32], "d", "t"), proof(&[7; 32], "c", "u")];
        assert!(!others.contains(&good));
        // The boundary between the two cannot be moved.
        assert_ne!(proof(&[7; 32], "ct", ""), good);
        assert_eq!(proof(&[7; 32], "", "t"), "");
    }
}
