//! Keys are good once, and tokens end with their row.

use browse_proto::v1;

use super::*;
use crate::pairing::setup_key;
use browse_policy::Listener;

struct Owner {
    authority: Arc<Authority>,
    pairings: Pairings,
}

impl Owner {
    fn new() -> Self {
        let authority = Arc::new(Authority::new().expect("there are random numbers"));
        Self { authority, pairings: Pairings::default() }
    }

    fn pair(&self, name: &str, lifetime: Duration) -> String {
        self.offer(v1::NewPairingRequest { name: name.to_owned(), ..Default::default() }, lifetime)
    }

    fn offer(&self, request: v1::NewPairingRequest, lifetime: Duration) -> String {
        let offer = PairingTerms::parse(&request).expect("the name is good");
        let (key, text) = SetupKey::new(lifetime).expect("there are random numbers");
        let (session, session_key) = (format!("pair-{}", offer.name), [1; 32]);
        let draft = NewPairing { terms: offer, session, own_session: true, key, session_key };
        self.pairings.add(draft).expect("the name is free");
        text
    }

    fn redeem(&self, key: &str) -> Result<RedeemedKey, Reason> {
        self.pairings
            .redeem(&self.authority, &PresentedKey::Key(key))
            .map_err(|error| error.reason())
    }

    fn call(&self, token: &str) -> Result<(), Reason> {
        let grant = self.authority.identify(Some(token), Listener::Tunnel);
        grant.and_then(|grant| grant.count_call()).map_err(|error| error.reason())
    }
}

#[test]
fn a_key_is_good_once() {
    let owner = Owner::new();
    let key = owner.pair("ada", setup_key::SETUP_KEY_LIFETIME);
    let redeemed = owner.redeem(&key).expect("it is good");
    assert_eq!(redeemed.grant.capability().client.as_str(), "ada");
    assert_eq!(owner.call(&redeemed.token), Ok(()));
    for _ in 0..3 {
        assert_eq!(owner.redeem(&key).err(), Some(Reason::SetupKeyInvalid));
    }
    assert_eq!(owner.call(&redeemed.token), Ok(()), "spending it again ends nothing");
}

#[test]
fn a_dashboard_has_the_grant_of_a_person_and_at_the_remote_listener_alone() {
    let owner = Owner::new();
    let request =
        v1::NewPairingRequest { name: "Desk".to_owned(), dashboard: true, ..Default::default() };
    let key = owner.offer(request, setup_key::SETUP_KEY_LIFETIME);
    let redeemed = owner.redeem(&key).expect("it is good");
    assert_eq!(redeemed.name.as_str(), "desk");
    let capability = redeemed.grant.capability();
    assert_eq!(capability.client.as_str(), "dashboard:desk");
    assert_eq!((capability.kind, capability.delivery), (ClientKind::Dashboard, Delivery::Raw));
    assert_eq!(capability.session, SessionRule::Any);
    for listener in [Listener::Local, Listener::Skills, Listener::Dashboard] {
        let refused = owner.authority.identify(Some(&redeemed.token), listener);
        let refused = refused.map(drop).expect_err("it is for the remote listener");
        assert_eq!(refused.reason(), Reason::TokenForeign, "{listener:?}");
    }
    assert_eq!(owner.call(&redeemed.token), Ok(()));
    let name = ClientId::new("desk").expect("a name");
    assert!(owner.pairings.remove(&name).is_some());
    assert_eq!(owner.call(&redeemed.token), Err(Reason::TokenInvalid));
}

#[test]
fn an_answer_that_was_lost_can_be_asked_for_again() {
    let owner = Owner::new();
    let key = owner.pair("ada", setup_key::SETUP_KEY_LIFETIME);
    let lost = owner.redeem(&key).expect("it is good");
    let again = owner.redeem(&key).expect("nobody has called");
    assert_eq!(owner.call(&lost.token), Err(Reason::TokenInvalid));
    assert_eq!(owner.call(&again.token), Ok(()));
    assert_eq!(owner.redeem(&key).err(), Some(Reason::SetupKeyInvalid));
}

