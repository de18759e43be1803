//! By what an agent knows that an answer comes from the daemon that wrote its
//! block, when something in between ends TLS; and how the token is kept from
//! it. The session key is in the block and in our memory, and nowhere else.

use aes_gcm::{
    Aes256Gcm, KeyInit as _,
    aead::{Aead as _, Payload},
};
use browse_proto::redeem::{self, RedeemAnswer};
use hmac::{Hmac, Mac as _};
use sha2::Sha256;

use browse_base::{Result, hex, random};

/// A session key.
pub type PairingKey = [u8; 32];

fn mac(key: &PairingKey, text: &str) -> Option<Hmac<Sha256>> {
    // HMAC takes keys of any length.
    let mut mac = <Hmac<Sha256> as hmac::Mac>::new_from_slice(key).ok()?;
    mac.update(text.as_bytes());
    Some(mac)
}

/// The proof of an answer whose token is not sealed, as hexadecimal. Nothing
/// without a challenge.
pub fn answer_proof(key: &PairingKey, answer: &RedeemAnswer<'_>, token: &str) -> String {
    let mac = mac(key, &answer.with_token(token)).filter(|_| !answer.challenge.is_empty());
    mac.map_or_else(String::new, |mac| hex(&mac.finalize().into_bytes()))
}

/// Whether whoever sent `proof` with `challenge` holds the block whose setup
/// key has this hash. The comparison takes the same time for every proof.
pub fn verify_proof(key: &PairingKey, challenge: &str, id: &str, proof: &[u8]) -> bool {
    let mac = mac(key, &redeem::request_mac_text(challenge, id)).filter(|_| !challenge.is_empty());
    mac.is_some_and(|mac| mac.verify_slice(proof).is_ok())
}

/// The token, readable for holders of the block alone and bound to the answer:
/// nonce and AES-256-GCM, as hexadecimal.
///
/// # Errors
/// The system has no random numbers.
pub fn seal_token(key: &PairingKey, answer: &RedeemAnswer<'_>, token: &str) -> Result<String> {
    // One key for each challenge, so that nonces never meet.
    let own =
        mac(key, &redeem::seal_key_text(answer.challenge)).map(|mac| mac.finalize().into_bytes());
    let nonce = random::<12>()?;
    let text = answer.bound_text();
    let payload = Payload { msg: token.as_bytes(), aad: text.as_bytes() };
    let sealed = own.and_then(|own| Aes256Gcm::new(&own).encrypt(&nonce.into(), payload).ok());
    let bug = || browse_base::Error::new(browse_proto::Reason::Bug, "the token cannot be sealed");
    Ok(hex(&[&nonce[..], &sealed.ok_or_else(bug)?].concat()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ANSWER: RedeemAnswer<'_> = RedeemAnswer {
        challenge: "c0",
        name: "ada",
        scopes: "read",
        hosts: "*",
        session: "s",
        expires_at: "e",
    };

    fn open(key: &PairingKey, answer: &RedeemAnswer<'_>, sealed: &str) -> Option<Vec<u8>> {
        let bytes: Vec<u8> = (0..sealed.len() / 2)
            .filter_map(|at| u8::from_str_radix(&sealed[at * 2..at * 2 + 2], 16).ok())
            .collect();
        let own = mac(key, &redeem::seal_key_text(answer.challenge))?.finalize().into_bytes();
        let text = answer.bound_text();
        let nonce: [u8; 12] = bytes[..12].try_into().ok()?;
        let payload = Payload { msg: &bytes[12..], aad: text.as_bytes() };
        Aes256Gcm::new(&own).decrypt(&nonce.into(), payload).ok()
    }

    #[test]
    fn a_proof_is_of_key_challenge_answer_and_token() {
        let good = answer_proof(&[7; 32], &ANSWER, "t");
        assert_eq!(good.len(), 64);
        assert_eq!(good, answer_proof(&[7; 32], &ANSWER, "t"));
        for other in [
            answer_proof(&[8; 32], &ANSWER, "t"),
            answer_proof(&[7; 32], &ANSWER, "u"),
            answer_proof(&[7; 32], &RedeemAnswer { challenge: "c1", ..ANSWER }, "t"),
            answer_proof(&[7; 32], &RedeemAnswer { scopes: "read,admin", ..ANSWER }, "t"),
        ] {
            assert_ne!(other, good);
        }
        assert_eq!(answer_proof(&[7; 32], &RedeemAnswer { challenge: "", ..ANSWER }, "t"), "");
    }

    #[test]
    fn a_request_is_proved_by_who_holds_the_block() {
        let proof = mac(&[7; 32], &redeem::request_mac_text("c0", "id")).expect("a key");
        let proof = proof.finalize().into_bytes();
        assert!(verify_proof(&[7; 32], "c0", "id", &proof));
        assert!(
            !verify_proof(&[8; 32], "c0", "id", &proof)
                && !verify_proof(&[7; 32], "c1", "id", &proof)
        );
        assert!(
            !verify_proof(&[7; 32], "c0", "other", &proof)
                && !verify_proof(&[7; 32], "c0", "id", &[])
        );
        assert!(!verify_proof(&[7; 32], "", "id", &proof));
    }

    #[test]
    fn a_sealed_token_opens_for_its_block_and_its_answer_alone() {
        let sealed = seal_token(&[7; 32], &ANSWER, "token").expect("random numbers");
        assert_eq!(open(&[7; 32], &ANSWER, &sealed).as_deref(), Some(&b"token"[..]));
        assert!(open(&[8; 32], &ANSWER, &sealed).is_none());
        for other in [
            RedeemAnswer { challenge: "c1", ..ANSWER },
            RedeemAnswer { name: "eve", ..ANSWER },
            RedeemAnswer { hosts: "evil.example", ..ANSWER },
        ] {
            assert!(open(&[7; 32], &other, &sealed).is_none(), "{other:?}");
        }
        let again = seal_token(&[7; 32], &ANSWER, "token").expect("random numbers");
        assert_ne!(again, sealed);
    }
}
