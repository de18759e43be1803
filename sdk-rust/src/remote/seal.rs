//! How a key is redeemed where TLS may end at a tunnel.

use ring::{aead, hmac};
use rustls::crypto::ring as provider;

use super::hex::{hex, unhex};
use crate::error::{Error, Result};
use crate::json::Json;
use crate::sha256::sha256;

/// Fields of the answer that the seal is bound to, in its order.
const BOUND_FIELDS: [&str; 5] = ["name", "scopes", "hosts", "session", "expires_at"];

/// What keeps key and token from a proxy that terminates TLS: the session key of a block,
/// and the challenge of one request.
pub struct TokenSeal {
    key: hmac::Key,
    challenge: String,
}

impl TokenSeal {
    /// That of a session key, for one request.
    pub fn new(session: [u8; 32]) -> Result<Self> {
        let mut bytes = [0; 16];
        let filled = provider::default_provider().secure_random.fill(&mut bytes);
        let none = |_| Error::new("BUG", "the system has no random numbers", "Try again", 13);
        filled.map_err(none)?;
        Ok(Self::with_challenge(session, bytes))
    }

    fn with_challenge(session: [u8; 32], challenge: [u8; 16]) -> Self {
        let challenge = hex(&challenge);
        Self { key: hmac::Key::new(hmac::HMAC_SHA256, &session), challenge }
    }

    /// The request for the token of `key`.
    pub fn redeem_request(&self, key: &str) -> Json {
        let id = sha256(key.as_bytes());
        let proof = self.mac(&["browse-redeem-request-v1", &self.challenge, &id]);
        Json::object([
            ("key", format!("sealed-{id}").into()),
            ("challenge", Json::from(&self.challenge)),
            ("proof", hex(proof.as_ref()).into()),
        ])
    }

    /// The token in an answer, when it is that of the daemon to this request.
    pub fn open_token(&self, answer: &Json) -> Option<String> {
        let own = self.mac(&["browse-redeem-seal-v1", &self.challenge]);
        let own = aead::UnboundKey::new(&aead::AES_256_GCM, own.as_ref()).ok()?;
        let mut bytes = unhex(&text_in(answer, "sealed"))?;
        let (nonce, sealed) = bytes.split_at_mut_checked(aead::NONCE_LEN)?;
        let nonce = aead::Nonce::try_assume_unique_for_key(nonce).ok()?;
        let mut bound = format!("browse-redeem-answer-v1\n{}", self.challenge);
        for name in BOUND_FIELDS {
            bound.push('\n');
            bound.push_str(&text_in(answer, name));
        }
        let bound = aead::Aad::from(bound.as_bytes());
        let token = aead::LessSafeKey::new(own).open_in_place(nonce, bound, sealed).ok()?;
        String::from_utf8(token.to_vec()).ok()
    }

    fn mac(&self, lines: &[&str]) -> hmac::Tag {
        hmac::sign(&self.key, lines.join("\n").as_bytes())
    }
}

/// A text of the answer; those of a list with commas between.
pub fn text_in(answer: &Json, name: &str) -> String {
    match &answer[name] {
        Json::List(items) => items.iter().filter_map(Json::as_str).collect::<Vec<_>>().join(","),
        value => value.as_str().unwrap_or_default().to_owned(),
    }
}

/// The failure of an answer that does not open.
pub fn unproven_error() -> Error {
    let message = "the answer is not that of the daemon of the pairing block: it does not fit the session key";
    let hint = "Do not go on; ask the owner to revoke the pairing (`browse pair list` names it), and for a new block by another way";
    Error::new("REMOTE_UNPROVEN", message, hint, 9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_that_was_sealed_for_this_request_opens_and_nothing_else() {
        // As another implementation sealed it, with the session key 7 and the
        // challenge 1.
        let sealed =
            "000102030405060708090a0bbfe20a010b4f632134fb1bac6bb583373b87194fdba60980534da8db";
        let answer = |scope: &str, sealed: &str| {
            Json::object([
                ("name", "ada".into()),
                ("scopes", Json::list(["read", scope])),
                ("hosts", Json::list(["*"])),
                ("session", "pair-ada-000000".into()),
                ("expires_at", "2026-01-01T00:00:00Z".into()),
                ("sealed", sealed.into()),
            ])
        };
        let seal = TokenSeal::with_challenge([7; 32], [1; 16]);
        assert_eq!(seal.open_token(&answer("write", sealed)).as_deref(), Some("token-of-ada"));
        assert_eq!(seal.open_token(&answer("admin", sealed)), None);
        assert_eq!(
            TokenSeal::with_challenge([8; 32], [1; 16]).open_token(&answer("write", sealed)),
            None
        );
        assert_eq!(
            TokenSeal::with_challenge([7; 32], [2; 16]).open_token(&answer("write", sealed)),
            None
        );
        for wrong in ["", "0", "zz", &sealed[2..], &sealed[..40], &"00".repeat(40)] {
            assert_eq!(seal.open_token(&answer("write", wrong)), None, "{wrong}");
        }
        let asked = seal.redeem_request("setup-0123").to_string();
        assert!(asked.contains("sealed-") && !asked.contains("setup-0123"), "{asked}");
    }
}