#[test]
fn expired_and_guessed_keys_get_one_answer_and_then_a_pause() {
    let owner = Owner::new();
    let over = owner.pair("ada", Duration::ZERO);
    let good = owner.pair("bob", setup_key::SETUP_KEY_LIFETIME);
    assert_eq!(owner.redeem(&over).err(), Some(Reason::SetupKeyInvalid));
    assert_eq!(owner.redeem("").err(), Some(Reason::SetupKeyInvalid));
    let guesses: Vec<_> =
        (0..1000).filter_map(|n| owner.redeem(&format!("setup-{n}")).err()).collect();
    let wrong = guesses.iter().filter(|reason| **reason == Reason::SetupKeyInvalid).count();
    assert!(wrong < 20, "{wrong}");
    assert!(guesses.contains(&Reason::RateLimited));
    assert!(owner.redeem(&good).is_ok(), "guesses of others hold nobody up");
}

#[test]
fn a_token_ends_with_its_row_and_its_name_is_free_again() {
    let owner = Owner::new();
    let first = owner.redeem(&owner.pair("ada", setup_key::SETUP_KEY_LIFETIME)).expect("good");
    assert_eq!(owner.call(&first.token), Ok(()));
    let client = first.grant.capability().client.clone();
    assert!(owner.pairings.remove(&client).is_some());
    assert_eq!(owner.call(&first.token), Err(Reason::TokenInvalid));
    let second = owner.redeem(&owner.pair("ada", setup_key::SETUP_KEY_LIFETIME)).expect("good");
    assert_eq!(owner.call(&second.token), Ok(()));
    assert_eq!(owner.call(&first.token), Err(Reason::TokenInvalid));
    assert!(
        owner.pairings.remove_if_ended(&client, first.serial).is_none(),
        "the row is another's"
    );
}

#[test]
fn tokens_are_for_the_tunnel_and_a_week_at_most() {
    let owner = Owner::new();
    let redeemed = owner.redeem(&owner.pair("ada", setup_key::SETUP_KEY_LIFETIME)).expect("good");
    let local = owner.authority.identify(Some(&redeemed.token), Listener::Local);
    assert_eq!(local.expect_err("it is for somewhere else").reason(), Reason::TokenForeign);
    let body = redeemed.token.split('.').nth(1).expect("a JWT has three parts");
    let body = base64::Engine::decode(&base64::engine::general_purpose::URL_SAFE_NO_PAD, body);
    let claims: serde_json::Value = serde_json::from_slice(&body.expect("base64")).expect("JSON");
    let number = |name: &str| claims[name].as_u64().expect(name);
    assert!(number("exp") - number("iat") <= 7 * 24 * 3600);
    assert_eq!(claims["content"], "guarded");
    let slid = redeemed.grant.expires_at().expect("it ends").duration_since(SystemTime::now());
    assert!(slid.expect("later") <= Duration::from_secs(24 * 3600));
}

#[test]
fn who_read_along_cannot_redeem_what_is_sealed() {
    use browse_proto::redeem::{SEALED_PREFIX, request_mac_text};
    use hmac::Mac as _;
    use sha2::Digest as _;

    let owner = Owner::new();
    let key = owner.pair("ada", setup_key::SETUP_KEY_LIFETIME);
    let id = browse_base::hex(&sha2::Sha256::digest(key.as_bytes()));
    let sealed = format!("{SEALED_PREFIX}{id}");
    let proof = |session_key: [u8; 32], challenge: &str| {
        let mac = hmac::Hmac::<sha2::Sha256>::new_from_slice(&session_key).expect("a key");
        let mac = mac.chain_update(request_mac_text(challenge, &id));
        browse_base::hex(&mac.finalize().into_bytes())
    };
    let redeem = |challenge: &str, proof: &str| {
        let offered = PresentedKey::parse(&sealed, challenge, proof);
        owner.pairings.redeem(&owner.authority, &offered).map_err(|error| error.reason())
    };
    // The hash is not a key, and neither a proof of another challenge nor one
    // with another session key is any good.
    assert_eq!(owner.redeem(&sealed).err(), Some(Reason::SetupKeyInvalid));
    assert_eq!(owner.redeem(&id).err(), Some(Reason::SetupKeyInvalid));
    let bad = [("c0", ""), ("c1", &*proof([1; 32], "c0")), ("c0", &*proof([2; 32], "c0"))];
    for (challenge, proof) in bad {
        assert_eq!(redeem(challenge, proof).err(), Some(Reason::SetupKeyInvalid), "{challenge}");
    }
    let redeemed = redeem("c0", &proof([1; 32], "c0")).expect("it is good");
    assert_eq!(owner.call(&redeemed.token), Ok(()));
    // It is spent, whether the wrong ones of before count by now or not.
    assert!(redeem("c0", &proof([1; 32], "c0")).is_err());
}
