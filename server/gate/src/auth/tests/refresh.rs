//! When the keys of the issuer are read and fetched again.

use std::sync::Arc;

use browse_proto::Reason;
use futures::future::join_all;
use serde_json::json;

use super::{
    issuer::{AUDIENCE, FileIssuer, TestKey, always, claims, jwks, once},
    server::TestServer,
};
use crate::auth::{AuthSettings, Authenticator, RefreshTimes};

const CONFIGURATION: &str = "/.well-known/openid-configuration";

async fn reason(authenticator: &Authenticator, token: &str) -> Option<Reason> {
    authenticator.authenticate(Some(token)).await.err().map(|error| error.reason())
}

/// An issuer that is found by discovery.
fn serve_issuer(keys: &[&TestKey]) -> TestServer {
    let server = TestServer::start();
    let url = server.url();
    let configuration = json!({"issuer": url, "jwks_uri": format!("{url}/jwks")});
    server.set(CONFIGURATION, &configuration.to_string());
    server.set("/jwks", &jwks(keys));
    server
}

fn authenticator(server: &TestServer, times: RefreshTimes) -> Arc<Authenticator> {
    let settings = AuthSettings {
        issuer: Some(server.url()),
        audience: Some(AUDIENCE.to_owned()),
        ..AuthSettings::default()
    };
    Authenticator::with_times(&settings, times).expect("the settings are whole")
}

fn token_for(server: &TestServer, key: &TestKey) -> String {
    key.sign(&claims(json!({"iss": server.url()})))
}

#[tokio::test]
async fn an_unknown_key_is_looked_for_in_the_file() {
    let (a, b) = (TestKey::es256("a"), TestKey::ed25519("b"));
    let issuer = FileIssuer::new(&[&a]);
    let authenticator =
        Authenticator::with_times(&issuer.settings(), once()).expect("the settings are whole");
    let token = b.sign(&claims(json!({})));
    assert_eq!(reason(&authenticator, &token).await, Some(Reason::TokenInvalid));
    issuer.publish(&jwks(&[&a, &b]));
    assert_eq!(reason(&authenticator, &token).await, None);
}

#[tokio::test]
async fn a_key_that_was_taken_back_ends_what_it_verified() {
    let (a, b) = (TestKey::es256("a"), TestKey::es256("b"));
    let issuer = FileIssuer::new(&[&a, &b]);
    let authenticator = issuer.authenticator();
    let token = a.sign(&claims(json!({})));
    assert_eq!(reason(&authenticator, &token).await, None);
    issuer.publish("{");
    assert_eq!(reason(&authenticator, &token).await, None, "a broken file is not used");
    issuer.publish(&jwks(&[&b]));
    assert_eq!(reason(&authenticator, &token).await, Some(Reason::TokenInvalid));
}

#[tokio::test]
async fn keys_are_found_by_discovery_and_fetched_once() {
    let key = TestKey::es256("a");
    let server = serve_issuer(&[&key]);
    let authenticator = authenticator(&server, once());
    let unknown = token_for(&server, &TestKey::es256("b"));
    let tokens = [token_for(&server, &key), unknown];
    let calls = (0..20).map(|index| reason(&authenticator, &tokens[index % 2]));
    let reasons = join_all(calls).await;
    for (index, found) in reasons.into_iter().enumerate() {
        let expected = (index % 2 == 1).then_some(Reason::TokenInvalid);
        assert_eq!(found, expected, "{index}");
    }
    assert_eq!((server.count(CONFIGURATION), server.count("/jwks")), (1, 1));
}

#[tokio::test]
async fn an_unknown_key_is_fetched_after_a_rotation() {
    let (a, b) = (TestKey::es256("a"), TestKey::es256("b"));
    let server = serve_issuer(&[&a]);
    let times = RefreshTimes { fetch: always().fetch, ..once() };
    let authenticator = authenticator(&server, times);
    assert_eq!(reason(&authenticator, &token_for(&server, &a)).await, None);
    server.set("/jwks", &jwks(&[&b]));
    assert_eq!(reason(&authenticator, &token_for(&server, &b)).await, None);
    assert_eq!(server.count("/jwks"), 2);
    let retired = reason(&authenticator, &token_for(&server, &a)).await;
    assert_eq!(retired, Some(Reason::TokenInvalid));
}

#[tokio::test]
async fn the_keys_that_are_known_stay_when_the_issuer_is_gone() {
    let key = TestKey::es256("a");
    let server = serve_issuer(&[&key]);
    let authenticator = authenticator(&server, always());
    assert_eq!(reason(&authenticator, &token_for(&server, &key)).await, None);
    for (head, body) in [("500 Internal Server Error", ""), ("200 OK", "{\"keys\":[]}")] {
        server.set_response("/jwks", head, body);
        assert_eq!(reason(&authenticator, &token_for(&server, &key)).await, None, "{head}");
    }
    assert!(server.count("/jwks") >= 3);
}

#[tokio::test]
async fn without_any_key_the_gateway_is_unavailable() {
    let key = TestKey::es256("a");
    let server = serve_issuer(&[&key]);
    let token = token_for(&server, &key);
    let foreign = json!({"issuer": "https://other.example", "jwks_uri": server.url() + "/jwks"});
    server.set(CONFIGURATION, &foreign.to_string());
    let authenticator = authenticator(&server, once());
    for _ in 0..3 {
        assert_eq!(reason(&authenticator, &token).await, Some(Reason::GateUnavailable));
    }
    assert_eq!((server.count(CONFIGURATION), server.count("/jwks")), (1, 0));
}

#[tokio::test]
async fn a_caller_who_goes_away_does_not_end_the_fetch() {
    let key = TestKey::es256("a");
    let server = serve_issuer(&[&key]);
    let authenticator = authenticator(&server, once());
    let token = token_for(&server, &key);
    {
        let mut call = Box::pin(authenticator.authenticate(Some(&token)));
        assert!(futures::poll!(&mut call).is_pending(), "it waits for the keys");
    }
    assert_eq!(reason(&authenticator, &token).await, None);
    assert_eq!(server.count("/jwks"), 1);
}
