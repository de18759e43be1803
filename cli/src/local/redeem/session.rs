//! Redeeming where TLS may end at a tunnel: neither the setup key nor the token
//! is shown to it, and an answer that it changed does not open.

use browse_proto::{
    Reason,
    redeem::{self, RedeemAnswer, SEALED_PREFIX},
};
use ring::{aead, hmac};
use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use crate::failure::{Failure, Result};

/// Bytes of the nonce that a sealed token begins with.
const NONCE_BYTES: usize = 12;

/// The session key of a block, and the challenge of one request.
pub struct RedeemSession {
    key: [u8; 32],
    challenge: String,
}

impl RedeemSession {
    /// One for a single request.
    pub fn new(key: [u8; 32], challenge: [u8; 16]) -> Result<Self> {
        Ok(Self { key, challenge: hex(&challenge) })
    }

    /// The request for the token of `key`, which is not in it.
    pub fn redeem_request(&self, key: &str) -> Value {
        let id = hex(&Sha256::digest(key.as_bytes()));
        let proof = self.mac(&redeem::request_mac_text(&self.challenge, &id));
        json!({
            "key": format!("{SEALED_PREFIX}{id}"),
            "challenge": self.challenge,
            "proof": hex(proof.as_ref()),
        })
    }

    /// The token in an answer.
    ///
    /// # Errors
    /// `REMOTE_UNPROVEN`: it is not the answer of the daemon to this request.
    pub fn open_token(&self, response: &Map<String, Value>, sealed: &str) -> Result<String> {
        let text = |name: &str| response.get(name).and_then(Value::as_str).unwrap_or_default();
        let (scopes, hosts) = (joined_list(response, "scopes"), joined_list(response, "hosts"));
        let answer = RedeemAnswer {
            challenge: &self.challenge,
            name: text("name"),
            scopes: &scopes,
            hosts: &hosts,
            session: text("session"),
            expires_at: text("expires_at"),
        };
        self.unseal(&answer.bound_text(), sealed).ok_or_else(|| {
            let message = "the answer is not that of the daemon of the pairing block: it does not fit the session key";
            Failure::new(Reason::RemoteUnproven, message)
        })
    }

    /// The text of what was sealed, if it is whole and bound to `answer`. The
    /// tag is compared in a time that tells nothing.
    fn unseal(&self, answer: &str, sealed: &str) -> Option<String> {
        let mut bytes = unhex(sealed)?;
        let (nonce, text) = bytes.split_at_mut_checked(NONCE_BYTES)?;
        let nonce = aead::Nonce::try_assume_unique_for_key(nonce).ok()?;
        let own = self.mac(&redeem::seal_key_text(&self.challenge));
        let own = aead::UnboundKey::new(&aead::AES_256_GCM, own.as_ref()).ok()?;
        let own = aead::LessSafeKey::new(own);
        let text = own.open_in_place(nonce, aead::Aad::from(answer.as_bytes()), text).ok()?;
        let token = String::from_utf8(text.to_vec()).ok()?;
        (!token.is_empty()).then_some(token)
    }

    fn mac(&self, text: &str) -> hmac::Tag {
        hmac::sign(&hmac::Key::new(hmac::HMAC_SHA256, &self.key), text.as_bytes())
    }
}

fn joined_list(response: &Map<String, Value>, name: &str) -> String {
    let list = response.get(name).and_then(Value::as_array);
    let words = list.into_iter().flatten().filter_map(Value::as_str);
    words.collect::<Vec<_>>().join(",")
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn unhex(text: &str) -> Option<Vec<u8>> {
    let bytes = text.as_bytes();
    if !bytes.len().is_multiple_of(2) || !bytes.iter().all(u8::is_ascii_hexdigit) {
        return None;
    }
    let pair = |pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok();
    bytes.chunks(2).map(pair).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An answer as the daemon gave it, with key 7 and challenge 1: of another
    /// implementation than ours.
    const SEALED_TOKEN: &str =
        "000102030405060708090a0bbfe20a010b4f632134fb1bac6bb583373b87194fdba60980534da8db";

    fn answer() -> Map<String, Value> {
        let answer = json!({
            "name": "ada",
            "scopes": ["read", "write"],
            "hosts": ["*"],
            "session": "pair-ada-000000",
            "expires_at": "2026-01-01T00:00:00Z",
        });
        answer.as_object().expect("an object").clone()
    }

    #[test]
    fn what_was_sealed_for_this_request_opens_and_nothing_else() {
        let session = RedeemSession::new([7; 32], [1; 16]).expect("a session");
        let good = session.open_token(&answer(), SEALED_TOKEN);
        assert_eq!(good, Ok("token-of-ada".to_owned()));
        let refuse = |session: &RedeemSession, answer: &Map<String, Value>, sealed: &str| {
            let failure = session.open_token(answer, sealed).expect_err(sealed);
            assert!(failure.has_reason(Reason::RemoteUnproven), "{sealed}");
        };
        // Another block, and another request.
        refuse(&RedeemSession::new([8; 32], [1; 16]).expect("a session"), &answer(), SEALED_TOKEN);
        refuse(&RedeemSession::new([7; 32], [2; 16]).expect("a session"), &answer(), SEALED_TOKEN);
        for (name, value) in [
            ("name", json!("eve")),
            ("scopes", json!(["read", "write", "admin"])),
            ("hosts", json!(["evil.example"])),
            ("session", json!("default")),
            ("expires_at", json!("2027-01-01T00:00:00Z")),
        ] {
            let mut answer = answer();
            answer.insert(name.to_owned(), value);
            refuse(&session, &answer, SEALED_TOKEN);
        }
        let cut = &SEALED_TOKEN[..SEALED_TOKEN.len() - 2];
        let flipped = format!("{cut}{}", if SEALED_TOKEN.ends_with("00") { "01" } else { "00" });
        for sealed in ["", "00", "zz", cut, flipped.as_str(), &"00".repeat(64)] {
            refuse(&session, &answer(), sealed);
        }
    }

    #[test]
    fn a_request_does_not_show_the_key() {
        let session = RedeemSession::new([7; 32], [1; 16]).expect("a session");
        let text = session.redeem_request("setup-0123").to_string();
        assert!(!text.contains("setup-0123") && text.contains("sealed-"), "{text}");
        assert!(!text.contains(&"07".repeat(32)), "{text}");
    }
}
